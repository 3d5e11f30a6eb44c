package behind_test

import (
	"context"
	"errors"
	"strconv"
	"testing"
	"time"

	"github.com/redis/go-redis/v9"

	"github.com/carillonhq/carillon/internal/redistest"
	"github.com/carillonhq/carillon/internal/testkit"
	"github.com/carillonhq/carillon/notifier/inbox/behind"
	"github.com/carillonhq/carillon/notifier/keys"
)

var noon = time.Date(2026, 7, 1, 12, 0, 0, 0, time.UTC)

func atNoon() behind.SweeperOptions {
	return behind.SweeperOptions{Now: func() time.Time { return noon }}
}

func TestDueEntriesLeaveAndTheOthersStay(t *testing.T) {
	t.Parallel()
	rdb, k := redistest.Client(t), redistest.Space(t)
	b := newExpirer(rdb, k)
	b.store(t, 42, "like:photo_id:1", noon.Add(-time.Hour))
	b.store(t, 42, "like:a|b", noon)
	b.store(t, 42, "like:photo_id:2", noon.Add(time.Millisecond))
	b.store(t, 63, "like:photo_id:1", noon.Add(-1))
	b.store(t, 63, "", noon) // the whole inbox
	b.store(t, 64, "like:photo_id:1", noon.Add(time.Hour))
	n, err := behind.NewSweeper(rdb, k, b, always(), atNoon()).Sweep(t.Context())
	if err != nil || n != 4 {
		t.Fatalf("%d entries, %v; want 4", n, err)
	}
	if b.count(42) != 2 || b.count(63) != 2 || b.count(64) != 0 {
		t.Errorf("left: %v", b.left)
	}
	rest, err := rdb.ZRange(t.Context(), k.Expiry(keys.Partition(42)), 0, -1).Result()
	if err != nil || len(rest) != 1 || rest[0] != "42|like:photo_id:2" {
		t.Errorf("still stored: %q, %v", rest, err)
	}
}

func TestASweepContinuesUntilNothingIsDue(t *testing.T) {
	t.Parallel()
	rdb, k := redistest.Client(t), redistest.Space(t)
	b := newExpirer(rdb, k)
	for i := range 1100 {
		b.store(t, 7, "like:"+strconv.Itoa(i), noon)
		b.store(t, 8+64*int64(i), "like:x", noon)
	}
	if n, err := behind.NewSweeper(rdb, k, b, always(), atNoon()).Sweep(t.Context()); err != nil || n != 2200 {
		t.Errorf("%d entries, %v; want 2200", n, err)
	}
}

func TestAFailingInboxDoesNotHoldUpOthers(t *testing.T) {
	t.Parallel()
	rdb, k := redistest.Client(t), redistest.Space(t)
	b := newExpirer(rdb, k)
	broken := errors.New("broken")
	b.fail = func(seq int64) error {
		if seq == 1 {
			return broken
		}
		return nil
	}
	b.store(t, 1, "like:x", noon)
	b.store(t, 65, "like:x", noon)
	n, err := behind.NewSweeper(rdb, k, b, always(), atNoon()).Sweep(t.Context())
	if !errors.Is(err, broken) || n != 1 || b.count(65) != 1 {
		t.Errorf("%d entries, %v; want 1 and the error of the other", n, err)
	}
}

func TestMalformedExpiryMembersAreRemoved(t *testing.T) {
	t.Parallel()
	rdb, k := redistest.Client(t), redistest.Space(t)
	b := newExpirer(rdb, k)
	odd := []string{"", "7", "|like:x", "x|like:x", "-7|like:x", "8|like:x"}
	for i := len(odd); i < 500; i++ { // as many as are read at a time
		odd = append(odd, "x|like:"+strconv.Itoa(i))
	}
	for _, m := range odd {
		if err := rdb.ZAdd(t.Context(), k.Expiry(7), redis.Z{Member: m}).Err(); err != nil {
			t.Fatal(err)
		}
	}
	b.store(t, 7, "like:x", noon)
	o := atNoon()
	log, seen := testkit.Log()
	o.Log = log
	s := behind.NewSweeper(rdb, k, b, always(), o)
	if n, err := s.Sweep(t.Context()); err != nil || n != 1 {
		t.Errorf("%d entries, %v; want the one after the malformed members", n, err)
	}
	if left := rdb.ZCard(t.Context(), k.Expiry(7)).Val(); left != 0 || len(seen) != 1 {
		t.Errorf("%d members left, %d log lines", left, len(seen))
	}
}

