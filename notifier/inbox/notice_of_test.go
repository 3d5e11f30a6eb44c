package inbox_test

import (
	"errors"
	"testing"
	"time"

	"github.com/carillonhq/carillon/notifier"
)

func TestAUserHasARowUntilTheyDeleteItOrAnotherNoticeReplacesIt(t *testing.T) {
	onEachRedis(t, func(t *testing.T, s *site) {
		put, snoozed, deleted, replaced := s.notice(1, "photo:1"), s.notice(2, "photo:2"), s.notice(3, "photo:3"), s.notice(4, "photo:4")
		has := func(what string, n *notifier.Notice, want bool) {
			t.Helper()
			if id, err := s.NoticeOf(t.Context(), 42, n.Key()); (err == nil && id == n.ID) != want || err != nil && !errors.Is(err, notifier.ErrNotFound) {
				t.Errorf("%s: notice %d, %v; has it: %v", what, id, err, want)
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
