package store

import (
	"context"
	"fmt"
	"testing"

	"github.com/carillonhq/carillon/internal/testkit"
	"github.com/carillonhq/carillon/notifier"
)

// Accept stores one notice whose recipients are not resolved.
func (s *Store) Accept(ctx context.Context, n *notifier.Notice) error {
	a := notifier.Acceptance{Notice: n}
	if err := s.AcceptAll(ctx, notifier.Deed{}, []*notifier.Acceptance{&a}); err != nil {
		return err
	}
	return a.Err
}

// AwaitWaiting waits until a commit is in progress and the given number of notices wait for the next one.
func AwaitWaiting(tb testing.TB, s *Store, want int) {
	tb.Helper()
	testkit.Eventually(tb, fmt.Sprintf("a commit is under way, and %d notices wait for the next", want), func() bool {
		got, busy := s.accepts.Waiting()
		return got == want && busy
	})
}

// Queries, for the test of their plans.
const (
	AcceptedSinceQuery = acceptedSinceQuery
	ChangedSinceQuery  = changedSinceQuery
	UnfinishedQuery    = unfinishedQuery
	DueQuery           = dueQuery
)
