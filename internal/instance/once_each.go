package instance

import (
	"context"
	"log/slog"
	"sync"
	"time"

	"github.com/carillonhq/carillon/internal/trouble"
)

// onceEach is a handler of logs that lets a cause pass once. While Redis or SQL is away every part of an instance fails, and
// the guard and readiness report it; what the parts log is for --log-level debug.
type onceEach struct {
	slog.Handler
	seen *seenCauses
}

type seenCauses struct {
	mu sync.Mutex
	at map[string]time.Time
}

// sameFor is how long the same cause is not repeated.
const sameFor = 10 * time.Minute

func newOnceEach(h slog.Handler) onceEach {
	return onceEach{h, &seenCauses{at: map[string]time.Time{}}}
}

// Handle lowers repetitions to debug.
func (o onceEach) Handle(ctx context.Context, rec slog.Record) error {
	if rec.Level < slog.LevelWarn {
		return o.Handler.Handle(ctx, rec)
	}
	var err error
	rec.Attrs(func(a slog.Attr) bool {
		if e, ok := a.Value.Any().(error); ok && a.Key == "err" {
			err = e
		}
		return err == nil
	})
	if !o.seen.repeats(err, time.Now()) {
		return o.Handler.Handle(ctx, rec)
	}
	rec.Level = slog.LevelDebug
	if !o.Enabled(ctx, slog.LevelDebug) {
		return nil
	}
	return o.Handler.Handle(ctx, rec)
}

func (s *seenCauses) repeats(err error, now time.Time) bool {
	source, why := trouble.Of(err)
	switch {
	case source == "" || source == trouble.SQL && why == (trouble.Trouble{}):
		return false
	case why.Kind != trouble.Changes && !why.Slow(): // answers of Redis without a known trouble are not marked
		return true // the guard or readiness reports it
	}
	key := string(source) + why.Found
	s.mu.Lock()
	defer s.mu.Unlock()
	for old, at := range s.at {
		if now.Sub(at) > sameFor {
			delete(s.at, old)
		}
	}
	if _, ok := s.at[key]; ok {
		return true
	}
	s.at[key] = now
	return false
}

// WithAttrs and WithGroup keep what was seen.
func (o onceEach) WithAttrs(attrs []slog.Attr) slog.Handler {
	return onceEach{o.Handler.WithAttrs(attrs), o.seen}
}

// WithGroup implements slog.Handler.
func (o onceEach) WithGroup(name string) slog.Handler {
	return onceEach{o.Handler.WithGroup(name), o.seen}
}
