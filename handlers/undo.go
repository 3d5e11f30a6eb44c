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

// deleteEntry deletes, and hands the page after it what Undo needs.
func (h *Handlers) deleteEntry(w http.ResponseWriter, r *http.Request) error {
	values, err := form(r, "key", "back")
	if err != nil {
		return err
	}
	if values.Get("key") == "" {
		return missing("key")
	}
	e, _, err := h.Inbox.Take(r.Context(), seqOf(r), values.Get("key"))
	if err != nil {
		return fmt.Errorf("delete an entry: %w", err)
	}
	h.deleted.remember(seqOf(r), e, h.Now())
	say := url.Values{"done": {"deleted"}, "key": {e.Key}}
	if e.NoticeID > 0 {
		say.Set("id", strconv.FormatInt(e.NoticeID, 10))
		say.Set("at", strconv.FormatInt(e.At, 10))
		if e.Read {
			say.Set("read", "1")
		}
	}
	redirect(w, backTo(values.Get("back"), say))
	return nil
}

// restoreEntry undoes a delete. An entry that is back already, because a newer
// notice of its key came, needs no undoing.
func (h *Handlers) restoreEntry(w http.ResponseWriter, r *http.Request) error {
	values, err := form(r, "key", "id", "at", "read", "back")
	if err != nil {
		return err
	}
	e, ok := h.deleted.find(seqOf(r), values.Get("key"), h.Now())
	if !ok {
		if e, err = h.entryOf(r.Context(), values); err != nil {
			return err
		}
	}
	_, err = h.Inbox.Restore(r.Context(), seqOf(r), e)
	if err != nil && !errors.Is(err, notifier.ErrConflict) {
		return fmt.Errorf("restore an entry: %w", err)
	}
	redirect(w, backTo(values.Get("back"), url.Values{"done": {"restored"}}))
	return nil
}

// entryOf makes the entry again that another instance deleted. Its content is
// the notice's; the inbox restores only what it knows to have left it.
func (h *Handlers) entryOf(ctx context.Context, values url.Values) (notifier.Entry, error) {
	id, at := number(values.Get("id")), number(values.Get("at"))
	if id == 0 || at == 0 || at > h.Now().Add(time.Minute).UnixMilli() {
		return notifier.Entry{}, notifier.ErrNotFound
	}
	p, err := h.Sender.Progress(ctx, id)
	if err != nil {
		return notifier.Entry{}, fmt.Errorf("look up a deleted notice: %w", err)
	}
	taken := p.State == notifier.StateRetracting || p.State == notifier.StateRetracted
	if taken || p.Key() != values.Get("key") {
		return notifier.Entry{}, notifier.ErrNotFound
	}
	return notifier.Entry{
		Key: p.Key(), NoticeID: id, At: at, ExpiresAt: p.ExpiresAt,
		Read: values.Get("read") == "1", Content: p.Content(),
	}, nil
}

// inboxDone says what the action before this page did, with Undo after a delete.
func inboxDone(r *http.Request, text *locale.Printer, back string) *views.Done {
	values := r.URL.Query()
	id, ok := doneTexts[values.Get("done")]
	if !ok {
		return nil
	}
	done := &views.Done{Text: text.T(id)}
	if key := values.Get("key"); values.Get("done") == "deleted" && key != "" {
		done.Undo = &views.Undo{Key: kept(key), Back: back}
		for _, name := range []string{"id", "at", "read"} {
			if v := number(values.Get(name)); v > 0 {
				done.Undo.Fields = append(done.Undo.Fields, views.Hidden{Name: name, Value: strconv.FormatInt(v, 10)})
			}
		}
	}
	return done
}
