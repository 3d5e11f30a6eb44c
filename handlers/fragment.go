package handlers

import (
	"encoding/json"
	"fmt"
	"net/http"
	"net/url"
	"unicode/utf16"
	"unicode/utf8"

	"github.com/carillonhq/carillon/internal/web"
	"github.com/carillonhq/carillon/notifier"
	"github.com/carillonhq/carillon/views"
)

// fragment reports whether htmx made the request, to replace a part of the page. Other requests get whole pages.
func fragment(r *http.Request) bool { return r.Header.Get("HX-Request") == "true" }

// inPart reports whether the htmx request replaces the part with this ID.
func inPart(r *http.Request, id string) bool { return fragment(r) && r.Header.Get("HX-Target") == id }

// shownPage returns the address of the page that the htmx request came from.
func shownPage(r *http.Request) string {
	u, err := url.Parse(r.Header.Get("HX-Current-URL"))
	if err != nil {
		return inboxPath
	}
	return safeNext(web.Inside(r.Context(), u.RequestURI()))
}

// tellBadge sends the badge with the response to an htmx request, so that the page need not wait for the stream.
func (h *Handlers) tellBadge(w http.ResponseWriter, r *http.Request, b notifier.Badge) error {
	if !fragment(r) {
		return nil
	}
	return tell(w, "carillon:badge", b)
}

// tell makes htmx dispatch an event in the page. Headers are ASCII, so other characters are escaped.
func tell(w http.ResponseWriter, event string, detail any) error {
	text, err := json.Marshal(map[string]any{event: detail})
	if err != nil {
		return fmt.Errorf("encode the event %s: %w", event, err)
	}
	var ascii []byte
	for _, c := range string(text) {
		if c < utf8.RuneSelf {
			ascii = utf8.AppendRune(ascii, c)
			continue
		}
		for _, unit := range utf16.AppendRune(nil, c) {
			ascii = fmt.Appendf(ascii, `\u%04x`, unit)
		}
	}
	w.Header().Set("HX-Trigger", string(ascii))
	return nil
}

// rowPart responds to an action on one entry with its row.
func (h *Handlers) rowPart(w http.ResponseWriter, r *http.Request, key, back string, badge notifier.Badge, done *views.Done) error {
	q := queryOf(back)
	e, err := h.Inbox.Find(r.Context(), seqOf(r), key, q.Opened)
	if err != nil {
		return fmt.Errorf("show one entry of an inbox: %w", err)
	}
	p := h.partPage(r, q, badge, done)
	rows := h.rowMaker(r, p.Text)
	p.Days = rows.days([]notifier.Entry{e})
	return h.sendPart(w, r, p, badge)
}

// gonePart responds to a deletion with a hidden row that keeps the place, for Undo.
func (h *Handlers) gonePart(w http.ResponseWriter, r *http.Request, e notifier.Entry, back string, badge notifier.Badge) error {
	return h.hiddenPart(w, r, e.At, back, badge, &views.Done{Text: h.text(r).T("done.deleted"), Undo: &views.Undo{
		Action: "/inbox/restore", Target: "#e" + idText(e.At), Fields: rowFields(e.Key, e.At, back),
	}})
}

// rowFields are the fields of a form that acts on the entry with this At.
func rowFields(key string, at int64, back string) []views.Hidden {
	return []views.Hidden{{Name: "key", Value: kept(key)}, {Name: "at", Value: idText(at)}, {Name: "back", Value: back}}
}

// archivedPart responds with the row of an entry that is in the archive again, or snoozed.
func (h *Handlers) archivedPart(w http.ResponseWriter, r *http.Request, at int64, back string, badge notifier.Badge, done *views.Done) error {
	e, err := h.putAway(r, at, back)
	if err != nil {
		return err
	}
	p := h.partPage(r, queryOf(back), badge, done)
	rows := h.rowMaker(r, p.Text)
	p.Days = rows.days([]notifier.Entry{e})
	return h.sendPart(w, r, p, badge)
}

// putAway returns an archived entry, or a snoozed one on a page of those.
func (h *Handlers) putAway(r *http.Request, at int64, back string) (notifier.Entry, error) {
	later := queryOf(back).Later
	page, err := h.Inbox.Look(r.Context(), seqOf(r), notifier.Query{Archived: !later, Later: later, Before: at + 1, Limit: 1})
	if err == nil && (len(page.Entries) == 0 || page.Entries[0].At != at) {
		err = notifier.ErrNotFound
	}
	if err != nil {
		return notifier.Entry{}, fmt.Errorf("show one archived entry: %w", err)
	}
	return page.Entries[0], nil
}

// hiddenPart responds with a hidden row in place of the entry with this At.
func (h *Handlers) hiddenPart(w http.ResponseWriter, r *http.Request, at int64, back string, badge notifier.Badge, done *views.Done) error {
	p := h.partPage(r, queryOf(back), badge, done)
	p.Gone = idText(at)
	return h.sendPart(w, r, p, badge)
}

func (h *Handlers) partPage(r *http.Request, q inboxQuery, badge notifier.Badge, done *views.Done) *views.Inbox {
	p := h.inboxFrame(r, q, q.Opened, badge)
	p.Done = done
	return p
}

func (h *Handlers) sendPart(w http.ResponseWriter, r *http.Request, p *views.Inbox, badge notifier.Badge) error {
	if err := h.tellBadge(w, r, badge); err != nil {
		return err
	}
	return h.page(w, r, http.StatusOK, views.InboxPart(p))
}

// queryOf parses the inbox page in a form's field "back".
func queryOf(back string) inboxQuery {
	u, err := url.Parse(back)
	if err != nil {
		return inboxQuery{}
	}
	return lookQuery(u.Query())
}

// keys shows the keyboard shortcuts.
func (h *Handlers) keys(w http.ResponseWriter, r *http.Request) error {
	if !fragment(r) {
		f := h.frame(r, "keys", "keys.title")
		return h.page(w, r, http.StatusOK, views.KeysPage(&f))
	}
	f := h.bareFrame(r)
	return h.page(w, r, http.StatusOK, views.KeysFragment(&f))
}
