package notices_test

import (
	"context"
	"log/slog"
	"sync"
)

// lines counts log messages of level Info and above.
type lines struct {
	slog.Handler
	mu   sync.Mutex
	seen map[string]int
}

// newLog returns a logger, and a function that returns how often a message was logged.
func newLog() (log *slog.Logger, seen func(message string) int) {
	l := &lines{Handler: slog.DiscardHandler, seen: map[string]int{}}
	return slog.New(l), func(message string) int {
		l.mu.Lock()
		defer l.mu.Unlock()
		return l.seen[message]
	}
}

func (l *lines) Enabled(_ context.Context, level slog.Level) bool { return level >= slog.LevelInfo }

func (l *lines) Handle(_ context.Context, r slog.Record) error {
	l.mu.Lock()
	defer l.mu.Unlock()
	l.seen[r.Message]++
	return nil
}
