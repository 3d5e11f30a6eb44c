package handlers

import (
	"context"
	"errors"
	"fmt"
	"net/http"
	"net/url"
	"strconv"
	"time"

	"github.com/carillonhq/carillon/notifier"
	"github.com/carillonhq/carillon/views"
	"github.com/carillonhq/carillon/views/locale"
)

// deleteEntries deletes entries, and offers to undo that.
func (h *Handlers) deleteEntries(w http.ResponseWriter, r *http.Request) error {
	keys, values, err := keysForm(r, nil, "at", "back")
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
	var undo []views.Hidden
	for _, e := range entries {
		undo = append(undo, undoFields(e)...)
	}
	return h.changedAll(w, r, values.Get("back"), "deleted", undo)
}

// seen refuses to delete a notice that has replaced the one on the page, because the user has not
// seen it. A form that does not say which notice it means is not refused.
func (h *Handlers) seen(r *http.Request, values url.Values) error {
	if values.Get("at") == "" {
		return nil
	}
	e, err := h.Inbox.Find(r.Context(), seqOf(r), values.Get("key"), 0)
	if err != nil {
		return fmt.Errorf("find the entry to delete: %w", err)
	}
	if e.At > number(values.Get("at")) {
		return fmt.Errorf("%w: a newer notice has the key of the one to delete", notifier.ErrConflict)
	}
	return nil
}

// undoFields names the deleted entry and its position. Its read state is not among them: the
// inbox remembers that itself, and a form could be forged.
func undoFields(e notifier.Entry) []views.Hidden {
	return []views.Hidden{
		{Name: "key", Value: kept(e.Key)},
		{Name: "id", Value: strconv.FormatInt(e.NoticeID, 10)},
		{Name: "at", Value: strconv.FormatInt(e.At, 10)},
	}
}

// restoreEntries undoes a deletion, on any instance. If a newer notice with the key of an entry has
// arrived meanwhile, there is nothing to undo for that one.
func (h *Handlers) restoreEntries(w http.ResponseWriter, r *http.Request) error {
	keys, values, err := keysForm(r, []string{"id", "at"}, "back")
	if err != nil {
		return err
	}
	entries, err := h.entriesOf(r.Context(), seqOf(r), values)
	if err != nil {
		return err
	}
	badge, err := h.Inbox.Restore(r.Context(), seqOf(r), entries...)
	if err != nil && !errors.Is(err, notifier.ErrConflict) {
		return fmt.Errorf("restore entries: %w", err)
	}
	if fragment(r) && err == nil && alone(r, keys) {
		return h.rowPart(w, r, keys[0], values.Get("back"), badge, &views.Done{Text: h.text(r).T("done.restored")})
	}
	redirect(w, backTo(values.Get("back"), url.Values{"done": {"restored"}}))
	return nil
}

// entriesOf rebuilds deleted entries, except those whose notices are gone. Without any it returns
// notifier.ErrNotFound.
func (h *Handlers) entriesOf(ctx context.Context, seq int64, values url.Values) ([]notifier.Entry, error) {
	keys, ids, ats := values["key"], values["id"], values["at"]
	if len(ids) != len(keys) || len(ats) != len(keys) {
		return nil, notifier.ErrNotFound
	}
	entries := make([]notifier.Entry, 0, len(keys))
	for i, key := range keys {
		e, err := h.entryOf(ctx, seq, key, number(ids[i]), number(ats[i]))
		switch {
		case errors.Is(err, notifier.ErrNotFound):
		case err != nil:
			return nil, err
		default:
			entries = append(entries, e)
		}
	}
	if len(entries) == 0 {
		return nil, notifier.ErrNotFound
	}
	return entries, nil
}

// entryOf rebuilds a deleted entry. Its content is the notice's current one; the inbox restores
// only entries that it knows were deleted.
func (h *Handlers) entryOf(ctx context.Context, seq int64, key string, id, at int64) (notifier.Entry, error) {
	if id == 0 || at == 0 || at > h.Now().Add(time.Minute).UnixMilli() {
		return notifier.Entry{}, notifier.ErrNotFound
	}
	n, err := h.Directory.Notice(ctx, id)
	if err != nil {
		return notifier.Entry{}, fmt.Errorf("look up a deleted notice: %w", err)
	}
	taken := n.State == notifier.StateRetracting || n.State == notifier.StateRetracted
	if taken || n.Announces() || n.Key() != key {
		return notifier.Entry{}, notifier.ErrNotFound
	}
	return notifier.Entry{Key: n.Key(), NoticeID: id, At: at, ExpiresAt: n.ExpiresAt, Content: n.ContentFor(seq)}, nil
}

// inboxDone is the message about the last action, with Undo if possible.
func (h *Handlers) inboxDone(r *http.Request, text *locale.Printer) *views.Done {
	say := r.URL.Query()
	if say.Get("done") == "read-all" {
		keys, _ := h.turned.find(seqOf(r), "", h.Now())
		ids, _ := h.turned.find(seqOf(r), announcementsTurned, h.Now())
		return allRead(text.T(doneTexts["read-all"]), keys, ids)
	}
	return entriesDone(text, say)
}
