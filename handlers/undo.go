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

// deleteEntry deletes an entry and passes the fields of Undo to the next page.
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

// restoreEntry undoes one of the latest deletions, on any instance. If a newer notice with the
// key has arrived meanwhile, there is nothing to undo.
func (h *Handlers) restoreEntry(w http.ResponseWriter, r *http.Request) error {
	values, err := form(r, "key", "id", "at", "back")
	if err != nil {
		return err
	}
	e, err := h.entryOf(r.Context(), seqOf(r), values)
	if err != nil {
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

// entryOf rebuilds a deleted entry. Its content is the notice's current one; the inbox restores
// only entries that it knows were deleted.
func (h *Handlers) entryOf(ctx context.Context, seq int64, values url.Values) (notifier.Entry, error) {
	id, at := number(values.Get("id")), number(values.Get("at"))
	if id == 0 || at == 0 || at > h.Now().Add(time.Minute).UnixMilli() {
		return notifier.Entry{}, notifier.ErrNotFound
	}
	n, err := h.Directory.Notice(ctx, id)
	if err != nil {
		return notifier.Entry{}, fmt.Errorf("look up a deleted notice: %w", err)
	}
	taken := n.State == notifier.StateRetracting || n.State == notifier.StateRetracted
	if taken || n.Announces() || n.Key() != values.Get("key") {
		return notifier.Entry{}, notifier.ErrNotFound
	}
	return notifier.Entry{Key: n.Key(), NoticeID: id, At: at, ExpiresAt: n.ExpiresAt, Content: n.ContentFor(seq)}, nil
}

// inboxDone is the message about the last action, with Undo if possible.
func (h *Handlers) inboxDone(r *http.Request, text *locale.Printer) *views.Done {
	values := r.URL.Query()
	code := values.Get("done")
	id, ok := doneTexts[code]
	if !ok {
		return nil
	}
	switch key := values.Get("key"); {
	case code == "read-all":
		keys, _ := h.turned.find(seqOf(r), "", h.Now())
		ids, _ := h.turned.find(seqOf(r), announcementsTurned, h.Now())
		return allRead(text.T(id), keys, ids)
	case code == "deleted" && key != "":
		undo := &views.Undo{Action: "/inbox/restore", Fields: []views.Hidden{{Name: "key", Value: kept(key)}}}
		for _, name := range []string{"id", "at"} {
			if v := number(values.Get(name)); v > 0 {
				undo.Fields = append(undo.Fields, views.Hidden{Name: name, Value: strconv.FormatInt(v, 10)})
			}
		}
		return &views.Done{Text: text.T(id), Undo: undo}
	case code == "archived" && key != "":
		fields := []views.Hidden{{Name: "key", Value: kept(key)}}
		if values.Get("unread") == "1" {
			fields = append(fields, views.Hidden{Name: "unread", Value: "1"})
		}
		return &views.Done{Text: text.T(id), Undo: &views.Undo{Action: "/inbox/unarchive", Fields: fields}}
	default:
		return &views.Done{Text: text.T(id)}
	}
}
