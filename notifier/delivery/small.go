package delivery

import (
	"context"
	"errors"
	"fmt"
	"runtime/debug"
	"slices"
	"time"

	"github.com/carillonhq/carillon/notifier"
)

var errAnswers = errors.New("the handler did not return one error per entry")

// deliverAll passes small notices to Deliver, batch by batch in order, until the reader has ended and
// ctx has.
func (s *shift) deliverAll(ctx context.Context) {
	defer close(s.served)
	for {
		batch := s.nextBatch()
		if batch == nil {
			return
		}
		errs := s.deliver(batch)
		if errs == nil {
			s.served <- batch
			continue
		}
		served := make([]Entry, 0, len(batch))
		var unavailable []Entry
		for i, e := range batch {
			switch {
			case errs[i] == nil:
				served = append(served, e)
			case isAway(errs[i]):
				unavailable = append(unavailable, e)
			default:
				s.fail(e, errs[i])
			}
		}
		if len(served) > 0 {
			s.served <- served
		}
		if len(unavailable) > 0 {
			s.release(unavailable, 0)
		}
		if len(unavailable) == len(batch) {
			pause(ctx, s.c.Idle) // the next batch would fail the same way
		}
	}
}

// nextBatch returns the next small notices, or nil at the end.
func (s *shift) nextBatch() []Entry {
	select {
	case batch, open := <-s.small:
		if open {
			return s.afterDirect(batch)
		}
	case first := <-s.direct:
		return s.gatherDirect(s.c.Batch, first)
	}
	// The reader has ended, and so has ctx.
	s.running.Store(false)
	select {
	case first := <-s.direct:
		return s.gatherDirect(s.c.Batch, first)
	default:
		return nil
	}
}

// deliver calls the handler. If it panics or returns the wrong number of errors, each entry is
// tried on its own, so that one bad entry does not fail the others.
func (s *shift) deliver(batch []Entry) (errs []error) {
	err := s.safely(func() error {
		errs = s.c.Handler.Deliver(s.work, batch)
		if errs != nil && len(errs) != len(batch) {
			return errAnswers
		}
		return nil
	})
	if err == nil {
		return errs
	}
	if len(batch) == 1 {
		return []error{err}
	}
	errs = make([]error, len(batch))
	for i := range batch {
		if one := s.deliver(batch[i : i+1]); one != nil {
			errs[i] = one[0]
		}
	}
	return errs
}

// Each call of Confirm is a transaction, on SQLite of the one writer that accepting needs too. So
// calls are confirmEvery apart, unless many entries wait, and one entry alone is confirmed at once.
const (
	confirmEvery = 50 * time.Millisecond
	confirmMost  = 1000
)

// confirmAll passes delivered entries to Confirm, concurrently with the next Deliver.
func (s *shift) confirmAll(ctx context.Context) {
	var last time.Time
	for batch := range s.served {
		batch = s.gather(batch, confirmEvery-time.Since(last))
		last = time.Now()
		s.confirm(ctx, batch)
	}
}

// gather adds to batch what is delivered within the given time.
func (s *shift) gather(batch []Entry, within time.Duration) []Entry {
	if within <= 0 {
		return batch
	}
	t := time.NewTimer(within)
	defer t.Stop()
	batch = slices.Clip(batch)
	for len(batch) < confirmMost {
		select {
		case more, open := <-s.served:
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

// confirm tries each entry on its own if the whole batch is refused.
func (s *shift) confirm(ctx context.Context, batch []Entry) {
	err := s.safely(func() error { return s.c.Handler.Confirm(s.work, batch) })
	switch {
	case err == nil:
		s.acks <- batch
	case isAway(err):
		s.release(batch, 0)
		pause(ctx, s.c.Idle)
	case len(batch) == 1:
		s.fail(batch[0], err)
	default:
		for i := range batch {
			s.confirm(ctx, batch[i:i+1])
		}
	}
}

// safely turns a panic into an error.
func (s *shift) safely(call func() error) (err error) {
	defer func() {
		if r := recover(); r != nil {
			s.c.Log.ErrorContext(s.work, "handler panicked", "stage", "intake", "err", r, "stack", string(debug.Stack()))
			err = fmt.Errorf("panic: %v", r)
		}
	}()
	return call()
}

// isAway reports whether an error is not the entry's fault: Redis or SQL was unavailable, or Run's
// grace period is over.
func isAway(err error) bool {
	return errors.Is(err, notifier.ErrUnavailable) || errors.Is(err, context.Canceled)
}
