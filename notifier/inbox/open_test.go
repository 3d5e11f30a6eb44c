package inbox_test

import (
	"maps"
	"strconv"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"github.com/carillonhq/carillon/internal/redistest"
	"github.com/carillonhq/carillon/notifier"
)

func TestOpeningShowsThePageAsItWasAndMarksEverythingAsRead(t *testing.T) {
	onEachRedis(t, func(t *testing.T, s *site) {
		s.fill(t, 42, 1, 4)
		if _, _, err := s.MarkRead(t.Context(), 42, key(2)); err != nil {
			t.Fatal(err)
		}
		heard := s.listen(t, 42)
		s.clock.pass(time.Minute)
		ver := s.clock.now().UnixMilli()
		page, err := s.Open(t.Context(), 42)
		if err != nil {
			t.Fatal(err)
		}
		if got := titles(page); got != "4* 3* 2 1*" {
			t.Errorf("page %q, want all but 2 as new", got)
		}
		for i, read := range []bool{false, false, true, false} {
			if page.Entries[i].Read != read {
				t.Errorf("entry %d: read %v, want the state before", i, page.Entries[i].Read)
			}
		}
		if page.Turned != 3 {
			t.Errorf("marked %d as read, want 3", page.Turned)
		}
		if page.Unread != 0 || page.Ver != ver || page.Opened != 1 || page.Older != 0 {
			t.Errorf("numbers %d, %d, %d, %d; want 0, %d, 1, 0", page.Unread, page.Ver, page.Opened, page.Older, ver)
		}
		at := s.sound(t, 42)
		want := map[string]string{"unread": "0", "ver": strconv.FormatInt(ver, 10), "opened": strconv.FormatInt(ver, 10)}
		if d := cmp.Diff(want, at.State); d != "" {
			t.Errorf("state (-want +got):\n%s", d)
		}
		if at.Dirty["42"] != ver || at.Fleeting != nil {
			t.Errorf("dirty %v, keys with a TTL %v", at.Dirty, at.Fleeting)
		}
		told := []notifier.Change{{Ver: ver, Events: []notifier.ChangeEvent{{Kind: notifier.ChangeUpto, At: ver}}}}
		if d := cmp.Diff(told, heard.heard(t)); d != "" {
			t.Errorf("published (-want +got):\n%s", d)
		}
	})
}

func TestOpeningAgainWritesAndPublishesNothing(t *testing.T) {
	onEachRedis(t, func(t *testing.T, s *site) {
		s.fill(t, 42, 1, 6)
		if _, err := s.Open(t.Context(), 42); err != nil {
			t.Fatal(err)
		}
		heard, before := s.listen(t, 42), s.stored(t, 42)
		s.clock.pass(time.Hour)
		page, err := s.Open(t.Context(), 42)
		if err != nil {
			t.Fatal(err)
		}
		if got := titles(page); got != "6 5 4 3 2 1" || page.Opened != 0 {
			t.Errorf("page %q, opened %d; want nothing new", got, page.Opened)
		}
		same(t, "the second opening", before, s.stored(t, 42))
		if got := heard.heard(t); len(got) != 0 {
			t.Errorf("published %v, want nothing", got)
		}
	})
}

func TestOpeningAnInboxThatNeverHadANoticeShowsAnEmptyPage(t *testing.T) {
	onEachRedis(t, func(t *testing.T, s *site) {
		page, err := s.Open(t.Context(), 42)
		if err != nil || len(page.Entries) != 0 || page.Ver != startTime || page.Older != 0 {
			t.Errorf("page %+v, %v; want an empty one with ver %d", page, err, startTime)
		}
	})
}

func TestOpeningCountsReadsOfNoticesWithManyRecipients(t *testing.T) {
	onEachRedis(t, func(t *testing.T, s *site) {
		alone, many := s.notice(1, "photo:1"), s.notice(2, "photo:2")
		many.Recipients = 3
		s.deliver(t, 42, alone)
		s.deliver(t, 42, many)
		s.deliver(t, 43, many)
		for range 2 {
			if _, err := s.Open(t.Context(), 42); err != nil {
				t.Fatal(err)
			}
		}
		delivered, read, err := s.counted(t.Context(), 2)
		if err != nil || delivered != 2 || read != 1 {
			t.Errorf("notice 2: %d delivered, %d read, %v; want 2 and 1", delivered, read, err)
		}
		if d, r, _ := s.counted(t.Context(), 1); d != 0 || r != 0 {
			t.Errorf("notice 1 with one recipient was counted: %d, %d", d, r)
		}
	})
}

