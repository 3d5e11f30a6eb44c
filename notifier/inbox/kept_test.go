package inbox_test

import (
	"errors"
	"strings"
	"testing"

	"github.com/carillonhq/carillon/internal/redistest"
	"github.com/carillonhq/carillon/notifier"
	"github.com/carillonhq/carillon/notifier/inbox"
)

// keptSite returns a site with an inbox of five read rows, of which the user marked 2 and 4 as
// unread, and two new rows above them.
func keptSite(t *testing.T, s *site) {
	t.Helper()
	s.fill(t, 42, 1, 5)
	if _, err := s.Open(t.Context(), 42); err != nil {
		t.Fatal(err)
	}
	for _, id := range []int64{2, 4} {
		if _, _, err := s.MarkUnread(t.Context(), 42, key(id)); err != nil {
			t.Fatal(err)
		}
	}
	s.fill(t, 42, 6, 7)
}

// unreadRows returns the ids of the unread rows, newest first.
func (s *site) unreadRows(t *testing.T) string {
	t.Helper()
	page, err := s.Look(t.Context(), 42, notifier.Query{Unread: true})
	if err != nil {
		t.Fatal(err)
	}
	return titles(page)
}

func TestEntriesMarkedUnreadStayUnreadWhenTheInboxIsOpened(t *testing.T) {
	onEachRedis(t, func(t *testing.T, s *site) {
		keptSite(t, s)
		heard := s.listen(t, 42)
		page, err := s.Open(t.Context(), 42)
		if err != nil || titles(page) != "7* 6* 5 4 3 2 1" || page.Turned != 2 || page.Unread != 2 {
			t.Errorf("page %q, %d turned, %d unread, %v; want 7 and 6 as new", titles(page), page.Turned, page.Unread, err)
		}
		if got := events(heard.heard(t)); got != "upto, unread like:photo:4, unread like:photo:2" {
			t.Errorf("published %q", got)
		}
		before := s.sound(t, 42)
		again, err := s.Open(t.Context(), 42)
		if err != nil || titles(again) != "7 6 5 4 3 2 1" || again.Turned != 0 || again.Unread != 2 || again.Opened != 0 {
			t.Errorf("again: page %q, %+v, %v; want nothing new", titles(again), again, err)
		}
		same(t, "an opening with nothing to mark as read", before, s.stored(t, 42))
		if got := heard.heard(t); len(got) != 0 {
			t.Errorf("published %v, want nothing", got)
		}
	})
}

func TestEveryExplicitReadMarksAKeptEntryAsRead(t *testing.T) {
	doors := map[string]func(t *testing.T, s *site) error{
		"marking it as read":    func(t *testing.T, s *site) error { _, _, err := s.MarkRead(t.Context(), 42, key(4)); return err },
		"following it":          func(t *testing.T, s *site) error { _, err := s.Follow(t.Context(), 42, key(4), 4); return err },
		"marking all as read":   func(t *testing.T, s *site) error { _, err := s.ReadUpto(t.Context(), 42, key(7)); return err },
		"an application by key": func(t *testing.T, s *site) error { _, err := s.ReadKeys(t.Context(), 42, []string{key(4)}); return err },
		"reading its subject":   func(t *testing.T, s *site) error { _, err := s.ReadSubject(t.Context(), 42, "photo:4", 0); return err },
		"a newer notice with its key": func(t *testing.T, s *site) error {
			if s.deliver(t, 42, s.notice(8, "photo:4")) != 1 {
				t.Error("the newer notice was not delivered")
			}
			return nil
		},
	}
	for name, read := range doors {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			s := newSite(t, redistest.Client(t), 0)
			keptSite(t, s)
			if err := read(t, s); err != nil {
				t.Fatal(err)
			}
			if _, err := s.Open(t.Context(), 42); err != nil {
				t.Fatal(err)
			}
			if left := s.unreadRows(t); strings.Contains(left, "4") || strings.Contains(left, "8") {
				t.Errorf("still unread: %q", left)
			}
			s.sound(t, 42)
		})
	}
}

func TestMarkingAnUnreadEntryAsUnreadKeepsItSo(t *testing.T) {
	onEachRedis(t, func(t *testing.T, s *site) {
		s.fill(t, 42, 1, 2)
		_, badge, err := s.MarkUnread(t.Context(), 42, key(1))
		if err != nil || badge.Unread != 2 {
			t.Errorf("badge %+v, %v; want 2 unread", badge, err)
		}
		if at := s.sound(t, 42); at.Dirty["42"] != badge.Ver {
			t.Errorf("there is no dirty mark: %v", at.Dirty)
		}
		before := s.stored(t, 42)
		if _, _, err := s.MarkUnread(t.Context(), 42, key(1)); err != nil {
			t.Fatal(err)
		}
		same(t, "marking it a second time", before, s.stored(t, 42))
		if _, err := s.Open(t.Context(), 42); err != nil {
			t.Fatal(err)
		}
		if got := s.unreadRows(t); got != "1" {
			t.Errorf("%q are unread, want 1", got)
		}
	})
}

