package handlers

import (
	"errors"
	"fmt"
	"net/http"
	"net/url"

	"github.com/carillonhq/carillon/notifier"
	"github.com/carillonhq/carillon/views"
	"github.com/carillonhq/carillon/views/locale"
)

// deleteEntries deletes entries and offers Undo.
func (h *Handlers) deleteEntries(w http.ResponseWriter, r *http.Request) error {
	keys, values, err := keysForm(r, "at", "back")
	if err != nil {
		return err
	}
	if len(keys) == 1 {
		if err := h.seen(r, values); err != nil {
			return err
		}
	}
	entries, badge, err := h.Inbox.Take(r.Context(), seqOf(r), keys...)
	if err != nil {
		return fmt.Errorf("delete entries: %w", err)
	}
	if fragment(r) && alone(r, keys) && len(entries) == 1 {
		return h.gonePart(w, r, entries[0], values.Get("back"), badge)
	}
	taken := make([]string, len(entries))
	for i := range entries {
		taken[i] = entries[i].Key
	}
	return h.changedAll(w, r, values.Get("back"), "deleted", keyFields(taken))
}

// seen refuses an action on a notice that has replaced the one on the page, because the user has not seen it. A form
// without "at" is not refused.
func (h *Handlers) seen(r *http.Request, values url.Values) error {
	if values.Get("at") == "" {
		return nil
	}
	e, err := h.Inbox.Find(r.Context(), seqOf(r), values.Get("key"), 0)
	if q := queryOf(values.Get("back")); errors.Is(err, notifier.ErrNotFound) && q.PutAway() {
		return nil // it is archived, or Take will not find it either
	}
	if err != nil {
		return fmt.Errorf("find the entry to delete: %w", err)
	}
	if e.At > number(values.Get("at")) {
		return fmt.Errorf("%w: a newer notice has the key of the one to delete", notifier.ErrConflict)
	}
	return nil
}

// restoreEntries undoes a deletion. It skips entries whose key a newer notice has taken meanwhile.
func (h *Handlers) restoreEntries(w http.ResponseWriter, r *http.Request) error {
	keys, values, err := keysForm(r, "at", "back")
	if err != nil {
		return err
	}
	badge, err := h.Inbox.Restore(r.Context(), seqOf(r), keys...)
	if err != nil && !errors.Is(err, notifier.ErrConflict) {
		return fmt.Errorf("restore entries: %w", err)
	}
	if done := (&views.Done{Text: h.text(r).T("done.restored")}); fragment(r) && err == nil && alone(r, keys) {
		if q, back := queryOf(values.Get("back")), values.Get("back"); !q.PutAway() {
			return h.rowPart(w, r, keys[0], back, badge, done)
		} else if at := number(values.Get("at")); at > 0 {
			return h.archivedPart(w, r, at, back, badge, done)
		}
	}
	redirect(w, r, backTo(values.Get("back"), url.Values{"done": {"restored"}}))
	return nil
}

// inboxDone returns the message about the last action, with Undo if possible.
func (h *Handlers) inboxDone(r *http.Request, text *locale.Printer) *views.Done {
	say := r.URL.Query()
	if say.Get("done") == "read-all" {
		keys, _ := h.turned.find(seqOf(r), "", h.Now())
		ids, _ := h.turned.find(seqOf(r), announcementsTurned, h.Now())
		return allRead(text.T(doneTexts["read-all"]), keys, ids)
	}
	return entriesDone(text, say)
}
