package delivery

import (
	"context"
	"errors"
	"fmt"
	"time"

	"github.com/carillonhq/carillon/notifier"
)

// rangeAll processes jobs that are not whole, one range at a time, until ctx ends. After each range a job
// queues behind the others.
func (w *Worker) rangeAll(ctx, work context.Context) {
	for ctx.Err() == nil {
		select {
		case j := <-w.ranges:
			w.madeRoom()
			for w.do(ctx, work, j) && ctx.Err() == nil {
				select {
				case w.ranges <- j:
				default:
					continue // no room: continue with this job
				}
				break
			}
		case <-ctx.Done():
		}
	}
}

// do processes one range of a job and reports whether more follows.
func (w *Worker) do(ctx, work context.Context, j *job) (more bool) {
	err := w.safely(work, func() (err error) {
		more, err = w.step(work, j)
		return err
	})
	switch {
	case err == nil && more:
		j.Tries = 0
		return true
	case err == nil:
		w.hand.drop(j)
		w.done.Add(1)
	case isAway(err):
		w.giveBack(work, j)
		pause(ctx, w.c.Idle)
	default:
		w.fail(work, j, err)
	}
	return false
}

// step processes up to Config.Chunk recipients after j.From, and advances j.From. It reads the notice's
// state before and after: a job whose notice has been moved or edited stops, because that change made
// a new job due.
func (w *Worker) step(ctx context.Context, j *job) (more bool, err error) {
	if j.Kind == notifier.WorkResend {
		return w.resend(ctx, j)
	}
	ctx, end := w.trace(ctx, j)
	defer end()
	n, err := w.c.Store.Notice(ctx, j.NoticeID)
	switch {
	case errors.Is(err, notifier.ErrNotFound):
		return false, w.finishRow(ctx, j)
	case err != nil:
		return false, fmt.Errorf("read notice %d: %w", j.NoticeID, err)
	case !due(&n, j):
		return false, w.finishRow(ctx, j)
	}
	s, err := w.stretch(ctx, &n, j)
	if err != nil {
		return false, err
	}
	return w.serve(ctx, &n, j, s)
}

// due reports whether a job has work to do, given the state of its notice. A job from before an edit
// has none: the edit made a new job due that starts at the first recipient. But a row of work
// continues in any revision.
func due(n *notifier.Notice, j *job) bool {
	if n.State.TakenBack() != (j.Kind == notifier.WorkRetract) {
		return false
	}
	if j.ID > 0 {
		return !finished(n.State) || j.Again || j.To > 0
	}
	return !finished(n.State) && (j.revision == n.Revision || j.Kind == notifier.WorkRetract)
}

// stretch contains the recipients that one step processes.
type stretch struct {
	seqs []int64
	last bool // no recipients follow
}

func (w *Worker) stretch(ctx context.Context, n *notifier.Notice, j *job) (stretch, error) {
	to, err := w.recipients(ctx, n)
	if err != nil {
		return stretch{}, err
	}
	if expired(n, w.c.Now()) {
		return stretch{last: true}, nil
	}
	seqs := after(to, j.From, j.To, w.c.Chunk)
	end := len(seqs) < w.c.Chunk || j.To > 0 && seqs[len(seqs)-1] >= j.To || seqs[len(seqs)-1] >= int64(to.Maximum())
	return stretch{seqs, end}, nil
}

// serve processes one range and stores the progress.
func (w *Worker) serve(ctx context.Context, n *notifier.Notice, j *job, s stretch) (more bool, err error) {
	if n.State == notifier.StateAccepted && !s.last && n.Revision == 0 {
		// A single range needs no cursor, and therefore no sending state. A notice that was edited before
		// all recipients had it stays accepted: see wasSent.
		if _, err := w.c.Store.Move(ctx, n.ID, n.Revision, notifier.StateAccepted, notifier.StateSending); err != nil {
			return false, fmt.Errorf("begin to send notice %d: %w", n.ID, err)
		}
	}
	refused := w.touch(ctx, n, j, s)
	if refused != nil && (j.To > 0 || errors.Is(refused, notifier.ErrUnavailable) || ctx.Err() != nil) {
		return false, refused
	}
	now, err := w.c.Store.Notice(ctx, n.ID)
	switch {
	case errors.Is(err, notifier.ErrNotFound):
		return false, w.finishRow(ctx, j)
	case err != nil:
		return false, fmt.Errorf("read notice %d again: %w", n.ID, err)
	case !due(&now, j):
		return false, w.finishRow(ctx, j)
	case now.Revision != n.Revision && j.Kind != notifier.WorkRetract:
		return true, nil // repeat the range with the new text
	}
	if refused != nil {
		// One inbox must not delay the others: its range becomes a separate row.
		w.c.Log.WarnContext(ctx, "range not finished; retrying", "stage", "intake", "notice_id", n.ID, "err", refused)
		rest := notifier.Work{Kind: j.Kind, NoticeID: n.ID, From: j.From, To: s.seqs[len(s.seqs)-1], Again: j.Again, Had: j.Had, Trace: j.Trace}
		if err := w.c.Store.AddWork(ctx, rest); err != nil {
			return false, fmt.Errorf("keep a range of notice %d: %w", n.ID, err)
		}
		w.failed.Add(1)
	}
	if s.last {
		return false, w.finish(ctx, &now, j)
	}
	j.From = s.seqs[len(s.seqs)-1]
	return w.advance(ctx, &now, j)
}

