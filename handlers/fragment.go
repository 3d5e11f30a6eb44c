package handlers

import (
	"encoding/json"
	"fmt"
	"net/http"
	"net/url"

	"github.com/carillonhq/carillon/internal/mount"
	"github.com/carillonhq/carillon/notifier"
	"github.com/carillonhq/carillon/views"
)

// fragment reports whether a script made the request, to replace a part of the page. Without
// script, whole pages are sent.
func fragment(r *http.Request) bool { return r.Header.Get("HX-Request") == "true" }

// inPart reports whether the script replaces the part with this id.
func inPart(r *http.Request, id string) bool { return fragment(r) && r.Header.Get("HX-Target") == id }

// shownPage is the page that the script is on.
func shownPage(r *http.Request) string {
	u, err := url.Parse(r.Header.Get("HX-Current-URL"))
	if err != nil {
		return inboxPath
	}
	return safeNext(mount.Inside(r.Context(), u.RequestURI()))
}

// tellBadge sends a script the badge at once, without waiting for the stream.
func (h *Handlers) tellBadge(w http.ResponseWriter, r *http.Request, b notifier.Badge) error {
	if !fragment(r) {
		return nil
	}
	text, err := json.Marshal(map[string]notifier.Badge{"carillon:badge": b})
	if err != nil {
		return fmt.Errorf("encode a badge: %w", err)
	}
	w.Header().Set("HX-Trigger", string(text))
	return nil
}

// rowPart answers an action on one entry with its row.
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

// gonePart answers a deletion with a hidden row that keeps the place, for Undo.
func (h *Handlers) gonePart(w http.ResponseWriter, r *http.Request, e notifier.Entry, back string, badge notifier.Badge) error {
	return h.hiddenPart(w, r, e.At, back, badge, &views.Done{Text: h.text(r).T("done.deleted"), Undo: &views.Undo{
		Action: "/inbox/restore", Target: "#e" + idText(e.At), Fields: []views.Hidden{{Name: "key", Value: kept(e.Key)}, {Name: "back", Value: back}},
	}})
}

// hiddenPart is the hidden row that takes the place of the entry with this At.
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

// queryOf is the page of the inbox that a form's field `back` names.
func queryOf(back string) inboxQuery {
	u, err := url.Parse(back)
	if err != nil {
		return inboxQuery{}
	}
	return lookQuery(u.Query())
}

// keys lists the keyboard shortcuts.
func (h *Handlers) keys(w http.ResponseWriter, r *http.Request) error {
	return h.page(w, r, http.StatusOK, views.KeysFragment(h.text(r), h.assets.Icons))
}
