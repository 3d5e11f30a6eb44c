package inbox_test

import (
	"testing"
	"time"

	"github.com/carillonhq/carillon/notifier"
)

func TestAUserHasARowUntilTheyDeleteItOrAnotherNoticeReplacesIt(t *testing.T) {
	onEachRedis(t, func(t *testing.T, s *site) {
		put, snoozed, deleted, replaced := s.notice(1, "photo:1"), s.notice(2, "photo:2"), s.notice(3, "photo:3"), s.notice(4, "photo:4")
		has := func(what string, n *notifier.Notice, want bool) {
			t.Helper()
			if got, err := s.Has(t.Context(), 42, n.Key(), n.ID); err != nil || got != want {
				t.Errorf("%s: %v, %v; want %v", what, got, err, want)
			}
		}
		has("before the delivery", put, false)
		for _, n := range []*notifier.Notice{put, snoozed, deleted, replaced} {
			s.deliver(t, 42, n)
			has("delivered", n, true)
		}
		if _, _, err := s.Archive(t.Context(), 42, []string{put.Key()}); err != nil {
			t.Fatal(err)
		}
		if _, err := s.Snooze(t.Context(), 42, snoozed.Key(), s.clock.in(time.Hour)); err != nil {
			t.Fatal(err)
		}
		if _, err := s.Delete(t.Context(), 42, deleted.Key()); err != nil {
			t.Fatal(err)
		}
		s.deliver(t, 42, s.notice(5, "photo:4"))
		has("archived", put, true)
		has("snoozed", snoozed, true)
		has("deleted", deleted, false)
		has("replaced", replaced, false)
	})
}
