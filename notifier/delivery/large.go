package delivery

import (
	"context"
	"fmt"
)

// rangeAll passes larger pieces of work to Range, one at a time.
func (s *shift) rangeAll(ctx context.Context) {
	for ctx.Err() == nil {
		select {
		case j, ok := <-s.large:
			if !ok {
				return
			}
			select {
			case s.room <- struct{}{}:
			default: // the reader has already been woken
			}
			s.do(ctx, j)
		case <-ctx.Done():
		}
	}
}

func (s *shift) do(ctx context.Context, j job) {
	if j.unfit != nil {
		s.bury(j.Entry, j.raw, j.unfit)
		return
	}
	var next []Entry
	err := s.safely(func() (err error) {
		next, err = s.c.Handler.Range(s.work, j.Entry)
		return err
	})
	switch {
	case err == nil:
		s.replace(j.Entry, next)
	case isAway(err):
		s.release([]Entry{j.Entry}, 0)
		pause(ctx, s.c.Idle)
	default:
		s.fail(j.Entry, err)
	}
}

// replace puts next in the place of e. If another instance finished e in the meantime, it has
// already added the follow-up entries, and nothing changes.
func (s *shift) replace(e Entry, next []Entry) {
	args := []any{Group, e.ID}
	for _, n := range next {
		fields := encode(n)
		args = append(args, len(fields))
		for _, f := range fields {
			args = append(args, f)
		}
	}
	n, err := replaceEntry.Run(s.work, s.c.Redis, []string{s.stream}, args...).Int64()
	s.inFlight.settle(e.ID)
	switch {
	case err != nil:
		s.c.Log.DebugContext(s.work, "entry stays in the stream and will be handled again", "stage", "intake", "kind", e.Kind, "notice_id", e.NoticeID, "err", err)
	case n > 0:
		s.done.Add(1)
	}
}

// fail counts a failed try. The last one buries the entry; before that it stays in the stream and
// is reclaimed like one whose handler died. An entry that is not there yet goes there.
func (s *shift) fail(e Entry, why error) {
	s.failed.Add(1)
	if e.ID == "" {
		s.enqueue(e) // if there is no room, it is left to the relay
		return
	}
	if e.Tries+1 >= s.c.Tries {
		s.bury(e, nil, why)
		return
	}
	s.c.Log.DebugContext(s.work, "entry failed", "stage", "intake", "kind", e.Kind, "notice_id", e.NoticeID, "tries", e.Tries+1, "err", why)
	s.inFlight.settle(e.ID)
}

// bury stores an entry as a dead letter. If that fails, the entry stays and is buried at the next
// try.
func (s *shift) bury(e Entry, raw map[string]any, why error) {
	err := s.safely(func() error { return s.c.Handler.Bury(s.work, e, raw, why) })
	if err != nil {
		s.c.Log.WarnContext(s.work, "dead letter not stored", "stage", "intake", "kind", e.Kind, "notice_id", e.NoticeID, "err", fmt.Errorf("%w, after %w", err, why))
		s.release([]Entry{e}, 0)
		return
	}
	s.c.Log.ErrorContext(s.work, "entry stored as a dead letter", "stage", "intake", "kind", e.Kind, "notice_id", e.NoticeID, "tries", e.Tries+1, "err", why)
	s.buried.Add(1)
	s.acknowledge([]Entry{e})
}
