package inbox_test

import (
	"fmt"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"github.com/carillonhq/carillon/notifier"
	"github.com/carillonhq/carillon/notifier/inbox"
)

func TestADeliveryStoresTheRowAndNumbersAndPublishesThem(t *testing.T) {
	onEachRedis(t, func(t *testing.T, s *site) {
		heard := s.listen(t, 42)
		n := s.notice(7, "photo_id:1:user_id:7")
		n.Recipients = 2
		if got := s.deliver(t, 42, n); got != 1 {
			t.Fatalf("changed %d inboxes, want 1", got)
		}
		content, err := notifier.EncodeContent(n.Content())
		if err != nil {
			t.Fatal(err)
		}
		const ver, field = "1700000000001", "like:photo_id:1:user_id:7:has_read:0"
		expires := n.ExpiresAt.UnixMilli()
		want := stored{
			List:   []string{field},
			Hash:   map[string]string{field: fmt.Sprintf("7 %s %d %s", ver, expires, content)},
			State:  map[string]string{"unread": "1", "ver": ver, "opened": "0"},
			Counts: map[string]string{"7:d": "1"},
			Gone:   map[string]int64{}, Archive: map[string]string{}, Left: map[string]notifier.Left{},
			Expiry: map[string]int64{"42|": expires},
			Dirty:  map[string]int64{}, Late: map[string]int64{"42": startTime},
		}
		if d := cmp.Diff(want, s.sound(t, 42)); d != "" {
			t.Errorf("stored (-want +got):\n%s", d)
		}
		change := notifier.Change{Ver: startTime + 1, Unread: 1, Events: []notifier.ChangeEvent{
			{Kind: notifier.ChangeNotice, ID: 7, Key: n.Key(), JSON: `{"at":` + ver + "," + string(content[1:])},
		}}
		if d := cmp.Diff([]notifier.Change{change}, heard.heard(t)); d != "" {
			t.Errorf("published (-want +got):\n%s", d)
		}
	})
}

func TestASecondDeliveryChangesNothing(t *testing.T) {
	onEachRedis(t, func(t *testing.T, s *site) {
		n := s.notice(7, "photo:7")
		n.Recipients = 5
		s.deliver(t, 42, n)
		heard, before := s.listen(t, 42), s.stored(t, 42)
		if got := s.deliver(t, 42, n); got != 0 {
			t.Errorf("changed %d inboxes, want 0", got)
		}
		same(t, "the second delivery", before, s.stored(t, 42))
		if _, _, err := s.MarkRead(t.Context(), 42, n.Key()); err != nil {
			t.Fatal(err)
		}
		before = s.stored(t, 42)
		if got := s.deliver(t, 42, n); got != 0 {
			t.Errorf("changed %d inboxes in which it was read, want 0", got)
		}
		same(t, "a delivery after reading", before, s.stored(t, 42))
		if got := events(heard.heard(t)); got != "read like:photo:7" {
			t.Errorf("published %q, want only the marking as read", got)
		}
	})
}

func TestANewNoticeWithTheSameKeyMovesTheRowToTheTopUnread(t *testing.T) {
	onEachRedis(t, func(t *testing.T, s *site) {
		s.fill(t, 42, 1, 3)
		if _, _, err := s.MarkRead(t.Context(), 42, key(1)); err != nil {
			t.Fatal(err)
		}
		again := s.notice(9, "photo:1")
		s.deliver(t, 42, again)
		at := s.sound(t, 42)
		want := []string{key(1) + ":has_read:0", key(3) + ":has_read:0", key(2) + ":has_read:0"}
		if d := cmp.Diff(want, at.List); d != "" {
			t.Errorf("list (-want +got):\n%s", d)
		}
		if _, gone := at.Gone["1"]; !gone || len(at.Gone) != 1 {
			t.Errorf("gone is %v, want only notice 1", at.Gone)
		}
		s.deliver(t, 42, s.notice(10, "photo:1")) // an unread row replaced by an unread one
		if got := s.sound(t, 42).State["unread"]; got != "3" {
			t.Errorf("%s unread, want 3", got)
		}
		before := s.stored(t, 42)
		for _, id := range []int64{1, 9, 10, 4} { // gone, gone, the same, lower
			if got := s.deliver(t, 42, s.notice(id, "photo:1")); got != 0 {
				t.Errorf("delivering notice %d with that key changed %d inboxes", id, got)
			}
		}
		same(t, "late deliveries of that key", before, s.stored(t, 42))
	})
}