func TestWithoutTheLeaseNothingIsSwept(t *testing.T) {
	t.Parallel()
	rdb, k := redistest.Client(t), redistest.Space(t)
	b := newExpirer(rdb, k)
	b.store(t, 7, "like:x", noon)
	asked := make(chan struct{})
	l := always()
	l.hold = func() (bool, error) { asked <- struct{}{}; return false, nil }
	o := atNoon()
	o.Every = time.Millisecond
	stop := sweeping(t, behind.NewSweeper(rdb, k, b, l, o))
	for range 3 { // the third request comes after two complete rounds
		<-asked
	}
	if b.count(7) != 0 {
		t.Error("entries were swept")
	}
	go func() {
		for range asked { // lets Run finish
		}
	}()
	stop()
	close(asked)
}

func TestAStoppedSweeperReleasesTheLease(t *testing.T) {
	t.Parallel()
	rdb, k := redistest.Client(t), redistest.Space(t)
	l := always()
	sweeping(t, behind.NewSweeper(rdb, k, newExpirer(rdb, k), l, atNoon()))()
	select {
	case <-l.released:
	default:
		t.Error("the lease was not released")
	}
}

func TestTwoSweepersWithoutALeaseRemoveEachEntryOnce(t *testing.T) {
	t.Parallel()
	rdb, k := redistest.Client(t), redistest.Space(t)
	b := newExpirer(rdb, k)
	o := behind.SweeperOptions{Every: time.Millisecond}
	for range 2 {
		defer sweeping(t, behind.NewSweeper(rdb, k, b, always(), o))()
	}
	for i := range 100 {
		b.store(t, 7, "like:"+strconv.Itoa(i), time.Now().Add(time.Duration(i)*time.Millisecond))
	}
	testkit.Eventually(t, "all 100 entries leave", func() bool { return b.count(7) >= 100 })
	if left := rdb.ZCard(t.Context(), k.Expiry(7)).Val(); b.count(7) != 100 || left != 0 {
		t.Errorf("%d left the inbox, %d are still due", b.count(7), left)
	}
}

func TestAnOutageIsLoggedOnceAndThenCaughtUp(t *testing.T) {
	t.Parallel()
	server := redistest.Own(t)
	rdb, k := impatient(t, server), redistest.Space(t)
	b := newExpirer(rdb, k)
	server.Crash(t)
	log, seen := testkit.Log()
	failed := make(chan struct{}, 1000)
	l := always()
	l.hold = func() (bool, error) { failed <- struct{}{}; return true, nil }
	defer sweeping(t, behind.NewSweeper(rdb, k, b, l, behind.SweeperOptions{Every: time.Millisecond, Log: log}))()
	for range 4 {
		<-failed
	}
	server.Restart(t)
	newExpirer(server.Client(t), k).store(t, 7, "like:x", time.Now())
	testkit.Eventually(t, "the entry leaves", func() bool { return b.count(7) == 1 })
	testkit.Eventually(t, "the log says that it works again", func() bool { return len(seen) == 2 })
	if first, second := <-seen, <-seen; first != "background work failing; retrying" || second != "background work recovered" {
		t.Errorf("logged %q, %q", first, second)
	}
}

// impatient is a client with short timeouts, so that an outage is noticed quickly.
func impatient(t *testing.T, s *redistest.Server) *redis.Client {
	t.Helper()
	o := *s.Client(t).Options()
	o.MaxRetries, o.DialerRetries = -1, 1
	c := redis.NewClient(&o)
	t.Cleanup(func() { _ = c.Close() })
	return c
}

// sweeping starts s. The returned function stops it and waits for it to end.
func sweeping(t *testing.T, s *behind.Sweeper) (stop func()) {
	t.Helper()
	ctx, cancel := context.WithCancel(t.Context())
	ended := make(chan error, 1)
	go func() { ended <- s.Run(ctx) }()
	return func() {
		t.Helper()
		cancel()
		if err := <-ended; err != nil {
			t.Errorf("Run: %v", err)
		}
	}
}
