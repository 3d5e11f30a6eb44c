package inbox_test

import (
	"errors"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/carillonhq/carillon/notifier"
)

func TestAnUndoDoesNotRestoreARetractedNotice(t *testing.T) {
	onEachRedis(t, func(t *testing.T, s *site) {
		s.fill(t, 42, 7, 7)
		e, _, err := one(s.Take(t.Context(), 42, key(7)))
		if err != nil {
			t.Fatal(err)
		}
		if err := s.Retract(t.Context(), 7, key(7), []int64{42}); err != nil {
			t.Fatal(err)
		}
		before := s.sound(t, 42)
		if _, err := s.PutBack(t.Context(), 42, e); !errors.Is(err, notifier.ErrNotFound) {
			t.Errorf("restoring: %v, want not found", err)
		}
		same(t, "a refused undo", before, s.stored(t, 42))
	})
}

func TestRetractRemovesTheNoticeEverywhereAndKeepsItOut(t *testing.T) {
	onEachRedis(t, func(t *testing.T, s *site) {
		const came, read, renewed, warm, cold = 1, 2, 3, 4, 5
		n := s.notice(7, "photo:7")
		n.Recipients = 5
		for _, seq := range []int64{came, read, renewed} {
			s.deliver(t, seq, n)
		}
		s.fill(t, warm, 1, 1)
		if _, _, err := s.MarkRead(t.Context(), read, key(7)); err != nil {
			t.Fatal(err)
		}
		s.deliver(t, renewed, s.notice(8, "photo:7"))
		everybody := []int64{came, read, renewed, warm, cold}
		heard := s.listen(t, came)
		if err := s.Retract(t.Context(), 7, n.Key(), everybody); err != nil {
			t.Fatal(err)
		}
		if got := events(heard.heard(t)); got != "removed like:photo:7" {
			t.Errorf("published %q", got)
		}
		unread := map[int64]string{came: "0", read: "0", renewed: "1", warm: "1", cold: "0"}
		shots := map[int64]any{}
		for _, seq := range everybody {
			at := s.sound(t, seq)
			if at.Gone["7"] == 0 || at.State["unread"] != unread[seq] {
				t.Errorf("user %d: gone %v, %s unread; want %s", seq, at.Gone, at.State["unread"], unread[seq])
			}
			shots[seq] = at
		}
		if changed, err := s.Deliver(t.Context(), n, everybody); err != nil || changed != 0 {
			t.Errorf("a late worker changed %d inboxes, %v", changed, err)
		}
		if err := s.Retract(t.Context(), 7, n.Key(), everybody); err != nil {
			t.Fatal(err)
		}
		for _, seq := range everybody {
			if d := cmp.Diff(shots[seq], any(s.stored(t, seq))); d != "" {
				t.Errorf("a late delivery or second retraction changed user %d:\n%s", seq, d)
			}
		}
	})
}
