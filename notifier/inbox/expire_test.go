package inbox_test

import (
	"errors"
	"strconv"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"
	"github.com/redis/go-redis/v9"

	"github.com/carillonhq/carillon/notifier"
	"github.com/carillonhq/carillon/notifier/inbox"
	"github.com/carillonhq/carillon/notifier/keys"
)

func TestOnlyDueEntriesExpire(t *testing.T) {
	onEachRedis(t, func(t *testing.T, s *site) {
		for id, life := range map[int64]time.Duration{1: time.Minute, 2: time.Hour, 3: time.Minute} {
			n := s.notice(id, "photo:"+string('0'+rune(id)))
			n.ExpiresAt = s.clock.in(life)
			s.deliver(t, 42, n)
		}
		if _, _, err := s.MarkRead(t.Context(), 42, key(3)); err != nil {
			t.Fatal(err)
		}
		all := []string{key(1), key(2), key(3), "like:photo:9"}
		before := s.stored(t, 42)
		if n, err := s.Expire(t.Context(), map[int64][]string{42: all}); err != nil || n != 0 {
			t.Errorf("expired %d, %v; want 0, as nothing is due", n, err)
		}
		same(t, "expiring before the time", before, s.stored(t, 42))
		s.clock.pass(30 * time.Minute)
		heard := s.listen(t, 42)
		if n, err := s.Expire(t.Context(), map[int64][]string{42: all}); err != nil || n != 2 {
			t.Errorf("expired %d, %v; want 2", n, err)
		}
		at := s.sound(t, 42)
		if at.State["unread"] != "1" || len(at.Gone) != 2 {
			t.Errorf("state %v, gone %v", at.State, at.Gone)
		}
		if got := events(heard.heard(t)); got != "removed like:photo:1, removed like:photo:3" {
			t.Errorf("published %q", got)
		}
		if n, err := s.Expire(t.Context(), map[int64][]string{42: all}); err != nil || n != 0 {
			t.Errorf("a second time: expired %d, %v", n, err)
		}
		same(t, "expiring a second time", at, s.stored(t, 42))
	})
}

func TestAnEntryIsVisibleUntilTheMillisecondOfItsExpiry(t *testing.T) {
	onEachRedis(t, func(t *testing.T, s *site) {
		users := []int64{1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12}
		for _, seq := range users {
			n := s.notice(1, "photo:1")
			n.ExpiresAt = time.UnixMilli(startTime + 60_000)
			s.deliver(t, seq, n)
		}
		s.clock.ms.Store(startTime + 60_000 - 1)
		if page, err := s.Look(t.Context(), 1, notifier.Query{}); err != nil || titles(page) != "1" {
			t.Errorf("a millisecond before: %q, %v", titles(page), err)
		}
		if poll, err := s.Poll(t.Context(), 5, notifier.PollQuery{}); err != nil || len(poll.Entries) != 1 || poll.Unread != 1 {
			t.Errorf("polled a millisecond before: %+v, %v", poll, err)
		}
		s.clock.pass(time.Millisecond)
		if poll, err := s.Poll(t.Context(), 5, notifier.PollQuery{}); err != nil || len(poll.Entries) != 0 || poll.Unread != 0 {
			t.Errorf("Poll: %+v, %v; want nothing", poll, err)
		}
		if _, err := s.ReadKeys(t.Context(), 6, []string{key(1)}); !errors.Is(err, notifier.ErrNotFound) {
			t.Errorf("ReadKeys: %v", err)
		}
		if badge, err := s.ReadSubject(t.Context(), 7, "another", 0); err != nil || badge.Unread != 0 {
			t.Errorf("ReadSubject: %+v, %v", badge, err)
		}
		for seq, read := range map[int64]func() (notifier.Badge, error){
			9: func() (notifier.Badge, error) {
				return s.ReadSection(t.Context(), 9, notifier.Section{Types: []string{"another"}}, "")
			},
			10: func() (notifier.Badge, error) {
				return s.SectionBadge(t.Context(), 10, notifier.Section{Types: []string{"like"}})
			},
		} {
			if badge, err := read(); err != nil || badge.Unread != 0 {
				t.Errorf("section of user %d: %+v, %v", seq, badge, err)
			}
		}
		if counts, err := s.CountBy(t.Context(), 11, inbox.ByType); err != nil || len(counts) != 0 {
			t.Errorf("CountBy: %+v, %v", counts, err)
		}
		if _, err := s.Find(t.Context(), 8, key(1), 0); !errors.Is(err, notifier.ErrNotFound) {
			t.Errorf("Find: %v", err)
		}
		if n, err := s.Expire(t.Context(), map[int64][]string{8: {key(1)}}); err != nil || n != 1 {
			t.Errorf("Expire after Find: %d, %v; want 1", n, err)
		}
		if page, err := s.Look(t.Context(), 1, notifier.Query{}); err != nil || titles(page) != "" {
			t.Errorf("Look: %q, %v; want nothing", titles(page), err)
		}
		if page, err := s.Open(t.Context(), 2); err != nil || titles(page) != "" {
			t.Errorf("Open: %q, %v; want nothing", titles(page), err)
		}
		if page, err := s.OpenSection(t.Context(), 12, notifier.Section{Types: []string{"like"}}); err != nil || titles(page) != "" {
			t.Errorf("OpenSection: %q, %v; want nothing", titles(page), err)
		}
		if n, err := s.Expire(t.Context(), map[int64][]string{3: {key(1)}}); err != nil || n != 1 {
			t.Errorf("Expire: %d, %v; want 1", n, err)
		}
		if badge, err := s.ReadUpto(t.Context(), 4, "9999999999999"); err != nil || badge.Unread != 0 {
			t.Errorf("ReadUpto: %+v, %v", badge, err)
		}
		if _, read, err := s.counted(t.Context(), 1); err != nil || read != 0 {
			t.Errorf("%d counted as read, %v", read, err)
		}
		for _, seq := range users {
			if at := s.sound(t, seq); len(at.List) != 0 || at.Gone["1"] == 0 {
				t.Errorf("user %d: %v, gone %v", seq, at.List, at.Gone)
			}
		}
	})
}

