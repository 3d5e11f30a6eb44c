// Package testkit contains helpers that the tests of many packages share.
package testkit

import (
	"context"
	"log/slog"
)

// Log returns a logger and the channel that receives its messages. The channel has room for 100; then
// logging blocks.
func Log() (*slog.Logger, <-chan string) {
	l := messages{slog.DiscardHandler, make(chan string, 100)}
	return slog.New(l), l.seen
}

// messages is a handler that forwards the messages without their attributes.
type messages struct {
	slog.Handler
	seen chan string
}

func (m messages) Enabled(context.Context, slog.Level) bool { return true }

func (m messages) Handle(_ context.Context, r slog.Record) error {
	m.seen <- r.Message
	return nil
}
