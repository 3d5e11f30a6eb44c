// Package testkit has the parts that the tests of many packages share.
package testkit

import (
	"context"
	"log/slog"
	"time"
)

// patience limits every wait for an event. No event takes nearly as long, even on a busy machine.
const patience = 3 * time.Minute

// TB is a test, a benchmark or a run of a rapid property.
type TB interface {
	Helper()
	Fatalf(format string, args ...any)
}

// Eventually waits until ok returns true, and fails the test if that takes too long.
func Eventually(t TB, what string, ok func() bool) {
	t.Helper()
	tick := time.NewTicker(2 * time.Millisecond)
	defer tick.Stop()
	for deadline := time.After(patience); !ok(); {
		select {
		case <-tick.C:
		case <-deadline:
			t.Fatalf("not in time: %s", what)
		}
	}
}

// Log returns a logger and the channel that receives its messages. It has room for 100; after that
// logging waits.
func Log() (*slog.Logger, <-chan string) {
	l := messages{slog.DiscardHandler, make(chan string, 100)}
	return slog.New(l), l.seen
}

// messages is a handler that passes on the messages without their attributes.
type messages struct {
	slog.Handler
	seen chan string
}

func (m messages) Enabled(context.Context, slog.Level) bool { return true }

func (m messages) Handle(_ context.Context, r slog.Record) error {
	m.seen <- r.Message
	return nil
}