func TestDueEntriesOfOtherInboxesInThePartitionHideNothing(t *testing.T) {
	onEachRedis(t, func(t *testing.T, s *site) {
		short := s.notice(1, "photo:1")
		short.ExpiresAt = s.clock.in(time.Minute)
		s.fill(t, 42, 2, 3)
		s.deliver(t, 42, short)
		for i := range int64(150) { // earlier in the index, and more than are checked one by one
			member := decimal(42+64*(i+1)) + "|like:photo:1"
			s.rdb.ZAdd(t.Context(), s.k.Expiry(42), redis.Z{Score: float64(startTime - i), Member: member})
		}
		for _, want := range []string{"1 3 2", "3 2"} {
			if page, err := s.Look(t.Context(), 42, notifier.Query{}); err != nil || titles(page) != want {
				t.Errorf("page %q, %v; want %q", titles(page), err, want)
			}
			s.clock.pass(time.Hour)
		}
		s.sound(t, 42)
	})
}

func TestEntriesThatLiveLongerThanAWeekShareOneExpiryMember(t *testing.T) {
	onEachRedis(t, func(t *testing.T, s *site) {
		const day = 24 * time.Hour
		lives := []time.Duration{30 * day, 10 * day, 6 * day, 20 * day}
		due := make([]int64, 1+len(lives)) // by notice id
		for i, life := range lives {
			n := s.notice(int64(i+1), "photo:"+strconv.Itoa(i+1))
			n.ExpiresAt = s.clock.in(life)
			due[n.ID] = n.ExpiresAt.UnixMilli()
			s.deliver(t, 42, n)
		}
		marks := func(when string, want map[string]int64) {
			t.Helper()
			if d := cmp.Diff(want, s.sound(t, 42).Expiry); d != "" {
				t.Errorf("%s (-want +got):\n%s", when, d)
			}
		}
		sweep := func(want int, keys ...string) {
			t.Helper()
			if n, err := s.Expire(t.Context(), map[int64][]string{42: keys}); err != nil || n != want {
				t.Errorf("expired %d, %v; want %d", n, err, want)
			}
		}
		marks("delivered", map[string]int64{"42|": due[2], "42|" + key(3): due[3]})
		s.clock.ms.Store(due[3])
		sweep(1, key(3))
		if _, err := s.Delete(t.Context(), 42, key(4)); err != nil {
			t.Fatal(err)
		}
		marks("six days later", map[string]int64{"42|": due[2]})
		s.clock.ms.Store(due[2])
		sweep(1, "")
		marks("after checking the whole inbox", map[string]int64{"42|": due[1]})
		sweep(0, "")
		marks("after checking it again", map[string]int64{"42|": due[1]})
		s.clock.ms.Store(due[1])
		if page, err := s.Look(t.Context(), 42, notifier.Query{}); err != nil || titles(page) != "" {
			t.Errorf("Look: %q, %v; want nothing", titles(page), err)
		}
		marks("empty", map[string]int64{})
	})
}

func TestExpiryMembersWithoutAnEntryAreRemoved(t *testing.T) {
	onEachRedis(t, func(t *testing.T, s *site) {
		ctx, index := t.Context(), s.k.Expiry(keys.Partition(42))
		short := s.notice(2, "photo:2")
		short.ExpiresAt = s.clock.in(time.Hour)
		s.fill(t, 42, 1, 1)
		s.deliver(t, 42, short)
		right := s.stored(t, 42).Expiry
		stale := map[string]float64{
			"42|": 5, "42|like:photo:9": 5, "42|" + key(1): 5, "42|" + key(2): 5, "106|": 5, "106|like:photo:1": 5,
		}
		for member, score := range stale {
			if err := s.rdb.Do(ctx, "ZADD", index, score, member).Err(); err != nil {
				t.Fatal(err)
			}
		}
		for seq, names := range map[int64][]string{42: {"like:photo:9", key(1), key(2), ""}, 106: {"like:photo:1", ""}} { // 106 is cold
			if n, err := s.Expire(t.Context(), map[int64][]string{seq: names}); err != nil || n != 0 {
				t.Errorf("user %d: expired %d, %v", seq, n, err)
			}
		}
		if d := cmp.Diff(right, s.sound(t, 42).Expiry); d != "" {
			t.Errorf("expiry index (-want +got):\n%s", d)
		}
		if n := s.rdb.Exists(ctx, s.k.State(106)).Val(); n != 0 {
			t.Error("Expire started a cold inbox")
		}
	})
}
