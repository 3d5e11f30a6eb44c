package outbox

import (
	"context"
	"errors"
	"log/slog"
	"time"

	"github.com/carillonhq/carillon/notifier"
)

// reader reads one outbox.
type reader struct {
	o      *Outboxes
	box    Box
	sender notifier.Ref
	log    *slog.Logger
	said   string // the state that was logged last
}

// waitError is the reason for which Carillon accepts nothing now. The rows stay as they are.
type waitError struct{ error }

func (e waitError) Unwrap() error { return e.error }

func (r *reader) run(ctx context.Context) {
	for ctx.Err() == nil {
		err := r.session(ctx)
		if ctx.Err() != nil {
			break
		}
		r.o.count(r.box.Name, func(s *Stats) { s.Reading, s.Away = false, true })
		why := shorten(err.Error())
		r.say("away: "+why, func() { r.log.WarnContext(ctx, "outbox cannot be read", "err", why) })
		pause(ctx, r.o.c.Every)
	}
	r.o.count(r.box.Name, func(s *Stats) { s.Reading = false })
}

// session reads the outbox over one connection, until ctx or the connection ends. A lost connection loses the lock, too: so
// everything that it protects is done on that connection.
func (r *reader) session(ctx context.Context) (err error) {
	l, err := open(ctx, r.box)
	if err != nil {
		return err
	}
	defer l.close()
	if err := l.check(ctx); err != nil {
		return err
	}
	for mine := false; !mine; {
		if mine, err = l.lock(ctx); err != nil {
			return err
		}
		r.o.count(r.box.Name, func(s *Stats) { s.Reading, s.Away = mine, false })
		if !mine {
			r.say("another", func() { r.log.InfoContext(ctx, "outbox is read by another instance") })
			pause(ctx, r.o.c.Every)
		}
	}
	reads := func() { r.log.InfoContext(ctx, "outbox is read", "listening", l.listens, "pooler", l.pooled) }
	r.say("reads", reads)
	for ctx.Err() == nil {
		more, err := r.round(ctx, l)
		var wait waitError
		switch {
		case ctx.Err() != nil:
			return nil
		case errors.As(err, &wait):
			r.o.count(r.box.Name, func(s *Stats) { s.Waiting = true })
			why := shorten(err.Error())
			r.say("rows wait: "+why, func() { r.log.WarnContext(ctx, "rows of an outbox wait", "err", why) })
			pause(ctx, r.o.c.Every)
			continue
		case err != nil:
			return err
		}
		r.o.count(r.box.Name, func(s *Stats) { s.Waiting = false })
		r.say("reads", reads)
		if !more {
			if err := l.await(ctx, r.o.c.Every); err != nil {
				return err
			}
		}
	}
	return nil
}

// say logs a state of the outbox, unless it is the last one that was logged.
func (r *reader) say(state string, log func()) {
	if state != r.said {
		r.said = state
		log()
	}
}

// pause waits for a time, or for the end of ctx.
func pause(ctx context.Context, d time.Duration) {
	t := time.NewTimer(d)
	defer t.Stop()
	select {
	case <-t.C:
	case <-ctx.Done():
	}
}

func shorten(text string) string { return notifier.Shorten(text, maxError) }
