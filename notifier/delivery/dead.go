package delivery

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"strconv"

	"github.com/carillonhq/carillon/notifier"
)

// deadEntry is the part of an entry that a dead letter keeps: everything needed to send it again.
type deadEntry struct {
	Fields
	Raw map[string]any `json:"raw,omitempty"` // fields of an unreadable entry
}

// Bury stores an entry in SQL as a dead letter. Its notice is then finished, so that it does not go
// through the intake for ever.
func (h handler) Bury(ctx context.Context, e Entry, raw map[string]any, why error) error {
	dead := deadEntry{Fields: e.Fields()}
	if raw != nil {
		dead = deadEntry{Fields: Fields{Notice: rawNotice(raw)}, Raw: raw}
	}
	text, err := json.Marshal(dead)
	if err != nil {
		return fmt.Errorf("encode entry %s: %w", e.ID, err)
	}
	letter := notifier.DeadLetter{
		NoticeID: dead.Notice, Entry: string(text), Reason: why.Error(), Tries: e.Tries, CreatedAt: h.w.c.Now().UTC(),
	}
	if err := h.w.c.Store.Bury(ctx, letter); err != nil {
		return fmt.Errorf("bury entry %s: %w", e.ID, err)
	}
	if raw != nil || e.Kind == Resend || e.To > 0 {
		return nil
	}
	return h.w.giveUp(ctx, e)
}

// giveUp moves the notice of an entry to its final state. It does not read the notice, because
// reading it may be the step that failed. A notice that was edited in the meantime is left alone:
// the edit has queued another entry.
func (w *Worker) giveUp(ctx context.Context, e Entry) error {
	from, to := []notifier.State{notifier.StateAccepted, notifier.StateSending}, notifier.StateSent
	if e.Kind == Retract {
		from, to = []notifier.State{notifier.StateRetracting}, notifier.StateRetracted
	}
	for _, state := range from {
		if _, err := w.c.Store.Move(ctx, e.NoticeID, e.Revision, state, to); err != nil {
			return fmt.Errorf("give up notice %d: %w", e.NoticeID, err)
		}
	}
	w.waiting.notify(e.NoticeID)
	return nil
}

// rawNotice returns the notice id in an unreadable entry, or 0.
func rawNotice(raw map[string]any) int64 {
	text, _ := raw["notice"].(string)
	id, err := strconv.ParseInt(text, 10, 64)
	if err != nil || id < 0 {
		return 0
	}
	return id
}

// Replay puts a dead letter into the intake again and deletes it; if it fails again, it becomes a
// new dead letter. It returns notifier.ErrNotFound for an unknown id, and notifier.ErrConflict if
// the entry was unreadable and names no notice.
func (w *Worker) Replay(ctx context.Context, id int64) error {
	letter, err := w.c.Store.DeadLetter(ctx, id)
	if err != nil {
		return fmt.Errorf("replay dead letter %d: %w", id, err)
	}
	e, err := replayed(letter)
	if err == nil {
		err = w.intake.Put(ctx, e)
	}
	if err == nil {
		err = w.c.Store.TakeDeadLetter(ctx, id)
	}
	if err != nil {
		return fmt.Errorf("replay dead letter %d: %w", id, err)
	}
	return nil
}

// replayed returns the entry that a dead letter asks for. For an unreadable entry it is the whole
// notice that it names.
func replayed(letter notifier.DeadLetter) (Entry, error) {
	var dead deadEntry
	if err := json.Unmarshal([]byte(letter.Entry), &dead); err != nil {
		return Entry{}, errors.Join(notifier.ErrConflict, err)
	}
	if dead.Raw != nil {
		dead.Fields = Fields{Notice: letter.NoticeID}
	}
	dead.Again = true
	e := dead.Entry(nil)
	if e.Kind == Resend && e.Since == 0 {
		return Entry{}, notifier.ErrConflict
	}
	return e, nil
}

// Discard deletes a dead letter. It returns notifier.ErrNotFound for an unknown id.
func (w *Worker) Discard(ctx context.Context, id int64) error {
	ok, err := w.c.Store.DeleteDeadLetter(ctx, id)
	if err == nil && !ok {
		err = notifier.ErrNotFound
	}
	if err != nil {
		return fmt.Errorf("discard dead letter %d: %w", id, err)
	}
	return nil
}
