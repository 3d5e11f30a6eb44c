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
		r.say(ctx, slog.LevelWarn, "outbox cannot be read", "err", shorten(err.Error()))
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
			r.say(ctx, slog.LevelInfo, "outbox is read by another instance")
			pause(ctx, r.o.c.Every)
		}
	}
	r.say(ctx, slog.LevelInfo, "outbox is read", "listening", l.listens, "pooler", l.pooled)
	for ctx.Err() == nil {
		more, err := r.round(ctx, l)
		var wait waitError
		switch {
		case ctx.Err() != nil:
			return nil
		case errors.As(err, &wait):
			r.o.count(r.box.Name, func(s *Stats) { s.Waiting = true })
			r.say(ctx, slog.LevelWarn, "rows of an outbox wait", "err", shorten(err.Error()))
			pause(ctx, r.o.c.Every)
			continue
		case err != nil:
			return err
		}
		r.o.count(r.box.Name, func(s *Stats) { s.Waiting = false })
		r.say(ctx, slog.LevelInfo, "outbox is read", "listening", l.listens, "pooler", l.pooled)
		if !more {
			if err := l.await(ctx, r.o.c.Every); err != nil {
				return err
			}
		}
	}
	return nil
}

// say logs a state of the outbox, unless it is the last one that was logged.
func (r *reader) say(ctx context.Context, level slog.Level, state string, args ...any) {
	said := state
	for i := 0; i+1 < len(args); i += 2 {
		if text, ok := args[i+1].(string); ok {
			said += "\n" + text
		}
	}
	if said != r.said {
		r.said = said
		r.log.Log(ctx, level, state, args...)
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