// touch changes the inboxes of some recipients. If it delivers a later revision, an inbox may
// already have an earlier one.
func (w *Worker) touch(ctx context.Context, n *notifier.Notice, j *job, s stretch) error {
	if len(s.seqs) == 0 {
		return nil
	}
	if j.Kind == notifier.WorkRetract {
		return w.c.Inbox.Retract(ctx, n.ID, n.Key(), s.seqs)
	}
	all, err := n.Deliveries(s.seqs)
	if err != nil {
		return fmt.Errorf("encode notice %d: %w", n.ID, err)
	}
	var errs []error
	if j.Kind != notifier.WorkEdit {
		for i := range all {
			all[i].Again = j.Had
		}
		var arrived []notifier.Arrival
		arrived, errs = w.add(ctx, all)
		errs = w.raise(ctx, all, errs, func(int) int64 { return j.Tries })
		w.arrived(ctx, arrived)
	}
	if n.Revision > 0 {
		if err := w.outdate(ctx, j, s); err != nil {
			return err
		}
		errs = append(errs, w.c.Inbox.EditAll(ctx, all)...)
	}
	return errors.Join(append(errs, w.read(ctx, all)...)...)
}

// outdate prevents cold inboxes from being restored with the old text, which may have been read from
// SQL just before the edit. It runs once per job.
func (w *Worker) outdate(ctx context.Context, j *job, s stretch) error {
	switch {
	case j.To > 0 || j.From == 0 && s.last:
		return w.c.Inbox.Outdate(ctx, s.seqs)
	case j.From == 0:
		return w.c.Inbox.Outdate(ctx, nil)
	}
	return nil
}

// finish moves a notice whose recipients were all processed to its final state, unless its state has
// changed since: then the notice is due again.
func (w *Worker) finish(ctx context.Context, n *notifier.Notice, j *job) error {
	if j.ID > 0 {
		return w.finishRow(ctx, j)
	}
	to := notifier.StateSent
	if j.Kind == notifier.WorkRetract {
		to = notifier.StateRetracted
	}
	if err := w.c.Store.Finish(ctx, n.ID, n.Revision, n.State, to); err != nil {
		return fmt.Errorf("move notice %d from %s to %s: %w", n.ID, n.State, to, err)
	}
	w.awaited.notify(n.ID)
	return nil
}

// finishRow deletes the row of work of a completed or obsolete job, if it has one.
func (w *Worker) finishRow(ctx context.Context, j *job) error {
	if j.ID == 0 {
		return nil
	}
	if err := w.c.Store.FinishWork(ctx, w.owner, j.ID); err != nil {
		return fmt.Errorf("finish work on notice %d: %w", j.NoticeID, err)
	}
	return nil
}

// advance stores the progress of a job in SQL from time to time: for pages, and for the instance that
// continues if this one dies. It renews the claim. held is false if another job has the row of work.
func (w *Worker) advance(ctx context.Context, n *notifier.Notice, j *job) (held bool, err error) {
	switch now := time.Now(); {
	case j.advanced.IsZero():
		j.advanced = now
		return true, nil
	case now.Sub(j.advanced) < advanceEvery:
		return true, nil
	default:
		j.advanced = now
	}
	held = true
	if j.ID > 0 {
		held, err = w.c.Store.AdvanceWork(ctx, w.claimed(), j.ID, j.From)
	} else {
		err = w.c.Store.Advance(ctx, w.claimed(), n.ID, n.Revision, n.State, j.From)
	}
	if err != nil {
		return false, fmt.Errorf("move the cursor of notice %d to %d: %w", n.ID, j.From, err)
	}
	return held, nil
}

// expired reports whether there is nothing left to deliver. Expired notices are still retracted.
func expired(n *notifier.Notice, now time.Time) bool {
	return !n.State.TakenBack() && !n.ExpiresAt.IsZero() && !now.Before(n.ExpiresAt)
}
