package behind_test

import (
	"context"
	"sync"
	"testing"
	"testing/synctest"
	"time"

	"github.com/carillonhq/carillon/internal/lease"
	"github.com/carillonhq/carillon/notifier"
	"github.com/carillonhq/carillon/notifier/inbox/behind"
)

// leases behave like the leases in Redis: they expire.
type leases struct {
	mu    sync.Mutex
	owner map[string]string
	until map[string]time.Time
	gone  bool // the holder cannot be determined
}

func newLeases() *leases { return &leases{owner: map[string]string{}, until: map[string]time.Time{}} }

func (l *leases) of(owner string) lease.Source {
	return func(name string, life time.Duration) lease.Lease { return &held{l, owner, name, life} }
}

// take gives a lease to another holder.
func (l *leases) take(name string, life time.Duration) {
	l.mu.Lock()
	defer l.mu.Unlock()
	l.owner[name], l.until[name] = "somebody else", time.Now().Add(life)
}

type held struct {
	all         *leases
	owner, name string
	life        time.Duration
}

func (l *held) Hold(context.Context) (bool, error) {
	l.all.mu.Lock()
	defer l.all.mu.Unlock()
	if l.all.gone {
		return false, errAway
	}
	if l.all.owner[l.name] != l.owner && time.Now().Before(l.all.until[l.name]) {
		return false, nil
	}
	l.all.owner[l.name], l.all.until[l.name] = l.owner, time.Now().Add(l.life)
	return true, nil
}

func (l *held) Release(ctx context.Context) error {
	l.all.mu.Lock()
	defer l.all.mu.Unlock()
	if l.all.owner[l.name] == l.owner {
		delete(l.all.until, l.name)
	}
	return ctx.Err()
}

func TestOneInstanceWritesAndAnotherTakesOverWhenItStops(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		b, d, l := newInboxes(), newDatabase(), newLeases()
		one := behind.NewFlusher(behind.FlusherConfig{Inbox: b, Store: d, Leases: l.of("one")})
		two := behind.NewFlusher(behind.FlusherConfig{Inbox: b, Store: d, Leases: l.of("two")})
		stop := run(t, one)
		pass(1500 * time.Millisecond) // it holds all leases
		defer run(t, two)()
		b.change(between(1, 640)...)
		pass(10 * time.Second)
		if one.Stats().Users != 640 || two.Stats().Users != 0 {
			t.Errorf("%d and %d were written", one.Stats().Users, two.Stats().Users)
		}
		stop()
		b.change(between(1, 640)...)
		pass(2 * time.Second) // too short for a lease to expire
		settled(t, b, d)
		if two.Stats().Users != 640 {
			t.Errorf("%d were written after the first stopped", two.Stats().Users)
		}
	})
}

func TestLosingTheLeaseEndsALongRound(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		b, d, l := newInboxes(), newDatabase(), newLeases()
		d.onSave = func([]notifier.Snapshot) error {
			l.take("flush:0", time.Hour)
			return nil
		}
		for i := range int64(1000) {
			b.change(64 * (i + 1)) // all of group 0
		}
		f := behind.NewFlusher(behind.FlusherConfig{Inbox: b, Store: d, Leases: l.of("one")})
		defer run(t, f)()
		pass(10 * time.Second)
		if n := b.marked(); n != 976 {
			t.Errorf("%d marks are left, want 976", n)
		}
		if lag := f.Stats().Lag; lag != 0 {
			t.Errorf("the lag here is %v although another instance writes", lag)
		}
	})
}

func TestFlushDoesNotTakeTheLease(t *testing.T) {
	t.Parallel()
	b, d, l := newInboxes(), newDatabase(), newLeases()
	for _, name := range []string{"flush:0", "flush:1", "flush:2", "flush:3", "flush:4", "flush:5", "flush:6", "flush:7"} {
		l.take(name, time.Hour)
	}
	b.change(between(1, 5000)...)
	if err := behind.NewFlusher(behind.FlusherConfig{Inbox: b, Store: d, Leases: l.of("one")}).Flush(t.Context()); err != nil {
		t.Error(err)
	}
	settled(t, b, d)
}

func TestChangesAreInSQLASecondAfterRedisIsBack(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		b, d, l := newInboxes(), newDatabase(), newLeases()
		away := func(gone bool) {
			l.mu.Lock()
			defer l.mu.Unlock()
			l.gone = gone
		}
		defer run(t, behind.NewFlusher(behind.FlusherConfig{Inbox: b, Store: d, Leases: l.of("one")}))()
		away(true)
		b.change(between(1, 64)...)
		pass(time.Minute)
		if b.marked() != 64 {
			t.Fatalf("%d marks wait, want 64: the test would prove nothing", b.marked())
		}
		away(false)
		pass(time.Second)
		settled(t, b, d)
	})
}
