package pipeline

import (
	"testing"
	"time"

	"github.com/carillonhq/carillon/internal/redistest"
	"github.com/carillonhq/carillon/internal/script"
)

func TestTheHeadersOfTheScriptsAreTrue(t *testing.T) {
	t.Parallel()
	for _, src := range []string{holdSource, releaseSource} {
		if err := script.CheckHeader(src); err != nil {
			t.Error(err)
		}
	}
}

// leases returns two instances' leases of one name, and its life in Redis.
func leases(t *testing.T, life time.Duration) (ours, theirs *Lease, left func() time.Duration) {
	t.Helper()
	rdb, k := redistest.Client(t), redistest.Space(t)
	return NewLease(rdb, k, "x", life), NewLease(rdb, k, "x", life), func() time.Duration { return rdb.PTTL(t.Context(), k.Lease("x")).Val() }
}

func hold(t *testing.T, l *Lease, want bool) {
	t.Helper()
	if got, err := l.Hold(t.Context()); err != nil || got != want {
		t.Fatalf("Hold: %v, %v; want %v", got, err, want)
	}
}

func TestALeaseHasOneHolder(t *testing.T) {
	t.Parallel()
	ours, theirs, left := leases(t, time.Minute)
	hold(t, ours, true)
	hold(t, theirs, false)
	hold(t, ours, true) // lengthens it
	if life := left(); life <= 50*time.Second || life > time.Minute {
		t.Errorf("it lives %v", life)
	}
}

// Whoever writes inboxes behind goes on with it while Redis is full.
func TestALeaseIsLengthenedInAFullRedis(t *testing.T) {
	t.Parallel()
	rdb := redistest.Own(t).Client(t)
	ours := NewLease(rdb, redistest.Space(t), "x", time.Minute)
	hold(t, ours, true)
	if err := rdb.ConfigSet(t.Context(), "maxmemory", "1").Err(); err != nil {
		t.Fatal(err)
	}
	hold(t, ours, true)
}

func TestALeaseIsGivenBackByItsHolderOnly(t *testing.T) {
	t.Parallel()
	ours, theirs, left := leases(t, time.Minute)
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
		t.Errorf("it is still there, for %v", life)
	}
	hold(t, theirs, true)
	hold(t, ours, false)
}

func TestALeaseLapses(t *testing.T) {
	t.Parallel()
	ours, theirs, _ := leases(t, 20*time.Millisecond)
	hold(t, ours, true)
	tick := time.NewTicker(time.Millisecond)
	defer tick.Stop()
	for deadline := time.After(5 * time.Second); ; {
		got, err := theirs.Hold(t.Context())
		if err != nil {
			t.Fatal(err)
		}
		if got {
			break
		}
		select {
		case <-tick.C:
		case <-deadline:
			t.Fatal("it never lapsed")
		}
	}
	hold(t, ours, false)
}
