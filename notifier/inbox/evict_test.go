package inbox_test

import (
	"errors"
	"fmt"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"
	"github.com/redis/go-redis/v9"

	"github.com/carillonhq/carillon/internal/redistest"
	"github.com/carillonhq/carillon/notifier"
	"github.com/carillonhq/carillon/notifier/keys"
)

// idle returns the members of the idle set of a user's partition, without the fence.
func (s *site) idle(t tb, seq int64) map[string]int64 {
	t.Helper()
	all := scores(t, s.rdb, s.k.Idle(keys.Partition(seq)))
	delete(all, "0")
	return all
}

// nothing fails the test if Redis still stores anything for the user.
func (s *site) nothing(t tb, seq int64) {
	t.Helper()
	at, user := s.stored(t, seq), decimal(seq)
	for member := range at.Expiry {
		if strings.HasPrefix(member, user+"|") {
			t.Errorf("expiry still has %s", member)
		}
	}
	_, dirty := at.Dirty[user]
	_, late := at.Late[user]
	_, idle := s.idle(t, seq)[user]
	if len(at.List)+len(at.Hash)+len(at.State)+len(at.Gone)+len(at.Archive) > 0 || dirty || late || idle {
		t.Errorf("user %d still has %+v, dirty %v, late %v, idle %v", seq, at, dirty, late, idle)
	}
}

func (s *site) evict(t tb, part, want int) {
	t.Helper()
	if n, _, err := s.Evict(t.Context(), part, s.clock.now(), 100); err != nil || n != want {
		t.Errorf("%d were evicted, %v; want %d", n, err, want)
	}
}

func TestADeliveryDoesNotCreateAnInboxThatWasStoredMeanwhile(t *testing.T) {
	onEachRedis(t, func(t *testing.T, s *site) {
		h := s.beside(0)
		first, second := s.notice(1, "a"), s.notice(2, "b")
		h.keep(first, second)
		h.looked = func() { // SQL had no inbox a moment ago
			s.deliver(t, 42, first)
			s.writeBehind(t, h, 42)
			s.clock.pass(time.Minute)
			s.evict(t, 42, 1)
		}
		if got := s.deliver(t, 42, second); got != 1 {
			t.Errorf("changed %d inboxes", got)
		}
		if at := s.sound(t, 42); len(at.List) != 2 {
			t.Errorf("the inbox has %v, want both notices", at.List)
		}
	})
}

func TestAnIdleInboxIsEvictedOnceSQLHasItAndRestoredUnchanged(t *testing.T) {
	onEachRedis(t, func(t *testing.T, s *site) {
		h := s.beside(0)
		s.lived(t, h, 42)
		used := s.idle(t, 42)["42"]
		s.clock.ms.Store(used)
		s.evict(t, 42, 0) // it has just been used
		s.clock.pass(time.Minute)
		s.deliver(t, 42, s.notice(9, "photo:9"))
		h.keep(s.notice(9, "photo:9"))
		s.evict(t, 42, 0) // SQL does not have the last change
		s.writeBehind(t, h, 42)
		before := s.sound(t, 42)
		s.evict(t, 42, 1)
		s.nothing(t, 42)
		s.evict(t, 42, 0)
		s.wake(t, 42)
		for field, row := range before.Hash {
			before.Hash[field] = row[:20]
		}
		after := s.sound(t, 42)
		for field, row := range after.Hash {
			after.Hash[field] = row[:20]
		}
		same(t, "evicting and restoring", before, after)
		if got := s.idle(t, 42)["42"]; got != s.clock.now().UnixMilli() {
			t.Errorf("last use %d, want now", got)
		}
	})
}

// Redis may return to a state in which the inbox still had a mark, which the flusher then removes.
func TestAnInboxThatIsMarkedForTheWriteToSQLIsNotEvicted(t *testing.T) {
	onEachRedis(t, func(t *testing.T, s *site) {
		h := s.beside(0)
		s.lived(t, h, 42)
		s.writeBehind(t, h, 42)
		s.clock.pass(time.Minute)
		for _, marks := range []string{s.k.Dirty(42), s.k.Late(42)} {
			s.rdb.ZAdd(t.Context(), marks, redis.Z{Score: 1, Member: "42"})
			s.evict(t, 42, 0)
			s.rdb.ZRem(t.Context(), marks, "42")
		}
		s.evict(t, 42, 1)
		s.nothing(t, 42)
	})
}