// Marking all as read and undoing it leaves both kinds of unread entries as they were.
func TestUndoingMarkAllAsReadPreservesKeptEntries(t *testing.T) {
	onEachRedis(t, func(t *testing.T, s *site) {
		keptSite(t, s)
		if _, err := s.ReadUpto(t.Context(), 42, key(7)); err != nil {
			t.Fatal(err)
		}
		for _, id := range []int64{2, 4, 6, 7} {
			if _, err := s.Unread(t.Context(), 42, key(id)); err != nil {
				t.Fatal(err)
			}
		}
		if _, err := s.Open(t.Context(), 42); err != nil {
			t.Fatal(err)
		}
		if got := s.unreadRows(t); got != "4 2" {
			t.Errorf("%q are unread, want 4 and 2", got)
		}
	})
}

func TestUndoingADeleteAfterAnOpeningRestoresAKeptEntryAsUnread(t *testing.T) {
	onEachRedis(t, func(t *testing.T, s *site) {
		keptSite(t, s)
		e, _, err := one(s.Take(t.Context(), 42, key(4)))
		if err != nil {
			t.Fatal(err)
		}
		if _, err := s.Open(t.Context(), 42); err != nil {
			t.Fatal(err)
		}
		if _, err := s.PutBack(t.Context(), 42, e); err != nil {
			t.Fatal(err)
		}
		if _, err := s.Open(t.Context(), 42); err != nil {
			t.Fatal(err)
		}
		if got := s.unreadRows(t); got != "4 2" {
			t.Errorf("%q are unread, want 4 and 2", got)
		}
	})
}

func TestNoMoreThanFiveHundredAreKeptUnread(t *testing.T) {
	t.Parallel()
	s := newSite(t, redistest.Client(t), 0)
	s.Inbox = inbox.New(s.rdb, s.k, inbox.Options{Cap: 600, Now: s.clock.now})
	s.fill(t, 42, 1, 510)
	for id := int64(1); id <= 510; id++ {
		if _, _, err := s.MarkUnread(t.Context(), 42, key(id)); err != nil {
			t.Fatal(err)
		}
	}
	if got := strings.Fields(s.sound(t, 42).State["kept"]); len(got) != 500 || got[0] != "11" || got[499] != "510" {
		t.Errorf("%d are kept, want the last 500", len(got))
	}
	if page, err := s.Open(t.Context(), 42); err != nil || page.Turned != 10 || page.Unread != 500 {
		t.Errorf("%d marked as read, %d unread, %v", page.Turned, page.Unread, err)
	}
}

// Deleting, restoring and reading again changes no count, regardless of the state in the undo request.
func TestUndoingDeletesCannotChangeTheCounts(t *testing.T) {
	onEachRedis(t, func(t *testing.T, s *site) {
		n := s.notice(7, "photo:7")
		n.Recipients = 2
		if _, err := s.Deliver(t.Context(), n, []int64{42, 43}); err != nil {
			t.Fatal(err)
		}
		for range 3 {
			if _, _, err := s.MarkRead(t.Context(), 42, key(7)); err != nil {
				t.Fatal(err)
			}
			e, _, err := one(s.Take(t.Context(), 42, key(7)))
			if err != nil {
				t.Fatal(err)
			}
			e.Read, e.At = false, e.At+1_000_000 // values that a forged form could have
			if _, err := s.PutBack(t.Context(), 42, e); err != nil {
				t.Fatal(err)
			}
			at := s.sound(t, 42)
			if page, err := s.Look(t.Context(), 42, notifier.Query{}); err != nil || !page.Entries[0].Read || page.Entries[0].At > number(t, at.State["ver"]) {
				t.Errorf("restored as %+v, %v; ver %s", page.Entries, err, at.State["ver"])
			}
		}
		if d, r, err := s.counted(t.Context(), 7); d != 2 || r != 1 || err != nil {
			t.Errorf("%d delivered, %d read, %v; want 2 and 1", d, r, err)
		}
	})
}

func TestFollowingMarksOnlyTheGivenNoticeAsRead(t *testing.T) {
	onEachRedis(t, func(t *testing.T, s *site) {
		s.fill(t, 42, 1, 2)
		if badge, err := s.Follow(t.Context(), 42, key(1), 1); err != nil || badge.Unread != 1 {
			t.Errorf("badge %+v, %v", badge, err)
		}
		s.deliver(t, 42, s.notice(3, "photo:1"))
		before := s.stored(t, 42)
		if _, err := s.Follow(t.Context(), 42, key(1), 1); !errors.Is(err, notifier.ErrNotFound) {
			t.Errorf("following a replaced notice: %v, want not found", err)
		}
		same(t, "following a replaced notice", before, s.stored(t, 42))
	})
}
