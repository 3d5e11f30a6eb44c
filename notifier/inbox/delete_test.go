package inbox_test

import (
	"errors"
	"fmt"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"github.com/carillonhq/carillon/notifier"
	"github.com/carillonhq/carillon/notifier/inbox"
)

func TestADeletedEntryIsNotDeliveredAgain(t *testing.T) {
	onEachRedis(t, func(t *testing.T, s *site) {
		s.fill(t, 42, 1, 3)
		if _, _, err := s.MarkRead(t.Context(), 42, key(3)); err != nil {
			t.Fatal(err)
		}
		heard := s.listen(t, 42)
		for i, c := range []struct{ id, unread int64 }{{2, 1}, {3, 1}, {1, 0}} {
			badge, err := s.Delete(t.Context(), 42, key(c.id))
			if err != nil || badge.Unread != c.unread {
				t.Errorf("badge %+v, %v; want %d unread", badge, err, c.unread)
			}
			at := s.sound(t, 42)
			if len(at.Gone) != i+1 || at.Gone[decimal(c.id)] != badge.Ver || at.Dirty["42"] != badge.Ver {
				t.Errorf("gone %v, dirty %v", at.Gone, at.Dirty)
			}
			if got := events(heard.heard(t)); got != "removed "+key(c.id) {
				t.Errorf("published %q", got)
			}
			if _, err := s.Delete(t.Context(), 42, key(c.id)); !errors.Is(err, notifier.ErrNotFound) {
				t.Errorf("a second time: %v, want not found", err)
			}
			if got := s.deliver(t, 42, s.notice(c.id, fmt.Sprintf("photo:%d", c.id))); got != 0 {
				t.Error("a deleted notice came back")
			}
			at.Fleeting = nil
			same(t, "deleting and delivering again", at, s.stored(t, 42))
		}
	})
}

func TestUndoingADeletePutsTheRowBackInItsPlace(t *testing.T) {
	onEachRedis(t, func(t *testing.T, s *site) {
		s.fill(t, 42, 1, 5)
		if _, _, err := s.MarkRead(t.Context(), 42, key(4)); err != nil {
			t.Fatal(err)
		}
		for _, id := range []int64{5, 4, 3, 1} {
			before := s.stored(t, 42)
			e, _, err := one(s.Take(t.Context(), 42, key(id)))
			if err != nil {
				t.Fatal(err)
			}
			s.clock.pass(time.Second)
			heard := s.listen(t, 42)
			badge, err := s.PutBack(t.Context(), 42, e)
			if err != nil {
				t.Fatal(err)
			}
			after := s.sound(t, 42)
			if got := after.State["ver"]; got != decimal(badge.Ver) || after.Dirty["42"] != badge.Ver {
				t.Errorf("ver %s, dirty %v", got, after.Dirty)
			}
			want := "notice " + key(id)
			if id == 4 {
				want += ", read " + key(id)
			}
			if got := events(heard.heard(t)); got != want {
				t.Errorf("published %q, want %q", got, want)
			}
			if _, err := s.PutBack(t.Context(), 42, e); !errors.Is(err, notifier.ErrNotFound) {
				t.Errorf("a second undo: %v, want not found", err)
			}
			same(t, "a second undo", after, s.stored(t, 42))
			after.State["ver"], after.Dirty["42"] = before.State["ver"], before.Dirty["42"]
			same(t, "deleting and undoing it", before, after)
		}
	})
}

func TestAnUndoIsRefusedAfterExpiryReplacementOrInAFullInbox(t *testing.T) {
	onEachRedis(t, func(t *testing.T, s *site) {
		s.Inbox = inbox.New(s.rdb, s.k, inbox.Options{Cap: 3, Now: s.clock.now})
		short := s.notice(1, "photo:1")
		short.ExpiresAt = s.clock.in(time.Minute)
		s.deliver(t, 42, short)
		s.fill(t, 42, 2, 3)
		take := func(id int64) notifier.Entry {
			e, _, err := one(s.Take(t.Context(), 42, key(id)))
			if err != nil {
				t.Fatal(err)
			}
			return e
		}
		expired, renewed, crowded := take(1), take(2), take(3)
		s.clock.pass(time.Hour)
		s.deliver(t, 42, s.notice(4, "photo:2"))
		refused := func(e notifier.Entry, want error) {
			t.Helper()
			before := s.stored(t, 42)
			if _, err := s.PutBack(t.Context(), 42, e); !errors.Is(err, want) {
				t.Errorf("restoring notice %d: %v, want %v", e.NoticeID, err, want)
			}
			same(t, "a refused undo", before, s.stored(t, 42))
		}
		refused(expired, notifier.ErrNotFound)
		refused(renewed, notifier.ErrConflict)
		refused(notifier.Entry{Key: "like:photo:9", NoticeID: 9, At: 1}, notifier.ErrNotFound)
		s.fill(t, 42, 5, 6)
		refused(crowded, notifier.ErrConflict)
	})
}

func TestGoneKeepsSevenDaysAndAtMostFiveHundredNotices(t *testing.T) {
	onEachRedis(t, func(t *testing.T, s *site) {
		s.Inbox = inbox.New(s.rdb, s.k, inbox.Options{Cap: 1, Now: s.clock.now})
		s.fill(t, 42, 1, 510)
		at := s.sound(t, 42)
		if len(at.Gone) != 500 || at.Gone["9"] != 0 || at.Gone["10"] == 0 {
			t.Errorf("gone has %d notices, want the last 500", len(at.Gone))
		}
		s.clock.pass(7*24*time.Hour - 5*time.Millisecond)
		s.fill(t, 42, 511, 511)
		var want map[string]int64
		if want = s.sound(t, 42).Gone; len(want) == 500 || len(want) > 10 {
			t.Errorf("7 days later gone has %d notices, want those of the last milliseconds", len(want))
		}
		if d := cmp.Diff(int64(1), min(1, want["510"])); d != "" {
			t.Errorf("the youngest is missing: %v", want)
		}
	})
}