func TestAnOpeningThatMarksRowsAsReadCountsAsUse(t *testing.T) {
	onEachRedis(t, func(t *testing.T, s *site) {
		s.fill(t, 42, 1, 1)
		for i, want := range []int64{1, 0} {
			s.clock.pass(time.Hour)
			if _, err := s.Open(t.Context(), 42); err != nil {
				t.Fatal(err)
			}
			if got := s.idle(t, 42)["42"] == s.clock.now().UnixMilli(); got != (want == 1) {
				t.Errorf("opening %d counts as use: %v", i+1, got)
			}
		}
	})
}

func TestOnlyEmptyInboxesAreEvictedWithoutASnapshot(t *testing.T) {
	onEachRedis(t, func(t *testing.T, s *site) {
		h := s.beside(0)
		s.wake(t, 1)
		s.fill(t, 65, 1, 1)
		s.rdb.Del(t.Context(), s.k.Late(1)) // its mark is lost
		s.fill(t, 129, 1, 1)
		if _, err := s.Delete(t.Context(), 129, key(1)); err != nil {
			t.Fatal(err)
		}
		s.rdb.ZRem(t.Context(), s.k.Dirty(1), 129)
		s.rdb.ZRem(t.Context(), s.k.Late(1), 129)
		s.clock.pass(time.Hour)
		s.evict(t, 1, 1)
		s.nothing(t, 1)
		if at := s.stored(t, 65); len(at.List) != 1 || at.Dirty["65"] == 0 || at.Dirty["129"] == 0 {
			t.Errorf("inboxes without a snapshot: %+v", at)
		}
		s.writeBehind(t, h, 65)
		s.evict(t, 1, 2)
		s.nothing(t, 65)
		s.nothing(t, 129)
	})
}

func TestAnInboxUsedDuringAnEvictionStays(t *testing.T) {
	t.Parallel()
	s := newSite(t, redistest.Client(t), 0)
	h := s.beside(0)
	s.fill(t, 1, 1, 1)
	h.keep(s.notice(1, "photo:1"))
	s.writeBehind(t, h, 1)
	s.clock.pass(time.Hour)
	before := s.clock.now()
	h.looking = func() { // after listing the idle inboxes, before the script
		if _, err := s.Open(t.Context(), 1); err != nil {
			t.Error(err)
		}
		s.writeBehind(t, h, 1)
	}
	if n, more, err := s.Evict(t.Context(), 1, before, 100); n != 0 || more || err != nil {
		t.Errorf("%d were evicted, more %v, %v", n, more, err)
	}
	if at := s.sound(t, 1); len(at.List) != 1 {
		t.Errorf("stored: %+v", at)
	}
}

func TestIdleInboxesAreEvictedInPortions(t *testing.T) {
	onEachRedis(t, func(t *testing.T, s *site) {
		h := s.beside(0)
		var seqs []int64
		for i := range int64(25) {
			seqs = append(seqs, 1+i*keys.Partitions)
			s.wake(t, seqs[i])
			s.clock.pass(time.Second)
		}
		s.fill(t, 2, 1, 1) // in another partition
		var left []int
		for more := true; more; {
			n, again, err := s.Evict(t.Context(), 1, s.clock.now().Add(-5*time.Second), 8)
			if err != nil || len(left) > 5 {
				t.Fatal(left, err)
			}
			left, more = append(left, n), again
		}
		if d := cmp.Diff([]int{8, 8, 5}, left); d != "" { // the last four were used in the last five seconds
			t.Errorf("(-want +got):\n%s", d)
		}
		if got := s.idle(t, 1); len(got) != 4 || got[decimal(seqs[24])] == 0 {
			t.Errorf("idle: %v", got)
		}
		h.failing[0] = errors.New("connection refused")
		if _, _, err := s.Evict(t.Context(), 1, s.clock.now(), 8); !errors.Is(err, notifier.ErrUnavailable) {
			t.Errorf("without SQL: %v", err)
		}
		if len(s.idle(t, 1)) != 4 {
			t.Error("evicted without SQL")
		}
	})
}

// An instance reads SQL and pauses. Meanwhile another instance restores the inbox, which is changed,
// written behind and evicted.
func TestAPausedInstanceDoesNotRestoreAStaleSnapshotAfterAnEviction(t *testing.T) {
	onEachRedis(t, func(t *testing.T, s *site) {
		h := s.beside(0)
		s.lived(t, h, 42)
		s.lose(t, 42)
		other := s.another(h, 0)
		h.meeting = func() {
			if _, err := other.Delete(t.Context(), 42, key(5)); err != nil {
				t.Error(err)
			}
			s.writeBehind(t, h, 42)
			s.clock.pass(time.Hour)
			s.evict(t, 42, 1)
		}
		s.wake(t, 42)
		if at := s.sound(t, 42); len(at.List) != 4 || at.State["ver"] != decimal(h.snapshots[42].Ver) || len(at.Gone) != 3 {
			t.Errorf("rows %v, %v; SQL has ver %d", at.List, at.State, h.snapshots[42].Ver)
		}
	})
}

