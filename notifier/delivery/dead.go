package delivery

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"time"

	"github.com/carillonhq/carillon/notifier"
)

// deadEntry is the work described by a dead letter.
type deadEntry struct {
	Notice  int64 `json:"notice,omitempty"`
	From    int64 `json:"from,omitempty"`
	To      int64 `json:"to,omitempty"` // without a notice: resend notices accepted since then, in ms
	Again   bool  `json:"again,omitempty"`
	Had     bool  `json:"had,omitempty"`
	Retract bool  `json:"retract,omitempty"`

	Raw map[string]any `json:"raw,omitempty"` // fields that an earlier version could not parse
}

// deadEntryOf returns the form of work stored in a dead letter.
func deadEntryOf(w *notifier.Work) deadEntry {
	d := deadEntry{Notice: w.NoticeID, From: w.From, To: w.To, Again: w.Again, Had: w.Had}
	switch w.Kind {
	case notifier.WorkDeliver:
	case notifier.WorkEdit:
		d.Had = true
	case notifier.WorkRetract:
		d.Retract = true
	case notifier.WorkResend:
		d.To, d.Again = w.Since.UnixMilli(), true
	}
	return d
}

// work returns the work that repeats the failed work.
func (d *deadEntry) work() (notifier.Work, error) {
	w := notifier.Work{Kind: notifier.WorkDeliver, NoticeID: d.Notice, From: d.From, To: d.To, Again: true, Had: d.Had}
	switch {
	case d.Retract:
		w.Kind, w.Had = notifier.WorkRetract, false
	case d.Notice == 0 && d.To == 0:
		return w, notifier.ErrConflict
	case d.Notice == 0:
		w = notifier.Work{Kind: notifier.WorkResend, From: d.From, Since: time.UnixMilli(d.To)}
	}
	return w, nil
}

// fail releases the claim on failed work, so that it is retried soon. After maxTries failures it
// buries the work.
func (w *Worker) fail(ctx context.Context, j *job, why error) {
	w.failed.Add(1)
	if j.Tries+1 >= maxTries {
		w.bury(ctx, j, why)
		return
	}
	w.hand.drop(j)
	w.c.Log.DebugContext(ctx, "work failed", "stage", "intake", "kind", j.Kind, "notice_id", j.NoticeID, "tries", j.Tries+1, "err", why)
	if err := w.c.Store.Retry(ctx, w.owner, j.Work, w.c.Now().Add(w.c.Idle), why.Error()); err != nil {
		w.c.Log.DebugContext(ctx, "work is due when its claim expires", "stage", "intake", "notice_id", j.NoticeID, "err", err)
	}
}

// giveBack releases the claim on work that failed because Redis or SQL was unavailable. The work is
// due immediately, for any instance.
func (w *Worker) giveBack(ctx context.Context, jobs ...*job) {
	var notices, work []int64
	for _, j := range jobs {
		if j.ID > 0 {
			work = append(work, j.ID)
			continue
		}
		notices = append(notices, j.NoticeID)
		if j.whole != nil {
			w.leave(j.NoticeID)
		}
	}
	w.hand.drop(jobs...)
	if err := w.c.Store.GiveBack(ctx, w.owner, notices, work); err != nil {
		w.c.Log.DebugContext(ctx, "work is due when its claim expires", "stage", "intake", "notices", len(notices), "err", err)
	}
}

// bury stores work as a dead letter and finishes its notice, unless another job has the claim. If that fails, the work is due again when
// its claim expires.
func (w *Worker) bury(ctx context.Context, j *job, why error) {
	w.hand.drop(j)
	held := false
	err := w.safely(ctx, func() (err error) {
		held, err = w.buryOnce(ctx, j, why)
		return err
	})
	switch {
	case err != nil:
		w.c.Log.WarnContext(ctx, "dead letter not stored", "stage", "intake", "kind", j.Kind, "notice_id", j.NoticeID, "err", fmt.Errorf("%w, after %w", err, why))
	case held:
		w.c.Log.ErrorContext(ctx, "work stored as a dead letter", "stage", "intake", "kind", j.Kind, "notice_id", j.NoticeID, "tries", j.Tries+1, "err", why)
		w.buried.Add(1)
	}
}

func (w *Worker) buryOnce(ctx context.Context, j *job, why error) (held bool, err error) {
	text, err := json.Marshal(deadEntryOf(&j.Work))
	if err != nil {
		return false, fmt.Errorf("encode work on notice %d: %w", j.NoticeID, err)
	}
	letter := notifier.DeadLetter{NoticeID: j.NoticeID, Entry: string(text), Reason: why.Error(), Tries: j.Tries, CreatedAt: w.c.Now().UTC()}
	held, err = w.c.Store.Bury(ctx, w.owner, j.ID, letter)
	if err != nil {
		return false, fmt.Errorf("bury work on notice %d: %w", j.NoticeID, err)
	}
	if !held || j.ID > 0 {
		return held, nil
	}
	return true, w.giveUp(ctx, j)
}

// giveUp moves the notice of a job to its final state. It does not read the notice, because reading it
// may be the step that failed. It does not change a notice that was edited since: the edit made it
// due again.
func (w *Worker) giveUp(ctx context.Context, j *job) error {
	from, to := []notifier.State{notifier.StateAccepted, notifier.StateSending}, notifier.StateSent
	if j.Kind == notifier.WorkRetract {
		from, to = []notifier.State{notifier.StateRetracting}, notifier.StateRetracted
	}
	for _, state := range from {
		if _, err := w.c.Store.Move(ctx, j.NoticeID, j.revision, state, to); err != nil {
			return fmt.Errorf("give up notice %d: %w", j.NoticeID, err)
		}
	}
	w.awaited.notify(j.NoticeID)
	return nil
}

// Replay turns a dead letter back into work; if that fails again, it becomes a new dead letter. It
// returns notifier.ErrNotFound for an unknown id, and notifier.ErrConflict if the dead letter has no
// notice.
func (w *Worker) Replay(ctx context.Context, by notifier.Actor, id int64) error {
	letter, err := w.c.Store.DeadLetter(ctx, id)
	if err != nil {
		return fmt.Errorf("replay dead letter %d: %w", id, err)
	}
	again, err := replayed(&letter)
	if err == nil {
		err = w.c.Store.ReplayDeadLetter(ctx, by, id, again)
	}
	if err != nil {
		return fmt.Errorf("replay dead letter %d: %w", id, err)
	}
	w.Wake()
	return nil
}

// replayed returns the work described by a dead letter. If the entry could not be parsed, it is the
// delivery of the whole notice.
func replayed(letter *notifier.DeadLetter) (notifier.Work, error) {
	var dead deadEntry
	if err := json.Unmarshal([]byte(letter.Entry), &dead); err != nil {
		return notifier.Work{}, errors.Join(notifier.ErrConflict, err)
	}
	if dead.Raw != nil {
		dead = deadEntry{Notice: letter.NoticeID}
	}
	return dead.work()
}

// Discard deletes a dead letter. It returns notifier.ErrNotFound for an unknown id.
func (w *Worker) Discard(ctx context.Context, by notifier.Actor, id int64) error {
	if err := w.c.Store.DiscardDeadLetter(ctx, by, id); err != nil {
		return fmt.Errorf("discard dead letter %d: %w", id, err)
	}
	return nil
}
