package session

import (
	"fmt"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"
	"github.com/redis/go-redis/v9"

	"github.com/carillonhq/carillon/internal/redistest"
)

// limits runs the scripts of a limiter directly.
type limits struct {
	t   *testing.T
	rdb redis.UniversalClient
	l   *limiter
}

func newLimits(t *testing.T) limits {
	t.Helper()
	rdb := redistest.Client(t)
	return limits{t, rdb, newLimiter(rdb, redistest.Space(t), time.Now)}
}

// count returns how many ms to wait, or -1 if the failure was counted.
func (s limits) count(window, room int64, q quotas) int64 {
	s.t.Helper()
	args := []any{window, room}
	for _, one := range q {
		args = append(args, one.who, one.limit)
	}
	reply, err := countFailure.Run(s.t.Context(), s.rdb, s.l.sets, args...).Int64Slice()
	if err != nil {
		s.t.Fatal(err)
	}
	if reply[0] < 0 {
		return reply[1]
	}
	return -1
}

func (s limits) release(who ...any) int64 {
	s.t.Helper()
	n, err := releaseFailure.Run(s.t.Context(), s.rdb, s.l.sets, who...).Int64()
	if err != nil {
		s.t.Fatal(err)
	}
	return n
}

// want checks the number of failures of each member of a set, in the order of their windows.
func (s limits) want(set int, want ...string) {
	s.t.Helper()
	var got []string
	for _, z := range s.rdb.ZRangeWithScores(s.t.Context(), s.l.sets[set], 0, -1).Val() {
		got = append(got, fmt.Sprint(z.Member, " ", int64(z.Score)%1024))
	}
	if diff := cmp.Diff(want, got); diff != "" {
		s.t.Errorf("set %d (-want +got):\n%s", set, diff)
	}
}

func TestCountFailureCountsInAllSetsOrInNone(t *testing.T) {
	t.Parallel()
	s := newLimits(t)
	both := quotas{{"a", 2}, {"x", 3}}
	for range 2 {
		if wait := s.count(60_000, 10, both); wait != -1 {
			t.Fatalf("must wait %d ms; want a counted failure", wait)
		}
	}
	s.want(0, "a 2")
	s.want(1, "x 2")
	s.want(2)
	if life := s.rdb.PTTL(t.Context(), s.l.sets[0]).Val(); life <= 0 || life > time.Minute {
		t.Errorf("the set expires in %v; want a minute", life)
	}
	if wait := s.count(60_000, 10, both); wait <= 0 || wait > 60_000 {
		t.Errorf("wait is %d ms; want up to a minute", wait)
	}
	s.count(61_000, 10, quotas{{"b", 2}, {"x", 3}}) // ends later than a, even in the same millisecond
	if wait := s.count(60_000, 10, quotas{{"c", 2}, {"x", 3}}); wait <= 0 {
		t.Error("a failure is counted for an address that has reached its limit")
	}
	s.want(0, "a 2", "b 1") // c was not counted
	s.want(1, "x 3")
	// A limit of 0 counts failures without rejecting any.
	if wait := s.count(60_000, 10, quotas{{"a", 0}, {"y", 3}, {"d", 5}}); wait != -1 {
		t.Errorf("must wait %d ms; want no limit on the account", wait)
	}
	s.want(0, "a 3", "b 1")
	s.want(2, "d 1")
	if n := s.release("a", "y", "d"); n != 1 {
		t.Errorf("%d counters remain; want only that of a", n)
	}
	s.want(0, "a 2", "b 1")
	s.want(1, "x 3")
	s.want(2)
	if n := s.release("nobody", "y", ""); n != 0 {
		t.Errorf("%d counters remain of members that were never counted", n)
	}
	s.want(1, "x 3")
}

func TestCountFailureDropsExpiredCounters(t *testing.T) {
	t.Parallel()
	s := newLimits(t)
	// addExpired adds a member with one failure, whose window ended in 1970.
	addExpired := func(member string) {
		if err := s.rdb.ZAdd(t.Context(), s.l.sets[0], redis.Z{Score: 1*1024 + 1, Member: member}).Err(); err != nil {
			t.Fatal(err)
		}
	}
	s.count(60_000, 10, quotas{{"long", 1}})
	addExpired("a")
	if wait := s.count(120_000, 10, quotas{{"a", 1}}); wait != -1 {
		t.Errorf("must wait %d ms after the window has ended", wait)
	}
	s.want(0, "long 1", "a 1")
	addExpired("short")
	s.count(60_000, 10, quotas{{"another", 0}})
	if s.rdb.ZScore(t.Context(), s.l.sets[0], "short").Err() == nil {
		t.Error("an expired counter that is not used again is never removed")
	}
}

func TestCountFailureLimitsTheSizeOfItsSets(t *testing.T) {
	t.Parallel()
	s := newLimits(t)
	for i := range 20 {
		s.count(60_000+int64(i), 3, quotas{{fmt.Sprint("n", i), 1}}) // each ends later than the one before
	}
	s.want(0, "n17 1", "n18 1", "n19 1")
}

func TestUnlimitedCounterNeverOverflowsIntoItsTime(t *testing.T) {
	t.Parallel()
	s := newLimits(t)
	for range 1100 {
		s.count(60_000, 3, quotas{{"a", 0}})
	}
	s.want(0, "a 1023")
}
