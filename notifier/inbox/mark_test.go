package inbox_test

import (
	"errors"
	"strconv"
	"sync"
	"testing"
	"time"

	"github.com/carillonhq/carillon/notifier"
)

func TestMarkingChangesTheCounterOnceAndKeepsTheOrder(t *testing.T) {
	onEachRedis(t, func(t *testing.T, s *site) {
		s.fill(t, 42, 1, 2)
		n := s.notice(3, "photo:3")
		n.Recipients = 2
		s.deliver(t, 42, n)
		s.fill(t, 42, 4, 4)
		heard := s.listen(t, 42)
		for _, c := range []struct {
			mark         func() (notifier.Badge, error)
			unread, read int64
			says         string
		}{
			{func() (notifier.Badge, error) { return badgeAlone(s.MarkRead(t.Context(), 42, key(3))) }, 3, 1, "read like:photo:3"},
			{func() (notifier.Badge, error) { return badgeAlone(s.MarkUnread(t.Context(), 42, key(3))) }, 4, 0, "unread like:photo:3"},
		} {
			s.clock.pass(time.Second)
			badge, err := c.mark()
			if want := (notifier.Badge{Unread: c.unread, Inbox: c.unread, Ver: s.clock.now().UnixMilli()}); err != nil || badge != want {
				t.Errorf("badge %+v, %v; want %+v", badge, err, want)
			}
			at := s.sound(t, 42)
			if k, _, _ := notifier.SplitField(at.List[1]); k != key(3) || at.Dirty["42"] != badge.Ver {
				t.Errorf("list %v, dirty %v", at.List, at.Dirty)
			}
			if _, read, err := s.counted(t.Context(), 3); read != c.read {
				t.Errorf("counted %d read, %v; want %d", read, err, c.read)
			}
			s.clock.pass(time.Second)
			again, err := c.mark()
			if err != nil || again != badge {
				t.Errorf("a second time: %+v, %v; want %+v", again, err, badge)
			}
			same(t, "marking a second time", at, s.stored(t, 42))
			if got := events(heard.heard(t)); got != c.says {
				t.Errorf("published %q, want %q", got, c.says)
			}
		}
	})
}

func TestUnknownKeysAreNotFound(t *testing.T) {
	onEachRedis(t, func(t *testing.T, s *site) {
		s.fill(t, 42, 1, 1)
		s.fill(t, 43, 2, 2)
		before := s.stored(t, 42)
		for _, k := range []string{key(2), "", "like", key(1) + ":has_read:0", "x y\nz", "inf", "0x10", "-1"} {
			for name, call := range map[string]func() (notifier.Badge, error){
				"read":   func() (notifier.Badge, error) { return badgeAlone(s.MarkRead(t.Context(), 42, k)) },
				"unread": func() (notifier.Badge, error) { return badgeAlone(s.MarkUnread(t.Context(), 42, k)) },
				"delete": func() (notifier.Badge, error) { return s.Delete(t.Context(), 42, k) },
				"upto":   func() (notifier.Badge, error) { return s.ReadUpto(t.Context(), 42, k) },
				"cold":   func() (notifier.Badge, error) { return badgeAlone(s.MarkRead(t.Context(), 99, k)) },
			} {
				if _, err := call(); !errors.Is(err, notifier.ErrNotFound) {
					t.Errorf("%s %q: %v, want not found", name, k, err)
				}
			}
		}
		same(t, "calls with an unknown key", before, s.stored(t, 42))
	})
}

func TestReadUptoLeavesLaterEntriesUnread(t *testing.T) {
	onEachRedis(t, func(t *testing.T, s *site) {
		n := s.notice(1, "photo:1")
		n.Recipients = 2
		s.deliver(t, 42, n)
		s.fill(t, 42, 2, 9)
		page, err := s.Look(t.Context(), 42, notifier.Query{})
		if err != nil {
			t.Fatal(err)
		}
		at := func(id int) int64 { return page.Entries[9-id].At }
		heard := s.listen(t, 42)
		for _, c := range []struct {
			upto   string
			unread int64
			says   string
		}{
			{"0", 9, ""},
			{strconv.FormatInt(at(2), 10), 7, "upto"},
			{key(3), 6, "upto"},
			{key(3), 6, ""},
			{strconv.FormatInt(at(8), 10), 1, "upto"},
			{"9223372036854775807", 0, "upto"},
			{"9223372036854775807", 0, ""},
		} {
			badge, err := s.ReadUpto(t.Context(), 42, c.upto)
			if err != nil || badge.Unread != c.unread {
				t.Errorf("up to %s: %d unread, %v; want %d", c.upto, badge.Unread, err, c.unread)
			}
			s.sound(t, 42)
			if got := events(heard.heard(t)); got != c.says {
				t.Errorf("up to %s: published %q, want %q", c.upto, got, c.says)
			}
		}
		if got := s.stored(t, 42).State["opened"]; got != "0" {
			t.Errorf("opened %s: ReadUpto must not count as an opening", got)
		}
		if _, read, err := s.counted(t.Context(), 1); read != 1 {
			t.Errorf("counted %d read, %v; want 1", read, err)
		}
	})
}

func TestAThousandConcurrentReadsChangeTheCounterByOne(t *testing.T) {
	onEachRedis(t, func(t *testing.T, s *site) {
		s.fill(t, 42, 1, 3)
		heard, ctx := s.listen(t, 42), t.Context()
		var group sync.WaitGroup
		for range 50 {
			group.Go(func() {
				for range 20 {
					if _, _, err := s.MarkRead(ctx, 42, key(2)); err != nil {
						t.Error(err)
					}
				}
			})
		}
		group.Wait()
		if got := s.sound(t, 42).State["unread"]; got != "2" {
			t.Errorf("%s unread, want 2", got)
		}
		if got := events(heard.heard(t)); got != "read like:photo:2" {
			t.Errorf("published %q, want one change", got)
		}
	})
}