func TestTheOldestRowsBeyondTheCapLeave(t *testing.T) {
	onEachRedis(t, func(t *testing.T, s *site) {
		s.Inbox = inbox.New(s.rdb, s.k, inbox.Options{Cap: 3, Now: s.clock.now})
		s.fill(t, 42, 1, 3)
		if _, _, err := s.MarkRead(t.Context(), 42, key(2)); err != nil {
			t.Fatal(err)
		}
		heard := s.listen(t, 42)
		for i, unread := range []string{"2", "3", "3"} { // the rows that leave: 1 unread, 2 read, 3 unread
			id := int64(4 + i)
			s.deliver(t, 42, s.notice(id, fmt.Sprintf("photo:%d", id)))
			if at := s.sound(t, 42); len(at.List) != 3 || at.State["unread"] != unread {
				t.Errorf("after notice %d: %d rows, %s unread; want 3 and %s", id, len(at.List), at.State["unread"], unread)
			}
		}
		want := "notice like:photo:4, removed like:photo:1, notice like:photo:5, removed like:photo:2, notice like:photo:6, removed like:photo:3"
		if got := events(heard.heard(t)); got != want {
			t.Errorf("published\n%s, want\n%s", got, want)
		}
		if got := len(s.stored(t, 42).Gone); got != 3 {
			t.Errorf("gone has %d notices, want 3", got)
		}
		before := s.stored(t, 42)
		if got := s.deliver(t, 42, s.notice(1, "photo:1")); got != 0 {
			t.Error("a trimmed notice was delivered again")
		}
		same(t, "delivering a trimmed notice", before, s.stored(t, 42))
	})
}

func TestAnExpiredNoticeIsNotDelivered(t *testing.T) {
	onEachRedis(t, func(t *testing.T, s *site) {
		s.fill(t, 42, 1, 1)
		before := s.stored(t, 42)
		late := s.notice(2, "photo:2")
		late.ExpiresAt = s.clock.now()
		if got := s.deliver(t, 42, late); got != 0 {
			t.Errorf("changed %d inboxes, want 0", got)
		}
		same(t, "an expired notice", before, s.stored(t, 42))
		endless := s.notice(3, "photo:3")
		endless.ExpiresAt = time.Time{}
		s.deliver(t, 42, endless)
		if at := s.sound(t, 42); len(at.Expiry) != 1 || !strings.Contains(at.Hash[key(3)+":has_read:0"], " 0 {") {
			t.Errorf("a notice without expiry: %v, expiry %v", at.Hash, at.Expiry)
		}
	})
}

func TestOneNoticeReachesManyUsersWarmAndCold(t *testing.T) {
	onEachRedis(t, func(t *testing.T, s *site) {
		const users = 600 // three pipelines
		seqs := make([]int64, users)
		for i := range seqs {
			seqs[i] = int64(i + 1)
		}
		n := s.notice(7, "")
		n.Recipients = users
		if changed, err := s.Deliver(t.Context(), n, seqs[:200]); err != nil || changed != 200 {
			t.Fatalf("changed %d, %v; want the 200 cold inboxes", changed, err)
		}
		if changed, err := s.Deliver(t.Context(), n, seqs); err != nil || changed != 400 {
			t.Fatalf("changed %d, %v; want the other 400", changed, err)
		}
		for _, seq := range []int64{1, 256, 257, 600} {
			if at := s.sound(t, seq); !slices.Equal(at.List, []string{"like:notice_id:7:has_read:0"}) {
				t.Errorf("user %d has %v", seq, at.List)
			}
		}
		delivered, read, err := s.counted(t.Context(), 7)
		if err != nil || delivered != users || read != 0 {
			t.Errorf("counted %d delivered, %d read, %v; want 600 and 0", delivered, read, err)
		}
	})
}

func TestAFailingInboxDoesNotKeepOthersFromTheirNotice(t *testing.T) {
	onEachRedis(t, func(t *testing.T, s *site) {
		if err := s.rdb.Set(t.Context(), s.k.State(2), "not a hash", 0).Err(); err != nil {
			t.Fatal(err)
		}
		changed, err := s.Deliver(t.Context(), s.notice(7, "photo:7"), []int64{1, 2, 3})
		if err == nil || changed != 2 {
			t.Errorf("changed %d, error %v; want 2 and an error", changed, err)
		}
	})
}
