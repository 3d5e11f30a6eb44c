package pipeline

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"strconv"

	"github.com/carillonhq/carillon/notifier"
	"github.com/carillonhq/carillon/notifier/intake"
)

// deadEntry is what a dead letter keeps of an entry: all that sending it again
// needs.
type deadEntry struct {
	Notice  int64          `json:"notice,omitempty"`
	From    int64          `json:"from,omitempty"`
	To      int64          `json:"to,omitempty"`
	Again   bool           `json:"again,omitempty"`
	Had     bool           `json:"had,omitempty"`
	Retract bool           `json:"retract,omitempty"`
	Raw     map[string]any `json:"raw,omitempty"` // of one that could not be read
}

// Bury puts an entry aside in SQL. Its notice is done but for that: it comes to its
// end, and does not go through the intake for ever.
func (h handler) Bury(ctx context.Context, e intake.Entry, raw map[string]any, why error) error {
	dead := deadEntry{Notice: e.NoticeID, From: e.From, To: e.To, Again: e.Again, Had: e.Had, Retract: e.Retract}
	if raw != nil {
		dead = deadEntry{Notice: rawNotice(raw), Raw: raw}
	}
	text, err := json.Marshal(dead)
	if err != nil {
		return fmt.Errorf("write down entry %s: %w", e.ID, err)
	}
	letter := notifier.DeadLetter{
		NoticeID: dead.Notice, Entry: string(text), Reason: why.Error(), Tries: e.Tries, CreatedAt: h.p.c.Now().UTC(),
	}
	if err := h.p.c.Store.Bury(ctx, letter); err != nil {
		return fmt.Errorf("bury entry %s: %w", e.ID, err)
	}
	if raw != nil || e.NoticeID == 0 || e.To > 0 {
		return nil
	}
	return h.p.giveUp(ctx, e)
}

// giveUp brings the notice of an entry to the end at which it would have come.
// It does not read the notice: that may be what failed. One that was edited meanwhile
// is somebody else's.
func (p *Pipeline) giveUp(ctx context.Context, e intake.Entry) error {
	from, to := []notifier.State{notifier.StateAccepted, notifier.StateSending}, notifier.StateSent
	if e.Retract {
		from, to = []notifier.State{notifier.StateRetracting}, notifier.StateRetracted
	}
	for _, state := range from {
		if _, err := p.c.Store.Move(ctx, e.NoticeID, e.Revision, state, to); err != nil {
			return fmt.Errorf("give notice %d up: %w", e.NoticeID, err)
		}
	}
	p.waiting.tell(e.NoticeID)
	return nil
}

// rawNotice is the notice that an entry names which could not be read, or 0.
func rawNotice(raw map[string]any) int64 {
	text, _ := raw["notice"].(string)
	id, err := strconv.ParseInt(text, 10, 64)
	if err != nil || id < 0 {
		return 0
	}
	return id
}

// DeadLetters lists what was put aside, the latest first; before goes on where a
// page ended, 0 begins.
func (p *Pipeline) DeadLetters(ctx context.Context, before int64, limit int) ([]notifier.DeadLetter, error) {
	return p.c.Store.DeadLetters(ctx, before, limit)
}

// CountDeadLetters says how many there are.
func (p *Pipeline) CountDeadLetters(ctx context.Context) (int64, error) {
	return p.c.Store.CountDeadLetters(ctx)
}

// Replay puts a dead letter into the intake again and forgets it; should it fail
// again it comes back as another. An unknown id is notifier.ErrNotFound; one that
// nobody could read and that names no notice is notifier.ErrConflict.
func (p *Pipeline) Replay(ctx context.Context, id int64) error {
	letter, err := p.c.Store.DeadLetter(ctx, id)
	if err != nil {
		return fmt.Errorf("replay dead letter %d: %w", id, err)
	}
	e, err := replayed(letter)
	if err == nil {
		err = p.intake.Put(ctx, e)
	}
	if err == nil {
		err = p.c.Store.TakeDeadLetter(ctx, id)
	}
	if err != nil {
		return fmt.Errorf("replay dead letter %d: %w", id, err)
	}
	return nil
}

// replayed is what a dead letter asks for. Of an entry that nobody could read it is
// all of the notice that it names.
func replayed(letter notifier.DeadLetter) (intake.Entry, error) {
	var dead deadEntry
	if err := json.Unmarshal([]byte(letter.Entry), &dead); err != nil {
		return intake.Entry{}, errors.Join(notifier.ErrConflict, err)
	}
	if dead.Raw != nil {
		dead = deadEntry{Notice: letter.NoticeID}
	}
	e := intake.Entry{NoticeID: dead.Notice, From: dead.From, To: dead.To, Again: true, Had: dead.Had, Retract: dead.Retract}
	if e.NoticeID == 0 && e.To == 0 {
		return intake.Entry{}, notifier.ErrConflict
	}
	return e, nil
}

// Discard forgets a dead letter. An unknown id is notifier.ErrNotFound.
func (p *Pipeline) Discard(ctx context.Context, id int64) error {
	ok, err := p.c.Store.DeleteDeadLetter(ctx, id)
	if err == nil && !ok {
		err = notifier.ErrNotFound
	}
	if err != nil {
		return fmt.Errorf("discard dead letter %d: %w", id, err)
	}
	return nil
}
