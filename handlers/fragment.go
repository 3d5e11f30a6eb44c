package handlers

import (
	"context"
	"encoding/json"
	"fmt"
	"net/http"
	"net/url"
	"strconv"

	"github.com/a-h/templ"

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
	return safeNext(u.RequestURI())
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

// panel shows the panel that the bell opens.
func (h *Handlers) panel(w http.ResponseWriter, r *http.Request) error {
	p, err := h.newest(w, r)
	if err != nil {
		return err
	}
	return h.page(w, r, http.StatusOK, views.PanelFragment(p))
}

// panelPart is the panel after an action in it. The message about the action is shown on the page
// underneath, whatever that is, so its Undo leads to the inbox.
func (h *Handlers) panelPart(w http.ResponseWriter, r *http.Request, done *views.Done) error {
	p, err := h.newest(w, r)
	if err != nil {
		return err
	}
	if done.Undo != nil {
		done.Undo.Fields = append(done.Undo.Fields, views.Hidden{Name: "back", Value: inboxPath})
	}
	around := h.partOf(r, h.announced(r))
	return h.page(w, r, http.StatusOK, templ.Join(views.PanelFragment(p), views.DoneLine(&around.Frame, done), views.PinnedBanner(&around.Frame, true)))
}

// newest builds the panel, and sends the script the badge.
func (h *Handlers) newest(w http.ResponseWriter, r *http.Request) (*views.Panel, error) {
	ctx, cancel := context.WithTimeout(r.Context(), redisWait)
	defer cancel()
	page, err := h.Inbox.Look(ctx, seqOf(r), notifier.Query{Limit: panelRows})
	stored := h.storedInstead(r, err)
	if stored {
		page, err = h.Archive.Inbox.Look(r.Context(), seqOf(r), notifier.Query{Limit: panelRows})
	}
	if err != nil {
		return nil, fmt.Errorf("show the newest entries of an inbox: %w", err)
	}
	a := h.announced(r)
	if err := h.tellBadge(w, r, a.with(pageBadge(page))); err != nil {
		return nil, err
	}
	text := h.text(r)
	p := &views.Panel{Text: text, Icons: h.assets.Icons, Labels: rowLabels(text), Empty: inboxEmpty(text, inboxQuery{}, a)}
	rows := h.rowMaker(r, text)
	for _, day := range rows.days(page.Entries) {
		p.Rows = append(p.Rows, day.Rows...)
	}
	if stored {
		p.Stale = h.stale(r, "stale.panel", page.Ver)
	} else if page.Unread+a.Unread > 0 {
		p.Upto, p.AnnouncementIDs = strconv.FormatInt(page.Ver, 10), unreadAnnouncements(a)
	}
	if a.Unread > 0 {
		p.Announcements = text.N("js.unread_announcements", a.Unread)
	}
	return p, nil
}

// keys lists the keyboard shortcuts.
func (h *Handlers) keys(w http.ResponseWriter, r *http.Request) error {
	return h.page(w, r, http.StatusOK, views.KeysFragment(h.text(r), h.assets.Icons))
}

// panelRows is how many notices the bell shows.
const panelRows = 10