func TestAnErasedUserHasNothingInRedisAndReceivesNothing(t *testing.T) {
	onEachRedis(t, func(t *testing.T, s *site) {
		h := s.beside(0)
		s.lived(t, h, 42)
		s.lived(t, h, 106) // another user in the same partition
		s.deliver(t, 42, s.notice(9, ""))
		other := s.stored(t, 106)
		h.nobody[42] = true
		h.mu.Lock()
		delete(h.snapshots, 42)
		h.mu.Unlock()
		for range 2 {
			if err := s.Erase(t.Context(), 42); err != nil {
				t.Fatal(err)
			}
			s.nothing(t, 42)
		}
		at := s.stored(t, 106)
		at.Dirty, at.Late, at.Expiry, other.Dirty, other.Late, other.Expiry = nil, nil, nil, nil, nil, nil
		same(t, "erasing another user", other, at)
		s.deliverAll(t, s.delivery(t, s.notice(10, ""), 42, 106))
		if err := s.Retract(t.Context(), 11, "like:x", []int64{42, 106}); err != nil {
			t.Errorf("retract: %v", err)
		}
		if len(s.stored(t, 106).List) != len(other.List)+1 {
			t.Error("the other user did not get the notice")
		}
		s.nothing(t, 42)
	})
}

// The deletion must also be noticed between reading SQL and restoring.
func TestAUserErasedDuringARestoreIsNotRestored(t *testing.T) {
	t.Parallel()
	s := newSite(t, redistest.Client(t), 0)
	h := s.beside(0)
	s.lived(t, h, 42)
	s.clock.pass(time.Minute)
	s.evict(t, 42, 1)
	h.meeting = func() {
		h.mu.Lock()
		h.nobody[42] = true
		delete(h.snapshots, 42)
		h.mu.Unlock()
		if err := s.another(h, 0).Erase(t.Context(), 42); err != nil {
			t.Error(err)
		}
	}
	if badge := s.wake(t, 42)[0]; badge != (notifier.Badge{}) {
		t.Errorf("badge %+v", badge)
	}
	s.nothing(t, 42)
}

func TestUnknownUsersHaveNoInbox(t *testing.T) {
	onEachRedis(t, func(t *testing.T, s *site) {
		h := s.beside(0)
		h.nobody[42] = true
		for name, call := range s.everyCall(42) {
			err := call(t.Context())
			switch name {
			case "deliver", "retract", "badges":
				if err != nil {
					t.Errorf("%s: %v", name, err)
				}
			case "statuses", "unread of":
				if errors.Is(err, notifier.ErrUnavailable) { // it was never delivered to them
					t.Errorf("%s: %v", name, err)
				}
			default:
				if !errors.Is(err, notifier.ErrNotFound) {
					t.Errorf("%s: %v, want not found", name, err)
				}
			}
			s.nothing(t, 42)
		}
		if badge := s.wake(t, 42)[0]; badge != (notifier.Badge{}) {
			t.Errorf("badge %+v", badge)
		}
	})
}

func TestADamagedSnapshotAffectsOnlyItsUser(t *testing.T) {
	onEachRedis(t, func(t *testing.T, s *site) {
		h := s.beside(0)
		s.lived(t, h, 1)
		s.lose(t, 1)
		h.save([]notifier.Snapshot{{Seq: 42, Ver: 5, Damaged: true}})
		for name, call := range s.everyCall(42) {
			err := call(t.Context())
			switch name {
			case "badges", "statuses", "find":
			default:
				if err == nil || errors.Is(err, notifier.ErrUnavailable) || errors.Is(err, notifier.ErrNotFound) {
					t.Errorf("%s: %v, want an error about the snapshot", name, err)
				}
			}
			s.nothing(t, 42)
		}
		_, errs := s.DeliverAll(t.Context(), []notifier.Delivery{
			s.delivery(t, s.notice(20, "a"), 1, 2), s.delivery(t, s.notice(21, "b"), 1, 42), s.delivery(t, s.notice(22, "c"), 2),
		})
		if errs[0] != nil || errs[1] == nil || errs[2] != nil {
			t.Errorf("errors %v, want only one for the second delivery", errs)
		}
		if got := fmt.Sprint(s.wake(t, 1, 42, 2)); !strings.HasPrefix(got, "[{4 ") || !strings.Contains(got, "{0 0 0 0 0} {2 ") {
			t.Errorf("badges %s", got)
		}
	})
}
