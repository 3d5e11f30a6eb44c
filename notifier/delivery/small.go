package delivery

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"runtime/debug"
	"slices"
	"time"

	"github.com/carillonhq/carillon/notifier"
)

// deliverAll delivers small notices in batches, in order, until ctx has ended and none waits.
func (w *Worker) deliverAll(ctx, work context.Context) {
	defer close(w.served)
	for {
		batch := w.nextBatch(ctx)
		if batch == nil {
			return
		}
		errs := w.deliver(work, batch)
		served := make([]*job, 0, len(batch))
		var away []*job
		for i, j := range batch {
			switch {
			case errs[i] == nil:
				served = append(served, j)
			case isAway(errs[i]):
				away = append(away, j)
			default:
				w.fail(work, j, errs[i])
			}
		}
		if len(served) > 0 {
			w.served <- served
		}
		w.giveBack(work, away...)
		if len(away) == len(batch) {
			pause(ctx, w.c.Idle) // the next batch would fail the same way
		}
	}
}

// nextBatch returns the next small notices, or nil at the end.
func (w *Worker) nextBatch(ctx context.Context) []*job {
	var batch []*job
	select {
	case first := <-w.small:
		batch = append(batch, first)
	case <-ctx.Done():
		w.running.Store(false)
	}
	for len(batch) < maxBatch {
		select {
		case j := <-w.small:
			batch = append(batch, j)
			continue
		default:
		}
		break
	}
	w.madeRoom()
	return batch
}

// madeRoom wakes the claimer if it waits for room.
func (w *Worker) madeRoom() {
	if w.waiting.CompareAndSwap(true, false) {
		w.Wake()
	}
}

// deliver adds small notices to inboxes, and raises their toasts. It does not read their state from
// SQL: inboxes reject a notice that has been retracted since, and Confirm detects an edit, so that no
// row keeps an old revision. If it panics, each notice is retried alone, so that one bad notice does
// not fail the others.
func (w *Worker) deliver(ctx context.Context, batch []*job) (errs []error) {
	var arrived []notifier.Arrival
	panicked := w.safely(ctx, func() error {
		ctx, end := w.trace(ctx, batch...)
		defer end()
		all := make([]notifier.Delivery, len(batch))
		for i, j := range batch {
			all[i] = *j.whole
			all[i].Again = j.Had
		}
		arrived, errs = w.add(ctx, all)
		errs = w.raise(ctx, all, errs, func(i int) int64 { return batch[i].Tries })
		for i, err := range w.read(ctx, all) {
			errs[i] = cmp.Or(errs[i], err)
		}
		return nil
	})
	switch {
	case panicked == nil:
		w.written(batch, errs)
		if i := slices.Index(errs, nil); i >= 0 {
			batch[i].arrived = arrived
		}
		return errs
	case len(batch) == 1:
		return []error{panicked}
	}
	errs = make([]error, 0, len(batch))
	for i := range batch {
		errs = append(errs, w.deliver(ctx, batch[i:i+1])...)
	}
	return errs
}

// Each call of Confirm is a transaction, and SQLite has one writer, which accepting also needs. So
// calls are confirmEvery apart, unless many notices wait; a single notice is confirmed immediately.
const (
	confirmEvery = 50 * time.Millisecond
	confirmMost  = 1000
)

// confirmAll marks delivered notices as sent, concurrently with the next delivery.
func (w *Worker) confirmAll(ctx, work context.Context) {
	var last time.Time
	for batch := range w.served {
		batch = w.gather(batch, confirmEvery-time.Since(last))
		last = time.Now()
		w.confirm(ctx, work, batch)
	}
}

// gather adds notices delivered within the given time to batch.
func (w *Worker) gather(batch []*job, within time.Duration) []*job {
	if within <= 0 {
		return batch
	}
	t := time.NewTimer(within)
	defer t.Stop()
	batch = slices.Clip(batch)
	for len(batch) < confirmMost {
		select {
		case more, open := <-w.served:
			if !open {
				return batch
			}
			batch = append(batch, more...)
		case <-t.C:
			return batch
		}
	}
	return batch
}

// confirm marks notices as sent in SQL. While SQL is unavailable, it retries until ctx ends: notices
// that are not confirmed are delivered again, which changes nothing. If SQL rejects a batch, each
// notice is retried alone.
func (w *Worker) confirm(ctx, work context.Context, batch []*job) {
	for {
		err := w.safely(work, func() error { return w.confirmOnce(work, batch) })
		switch {
		case err == nil:
			w.hand.drop(batch...)
			w.done.Add(int64(len(batch)))
		case isAway(err) && ctx.Err() == nil:
			pause(ctx, w.c.Idle)
			continue
		case isAway(err):
			w.hand.drop(batch...)
		case len(batch) == 1:
			w.fail(work, batch[0], err)
		default:
			for i := range batch {
				w.confirm(ctx, work, batch[i:i+1])
			}
		}
		return
	}
}

// confirmOnce marks notices as sent. A notice that has another revision now is delivered again, unless it was
// retracted, because inboxes have just received the old text, possibly after the edit.
func (w *Worker) confirmOnce(ctx context.Context, batch []*job) error {
	var arrived []notifier.Arrival
	for _, j := range batch {
		arrived, j.arrived = append(arrived, j.arrived...), nil
	}
	w.arrived(ctx, arrived)
	done := make([]notifier.Revised, len(batch))
	for i, j := range batch {
		done[i] = notifier.Revised{ID: j.NoticeID, Revision: j.revision}
	}
	moved, err := w.c.Store.Confirm(ctx, done)
	if err != nil {
		return fmt.Errorf("confirm %d notices: %w", len(batch), err)
	}
	var anew []notifier.Work
	for _, id := range moved {
		n, err := w.c.Store.Notice(ctx, id)
		if err != nil && !errors.Is(err, notifier.ErrNotFound) {
			return fmt.Errorf("read notice %d, which has changed: %w", id, err)
		}
		if err == nil && !n.State.TakenBack() && n.Revision > 0 {
			anew = append(anew, notifier.Work{Kind: notifier.WorkDeliver, NoticeID: id, To: lastOf(batch, id)})
		}
	}
	if err := w.c.Store.AddWork(ctx, anew...); err != nil {
		return fmt.Errorf("deliver %d edited notices again: %w", len(anew), err)
	}
	if len(anew) > 0 {
		w.Wake()
	}
	for _, j := range batch {
		w.awaited.notify(j.NoticeID)
	}
	return nil
}

// lastOf returns the last recipient of a notice among these.
func lastOf(batch []*job, id int64) (last int64) {
	for _, j := range batch {
		if j.NoticeID == id {
			last = max(last, slices.Max(j.whole.Seqs))
		}
	}
	return last
}

// safely turns a panic into an error.
func (w *Worker) safely(ctx context.Context, call func() error) (err error) {
	defer func() {
		if r := recover(); r != nil {
			w.c.Log.ErrorContext(ctx, "delivery panicked", "stage", "intake", "err", r, "stack", string(debug.Stack()))
			err = fmt.Errorf("panic: %v", r)
		}
	}()
	return call()
}
