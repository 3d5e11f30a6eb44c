package handlers

import (
	"errors"
	"fmt"
	"net/http"
	"net/url"
	"strings"

	"github.com/carillonhq/carillon/notifier"
	"github.com/carillonhq/carillon/views"
)

// mostUndone is how many entries Undo turns back to unread at most.
const mostUndone = 200

// readAll marks all as read that the user saw, and remembers what it turned.
func (h *Handlers) readAll(w http.ResponseWriter, r *http.Request) error {
	values, err := inboxForm(r, "upto")
	if err != nil {
		return err
	}
	turned, err := h.unreadKeys(r, values.Get("upto"))
	if err != nil {
		return err
	}
	if _, err := h.Inbox.ReadUpto(r.Context(), seqOf(r), values.Get("upto")); err != nil {
		return fmt.Errorf("mark all as read: %w", err)
	}
	done := allRead(h.text(r).T("done.all_read"), turned)
	switch {
	case inPart(r, "panel"):
		return h.panelPart(w, r, done)
	case fragment(r):
		if done.Undo != nil {
			done.Undo.Target, done.Undo.Select = "#inbox", "#inbox"
		}
		return h.lookedAt(w, r, queryOf(values.Get("back")), done)
	}
	h.turned.remember(seqOf(r), "", turned, h.Now())
	redirect(w, backTo(values.Get("back"), url.Values{"done": {"read-all"}}))
	return nil
}

// allRead says that all is read. When nothing was unread there is nothing to undo.
func allRead(text string, turned []string) *views.Done {
	done := &views.Done{Text: text}
	if len(turned) > 0 {
		done.Undo = &views.Undo{
			Action: "/inbox/unread", Fields: []views.Hidden{{Name: "keys", Value: kept(strings.Join(turned, "\n"))}},
		}
	}
	return done
}

// unreadKeys are the unread entries that Mark all as read turns, for Undo.
func (h *Handlers) unreadKeys(r *http.Request, upto string) ([]string, error) {
	at := number(upto)
	if at == 0 {
		return nil, nil // a key: no page sends one
	}
	page, err := h.Inbox.Look(r.Context(), seqOf(r), notifier.Query{Unread: true, Limit: mostUndone})
	if err != nil {
		return nil, fmt.Errorf("look what is unread: %w", err)
	}
	var keys []string
	for i := range page.Entries {
		if page.Entries[i].At <= at {
			keys = append(keys, page.Entries[i].Key)
		}
	}
	if page.Older > 0 {
		return nil, nil // too many to take back
	}
	return keys, nil
}

// turnBack marks entries unread again, which Mark all as read had turned. One
// that has left the inbox since then is no fault.
func (h *Handlers) turnBack(r *http.Request, list string) error {
	keys := strings.Split(list, "\n")
	for _, key := range keys[:min(len(keys), mostUndone)] {
		_, err := h.Inbox.MarkUnread(r.Context(), seqOf(r), strings.TrimSuffix(key, "\r"))
		if err != nil && !errors.Is(err, notifier.ErrNotFound) {
			return fmt.Errorf("mark as unread again: %w", err)
		}
	}
	return nil
}
