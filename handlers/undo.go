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
	values, err := form(r, "key", "at", "back")
	if err != nil {
		return err
	}
	if values.Get("key") == "" {
		return missing("key")
	}
	if err := h.seen(r, values); err != nil {
		return err
	}
	e, badge, err := h.Inbox.Take(r.Context(), seqOf(r), values.Get("key"))
	if err != nil {
		return fmt.Errorf("delete an entry: %w", err)
	}
	h.deleted.remember(seqOf(r), e.Key, e, h.Now())
	if fragment(r) {
		return h.gonePart(w, r, e, values.Get("back"), badge)
	}
	say := url.Values{"done": {"deleted"}}
	for _, f := range undoFields(e) {
		say.Set(f.Name, f.Value)
	}
	redirect(w, backTo(values.Get("back"), say))
	return nil
}

// seen refuses to delete a notice that took the place of the one on the page: the
// user has not seen it. A form that does not say which one it means is not refused.
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

// undoFields is what another instance needs to bring a deleted entry back.
func undoFields(e notifier.Entry) []views.Hidden {
	fields := []views.Hidden{{Name: "key", Value: kept(e.Key)}}
	if e.NoticeID > 0 {
		fields = append(fields, views.Hidden{Name: "id", Value: strconv.FormatInt(e.NoticeID, 10)},
			views.Hidden{Name: "at", Value: strconv.FormatInt(e.At, 10)})
		if e.Read {
			fields = append(fields, views.Hidden{Name: "read", Value: "1"})
		}
	}
	return fields
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
		if e, err = h.entryOf(r.Context(), seqOf(r), values); err != nil {
			return err
		}
	} else if e, err = h.edited(r.Context(), seqOf(r), e); err != nil {
		return err
	}
	badge, err := h.Inbox.Restore(r.Context(), seqOf(r), e)
	if err != nil && !errors.Is(err, notifier.ErrConflict) {
		return fmt.Errorf("restore an entry: %w", err)
	}
	if fragment(r) && err == nil {
		return h.rowPart(w, r, e.Key, values.Get("back"), badge, &views.Done{Text: h.text(r).T("done.restored")})
	}
	redirect(w, backTo(values.Get("back"), url.Values{"done": {"restored"}}))
	return nil
}

// edited is a deleted entry as its notice is by now: it may have been edited since.
func (h *Handlers) edited(ctx context.Context, seq int64, e notifier.Entry) (notifier.Entry, error) {
	p, err := h.Sender.Progress(ctx, e.NoticeID)
	switch {
	case errors.Is(err, notifier.ErrNotFound): // nobody edits it
	case err != nil:
		return notifier.Entry{}, fmt.Errorf("look up a deleted notice: %w", err)
	case p.Revision > e.Revision && p.Key() == e.Key:
		e.Content = p.ContentFor(seq)
	}
	return e, nil
}

// entryOf makes the entry again that another instance deleted. Its content is
// the notice's; the inbox restores only what it knows to have left it.
func (h *Handlers) entryOf(ctx context.Context, seq int64, values url.Values) (notifier.Entry, error) {
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
		Read: values.Get("read") == "1", Content: p.ContentFor(seq),
	}, nil
}

// inboxDone says what the action before this page did, with Undo where that is
// possible.
func (h *Handlers) inboxDone(r *http.Request, text *locale.Printer) *views.Done {
	values := r.URL.Query()
	code := values.Get("done")
	id, ok := doneTexts[code]
	if !ok {
		return nil
	}
	switch key := values.Get("key"); {
	case code == "read-all":
		turned, _ := h.turned.find(seqOf(r), "", h.Now())
		return allRead(text.T(id), turned)
	case code == "deleted" && key != "":
		undo := &views.Undo{Action: "/inbox/restore", Fields: []views.Hidden{{Name: "key", Value: kept(key)}}}
		for _, name := range []string{"id", "at", "read"} {
			if v := number(values.Get(name)); v > 0 {
				undo.Fields = append(undo.Fields, views.Hidden{Name: name, Value: strconv.FormatInt(v, 10)})
			}
		}
		return &views.Done{Text: text.T(id), Undo: undo}
	default:
		return &views.Done{Text: text.T(id)}
	}
}
