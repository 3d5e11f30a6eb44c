package intake

import (
	"context"
	"errors"
	"fmt"
	"runtime/debug"

	"github.com/carillonhq/carillon/notifier"
)

var errAnswers = errors.New("the handler did not answer for each entry")

// deliverAll gives small notices to Deliver, batch by batch in their order.
func (s *shift) deliverAll(ctx context.Context) {
	defer close(s.served)
	for batch := range s.small {
		errs := s.deliver(batch)
		if errs == nil {
			s.served <- batch
			continue
		}
		served := make([]Entry, 0, len(batch))
		var absent []Entry
		for i, e := range batch {
			switch {
			case errs[i] == nil:
				served = append(served, e)
			case isAway(errs[i]):
				absent = append(absent, e)
			default:
				s.fail(e, errs[i])
			}
		}
		if len(served) > 0 {
			s.served <- served
		}
		if len(absent) > 0 {
			s.untry(absent, 0)
		}
		if len(absent) == len(batch) {
			pause(ctx, s.c.Idle) // the next one would meet the same
		}
	}
}

// deliver calls the handler. When it panics or answers nonsense, each entry is tried on
// its own, so that one does not speak for the others.
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

// confirmAll gives what was delivered to Confirm, beside the next Deliver.
func (s *shift) confirmAll(ctx context.Context) {
	for batch := range s.served {
		s.confirm(ctx, batch)
	}
}

// confirm tries each entry on its own when the whole batch is refused.
func (s *shift) confirm(ctx context.Context, batch []Entry) {
	err := s.safely(func() error { return s.c.Handler.Confirm(s.work, batch) })
	switch {
	case err == nil:
		s.acks <- batch
	case isAway(err):
		s.untry(batch, 0)
		pause(ctx, s.c.Idle)
	case len(batch) == 1:
		s.fail(batch[0], err)
	default:
		for i := range batch {
			s.confirm(ctx, batch[i:i+1])
		}
	}
}

// safely makes an error of a panic.
func (s *shift) safely(call func() error) (err error) {
	defer func() {
		if r := recover(); r != nil {
			s.c.Log.ErrorContext(s.work, "handler panicked", "stage", "intake", "err", r, "stack", string(debug.Stack()))
			err = fmt.Errorf("panic: %v", r)
		}
	}()
	return call()
}

// isAway says that an error is no fault of the entry: something was away, or Run's grace is over.
func isAway(err error) bool {
	return errors.Is(err, notifier.ErrUnavailable) || errors.Is(err, context.Canceled)
}
