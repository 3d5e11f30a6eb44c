package store

import (
	"context"
	"testing"
	"time"

	"github.com/carillonhq/carillon/notifier"
)

// Accept stores one notice whose recipients are not settled.
func (s *Store) Accept(ctx context.Context, n *notifier.Notice) error {
	a := notifier.Acceptance{Notice: n}
	if err := s.AcceptAll(ctx, notifier.Deed{}, []*notifier.Acceptance{&a}); err != nil {
		return err
	}
	return a.Err
}

// AwaitWaiting waits until a commit is under way and the given number of notices wait for the next
// one.
func AwaitWaiting(tb testing.TB, s *Store, want int) {
	tb.Helper()
	tick := time.NewTicker(time.Millisecond)
	defer tick.Stop()
	for deadline := time.Now().Add(20 * time.Second); ; <-tick.C {
		got, busy := s.accepts.Waiting()
		switch {
		case got == want && busy:
			return
		case time.Now().After(deadline):
			tb.Fatalf("%d notices are waiting; want %d", got, want)
		}
	}
}

// Queries, for the test of their plans.
const (
	AcceptedSinceQuery = acceptedSinceQuery
	ChangedSinceQuery  = changedSinceQuery
	UnfinishedQuery    = unfinishedQuery
	DueQuery           = dueQuery
)
