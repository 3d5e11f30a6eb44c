package inbox_test

import (
	"fmt"
	"reflect"
	"strings"
	"testing"

	"github.com/carillonhq/carillon/notifier"
)

func TestLookingChangesNothing(t *testing.T) {
	onEachRedis(t, func(t *testing.T, s *site) {
		s.fill(t, 42, 1, 5)
		heard, before := s.listen(t, 42), s.stored(t, 42)
		for _, q := range []notifier.Query{{}, {Unread: true}, {Before: startTime + 3}, {Limit: 2}, {Opened: 5}, {Before: -1}} {
			if _, err := s.Look(t.Context(), 42, q); err != nil {
				t.Fatal(err)
			}
		}
		same(t, "looking", before, s.stored(t, 42))
		if got := heard.heard(t); len(got) != 0 {
			t.Errorf("published %v, want nothing", got)
		}
	})
}

func TestPagesHaveNoGapsAndNoRepeats(t *testing.T) {
	onEachRedis(t, func(t *testing.T, s *site) {
		s.fill(t, 42, 1, 65)
		for _, id := range []int64{3, 20, 64} {
			if _, _, err := s.MarkRead(t.Context(), 42, key(id)); err != nil {
				t.Fatal(err)
			}
		}
		for _, c := range []struct {
			unread      bool
			limit, want int
		}{{false, 0, 65}, {false, 7, 65}, {false, 65, 65}, {true, 0, 62}, {true, 31, 62}, {true, 1, 62}} {
			q := notifier.Query{Unread: c.unread, Limit: c.limit}
			next, pages := int64(65), 0
			var seen int
			for {
				page, err := s.Look(t.Context(), 42, q)
				if err != nil {
					t.Fatal(err)
				}
				pages++
				for _, e := range page.Entries {
					for c.unread && (next == 3 || next == 20 || next == 64) {
						next--
					}
					if e.NoticeID != next {
						t.Fatalf("%+v: notice %d, want %d", c, e.NoticeID, next)
					}
					next, seen = next-1, seen+1
				}
				if page.Older == 0 || pages > 65 {
					break
				}
				q.Before = page.Older
			}
			limit := c.limit
			if limit == 0 {
				limit = 30
			}
			if want := (c.want + limit - 1) / limit; seen != c.want || pages != want {
				t.Errorf("%+v: %d entries on %d pages, want %d on %d", c, seen, pages, c.want, want)
			}
		}
	})
}

func TestOlderPagesKeepTheNewMarksOfTheirOpening(t *testing.T) {
	onEachRedis(t, func(t *testing.T, s *site) {
		s.fill(t, 42, 1, 10)
		if _, err := s.Open(t.Context(), 42); err != nil {
			t.Fatal(err)
		}
		s.fill(t, 42, 11, 50)
		page, err := s.Open(t.Context(), 42)
		if err != nil {
			t.Fatal(err)
		}
		if strings.Count(titles(page), "*") != 30 {
			t.Errorf("first page %q, want 30 new rows", titles(page))
		}
		s.fill(t, 42, 51, 51) // delivered later: unread, and not affected by that opening
		older, err := s.Look(t.Context(), 42, notifier.Query{Before: page.Older, Opened: page.Opened})
		if err != nil {
			t.Fatal(err)
		}
		want := "20* 19* 18* 17* 16* 15* 14* 13* 12* 11* 10 9 8 7 6 5 4 3 2 1"
		if titles(older) != want || older.Older != 0 || older.Opened != page.Opened {
			t.Errorf("older page %q, want %q", titles(older), want)
		}
		if e := older.Entries[0]; e.Read {
			t.Error("a new row counts as read before the opening")
		}
		plain, err := s.Look(t.Context(), 42, notifier.Query{Before: page.Older})
		if err != nil || strings.Contains(titles(plain), "*") {
			t.Errorf("without an opening: %q, %v; want nothing new", titles(plain), err)
		}
	})
}

func TestAPageShowsTheContentOfTheNotice(t *testing.T) {
	onEachRedis(t, func(t *testing.T, s *site) {
		n := s.notice(7, "photo:7")
		n.Target = notifier.Target{Role: "picker"}
		s.deliver(t, 42, n)
		page, err := s.Look(t.Context(), 42, notifier.Query{})
		if err != nil {
			t.Fatal(err)
		}
		want := notifier.Entry{Key: "like:photo:7", NoticeID: 7, At: startTime + 1, ExpiresAt: n.ExpiresAt.UTC(), Content: n.Content()}
		if got := page.Entries[0]; !reflect.DeepEqual(got, want) {
			t.Errorf("entry\n%+v, want\n%+v", got, want)
		}
		if want.Reason != "role:picker" {
			t.Errorf("reason %q", want.Reason)
		}
	})
}

func TestMalformedRowsAreSkippedWithoutAnError(t *testing.T) {
	onEachRedis(t, func(t *testing.T, s *site) {
		ctx := t.Context()
		s.fill(t, 42, 1, 1)
		for i, value := range []string{"", "x", "1 2 3", "9 9 9 {", "1 2 x {}", "-", "99999999999999999999 1 0 {}"} {
			field := fmt.Sprintf("bad:%d:has_read:0", i)
			s.rdb.RPush(ctx, s.k.List(42), field)
			s.rdb.HSet(ctx, s.k.Hash(42), field, value)
		}
		s.rdb.RPush(ctx, s.k.List(42), "lost:1:has_read:0", "stateless")
		s.rdb.HSet(ctx, s.k.State(42), "unread", 9)
		for name, call := range map[string]func() error{
			"look":   func() error { p, err := s.Look(t.Context(), 42, notifier.Query{}); return shows(p, err) },
			"older":  func() error { _, err := s.Look(t.Context(), 42, notifier.Query{Before: 7}); return err },
			"mark":   func() error { _, _, err := s.MarkRead(t.Context(), 42, "bad:0"); return err },
			"expire": func() error { _, err := s.Expire(t.Context(), map[int64][]string{42: {"bad:1", "lost:1"}}); return err },
			"delete": func() error { _, err := s.Delete(t.Context(), 42, "bad:2"); return err },
			"renew": func() error {
				n := s.notice(5, "3")
				n.Type = "bad"
				_, err := s.Deliver(t.Context(), n, []int64{42})
				return err
			},
			"upto": func() error { _, err := s.ReadUpto(t.Context(), 42, "bad:4"); return err },
		} {
			if err := call(); err != nil {
				t.Errorf("%s: %v", name, err)
			}
		}
		p, err := s.Open(t.Context(), 42)
		if err != nil || p.Unread != 0 {
			t.Errorf("opening: %+v, %v", p, err)
		}
	})
}

func shows(p notifier.Page, err error) error {
	if err == nil && !strings.HasSuffix(titles(p), "1") {
		return fmt.Errorf("the page shows %q, want notice 1", titles(p))
	}
	return err
}