func TestALongInboxKeepsItsOrderForAnyNumberOfUnreadRows(t *testing.T) {
	onEachRedis(t, func(t *testing.T, s *site) {
		s.fill(t, 42, 1, 100)
		for _, unread := range [][]int64{{}, {1}, {100}, {1, 50, 100}, {2, 3, 5, 7}, {1, 2, 3, 4, 5, 99, 100}, {40, 41, 42, 43, 44}} {
			if _, err := s.Open(t.Context(), 42); err != nil {
				t.Fatal(err)
			}
			for _, id := range unread {
				if _, err := s.Unread(t.Context(), 42, key(id)); err != nil {
					t.Fatal(err)
				}
			}
			before := s.stored(t, 42).List
			if _, err := s.Open(t.Context(), 42); err != nil {
				t.Fatal(err)
			}
			after := s.sound(t, 42).List
			for i := range before {
				was, _, _ := notifier.SplitField(before[i])
				is, read, _ := notifier.SplitField(after[i])
				if was != is || !read {
					t.Fatalf("%v unread: row %d was %s and is %s", unread, i, before[i], after[i])
				}
			}
		}
	})
}

func TestOpeningMarksMoreRowsThanFitInOneCommand(t *testing.T) {
	t.Parallel()
	const rows = 2100
	s := newSite(t, redistest.Client(t), rows)
	want := map[string]string{} // reads of each notice that is counted
	for id := int64(1); id <= rows; id++ {
		n := s.notice(id, "")
		if id%7 > 0 { // the others have one recipient
			n.Recipients, want[decimal(id)+":r"] = 2, "1"
		}
		s.deliver(t, 42, n)
		if id%500 == 3 {
			s.deliver(t, 106, n)
			want[decimal(id)+":r"] = "2"
		}
	}
	for _, seq := range []int64{106, 42} {
		page, err := s.Open(t.Context(), seq)
		if err != nil || page.Unread != 0 {
			t.Fatalf("user %d: %d unread, %v", seq, page.Unread, err)
		}
	}
	read := s.sound(t, 42).Counts
	maps.DeleteFunc(read, func(field, _ string) bool { return strings.HasSuffix(field, ":d") })
	if d := cmp.Diff(want, read); d != "" {
		t.Errorf("read (-want +got):\n%s", d)
	}
}

func TestExpiredRowsAreNeitherShownNorCounted(t *testing.T) {
	onEachRedis(t, func(t *testing.T, s *site) {
		s.fill(t, 42, 1, 2)
		short := s.notice(3, "photo:3")
		short.ExpiresAt = s.clock.in(time.Minute)
		s.deliver(t, 42, short)
		other := s.notice(4, "photo:4")
		other.ExpiresAt = s.clock.in(time.Minute)
		s.deliver(t, 42+64, other) // in the same partition: its expired row must not appear here
		s.clock.pass(time.Minute)

		look, err := s.Look(t.Context(), 42, notifier.Query{})
		if err != nil || titles(look) != "2 1" || look.Unread != 2 {
			t.Errorf("Look: %q, %d unread, %v; want 2 1 and 2", titles(look), look.Unread, err)
		}
		s.deliver(t, 42, s.notice(5, "photo:5"))
		heard := s.listen(t, 42)
		page, err := s.Open(t.Context(), 42)
		if err != nil || titles(page) != "5* 2* 1*" {
			t.Errorf("Open: %q, %v", titles(page), err)
		}
		if got := events(heard.heard(t)); got != "upto" {
			t.Errorf("published %q", got)
		}
		at := s.sound(t, 42)
		if _, gone := at.Gone["3"]; !gone {
			t.Error("the expired notice is not gone")
		}
		if at.Expiry["106|like:photo:4"] == 0 {
			t.Error("another user's expiry was touched")
		}
	})
}
