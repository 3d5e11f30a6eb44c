package lease

import (
	"testing"
	"time"

	"go.uber.org/goleak"

	"github.com/carillonhq/carillon/internal/redistest"
	"github.com/carillonhq/carillon/internal/testkit"
)

// The pool of a closed client keeps trying to reach a lost server for up to a second.
func TestMain(m *testing.M) {
	goleak.VerifyTestMain(redistest.Wrap(m),
		goleak.IgnoreAnyFunction("github.com/redis/go-redis/v9/internal/pool.(*ConnPool).tryDial"))
}

// leases returns the leases of two instances on one name, and a function that reads how long
// Redis still keeps it.
func leases(t *testing.T, life time.Duration) (ours, theirs *Redis, left func() time.Duration) {
	t.Helper()
	rdb, k := redistest.Client(t), redistest.Space(t)
	return New(rdb, k, "x", life), New(rdb, k, "x", life), func() time.Duration { return rdb.PTTL(t.Context(), k.Lease("x")).Val() }
}

func hold(t *testing.T, l *Redis, want bool) {
	t.Helper()
	if got, err := l.Hold(t.Context()); err != nil || got != want {
		t.Fatalf("Hold: %v, %v; want %v", got, err, want)
	}
}

func TestOneInstanceHoldsALease(t *testing.T) {
	t.Parallel()
	ours, theirs, left := leases(t, time.Hour)
	hold(t, ours, true)
	hold(t, theirs, false)
	hold(t, ours, true) // extends it
	if life := left(); life <= 30*time.Minute || life > time.Hour {
		t.Errorf("the lease lives for %v", life)
	}
}

// The write-behind must continue while Redis is full: it is what allows inboxes to leave Redis.
func TestALeaseIsExtendedWhileRedisIsFull(t *testing.T) {
	t.Parallel()
	rdb := redistest.Own(t).Client(t)
	ours := New(rdb, redistest.Space(t), "x", time.Hour)
	hold(t, ours, true)
	if err := rdb.ConfigSet(t.Context(), "maxmemory", "1").Err(); err != nil {
		t.Fatal(err)
	}
	hold(t, ours, true)
}

func TestOnlyTheHolderReleasesALease(t *testing.T) {
	t.Parallel()
	ours, theirs, left := leases(t, time.Hour)
	hold(t, ours, true)
	if err := theirs.Release(t.Context()); err != nil {
		t.Fatal(err)
	}
	hold(t, theirs, false)
	for range 2 {
		if err := ours.Release(t.Context()); err != nil {
			t.Fatal(err)
		}
	}
	if life := left(); life != -2 {
		t.Errorf("the released lease still lives for %v", life)
	}
	hold(t, theirs, true)
	hold(t, ours, false)
}

func TestALeaseLapses(t *testing.T) {
	t.Parallel()
	rdb, k := redistest.Client(t), redistest.Space(t)
	ours, theirs := New(rdb, k, "x", 20*time.Millisecond), New(rdb, k, "x", time.Hour)
	hold(t, ours, true)
	testkit.Eventually(t, "the lease lapses", func() bool {
		got, err := theirs.Hold(t.Context())
		if err != nil {
			t.Fatal(err)
		}
		return got
	})
	hold(t, ours, false)
}
