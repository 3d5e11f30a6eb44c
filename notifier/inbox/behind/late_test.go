package behind_test

import (
	"context"
	"errors"
	"slices"
	"testing"
	"testing/synctest"
	"time"

	"github.com/carillonhq/carillon/notifier"
	"github.com/carillonhq/carillon/notifier/inbox/behind"
)

func TestADeliveryIsInSQL45SecondsAfterItsAcceptance(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		b, d := newInboxes(), newDatabase()
		f := behind.NewFlusher(behind.FlusherConfig{Inbox: b, Store: d, Log: quiet()})
		defer run(t, f)()
		b.deliver(time.Now(), between(1, 640)...)
		b.busy(44 * time.Second)
		if n := len(d.behind(b)); n < 640 {
			t.Errorf("after 44 s SQL is behind for %d users, want at least 640", n)
		}
		if s := f.Stats(); s.Late < 42*time.Second || s.Late > 45*time.Second || s.Lag != 0 {
			t.Errorf("after 44 s: %+v", s)
		}
		b.busy(3 * time.Second)
		if late := d.behind(b); slices.ContainsFunc(late, func(seq int64) bool { return seq <= 640 }) {
			t.Errorf("after 47 s SQL is behind for %d users", len(late))
		}
	})
}

func TestDeliveriesAreInSQLSoonAfterTheLast(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		b, d := newInboxes(), newDatabase()
		f := behind.NewFlusher(behind.FlusherConfig{Inbox: b, Store: d, Log: quiet()})
		defer run(t, f)()
		b.busy(20 * time.Second)
		pass(7 * time.Second)
		settled(t, b, d)
		if s := f.Stats(); s.Late != 0 || s.Lag != 0 || s.Users != 20*64 {
			t.Errorf("afterwards: %+v", s)
		}
	})
}

func TestABusyInboxIsWrittenEvery45Seconds(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		b, d := newInboxes(), newDatabase()
		f := behind.NewFlusher(behind.FlusherConfig{Inbox: b, Store: d, Log: quiet()})
		defer run(t, f)()
		for range 10 * 60 * 4 {
			b.deliver(time.Now(), 7)
			f.Delivered(&notifier.Delivery{NoticeID: 1, Seqs: []int64{7}})
			pass(250 * time.Millisecond)
		}
		if n := f.Stats().Users; n < 11 || n > 13 {
			t.Errorf("in ten minutes it was written %d times", n)
		}
	})
}

func TestADeedIsNotDelayedByDeliveries(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		b, d := newInboxes(), newDatabase()
		d.onSave = func([]notifier.Snapshot) error { <-time.After(50 * time.Millisecond); return nil }
		f := behind.NewFlusher(behind.FlusherConfig{Inbox: b, Store: d, Log: quiet()})
		defer run(t, f)()
		b.deliver(time.Now(), between(1, 30_000)...)
		b.busy(47 * time.Second)
		for i := range int64(5) {
			seq := 30_001 + i*997
			b.change(seq)
			b.busy(2 * time.Second)
			late := d.behind(b)
			if slices.Contains(late, seq) {
				t.Errorf("the deed of user %d is not in SQL after 2 s", seq)
			}
			if len(late) == 0 {
				t.Error("all deliveries are in SQL already: this test proves nothing")
			}
		}
		pass(time.Minute)
		settled(t, b, d)
	})
}

func TestAFailingUserDoesNotHoldUpDeliveries(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		b, d := newInboxes(), newDatabase()
		b.onRead = func(seqs []int64) error {
			if slices.Contains(seqs, 3) {
				return errors.New("broken")
			}
			return nil
		}
		defer run(t, behind.NewFlusher(behind.FlusherConfig{Inbox: b, Store: d, Log: quiet()}))()
		b.change(3)
		b.deliver(time.Now(), between(1, 640)...)
		pass(90 * time.Second)
		if late := d.behind(b); !slices.Equal(late, []int64{3}) {
			t.Errorf("SQL is behind for %d users, want only user 3", len(late))
		}
	})
}

func TestADeedWritesTheDeliveriesBeforeIt(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		b, d := newInboxes(), newDatabase()
		f := behind.NewFlusher(behind.FlusherConfig{Inbox: b, Store: d, Log: quiet()})
		defer run(t, f)()
		b.deliver(time.Now(), 7)
		pass(3 * time.Second)
		b.change(7)
		pass(2 * time.Minute)
		settled(t, b, d)
		if n := f.Stats().Users; n != 1 {
			t.Errorf("the inbox was written %d times", n)
		}
	})
}

// A notice that was accepted after the recorded time is delivered again after a loss.
func TestSQLIsNotCompleteBeyondALateMark(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		b, d := newInboxes(), newDatabase()
		d.onSave = func([]notifier.Snapshot) error { <-time.After(300 * time.Millisecond); return nil }
		defer run(t, behind.NewFlusher(behind.FlusherConfig{Inbox: b, Store: d, Log: quiet()}))()
		var lowest time.Time
		for range 1200 {
			accepted := time.Now().Add(-10 * time.Second)
			b.deliver(accepted, 7, 64*3)
			pass(250 * time.Millisecond)
			if until := d.until(0); until.After(lowest) {
				lowest = until
			}
			b.mu.Lock()
			for seq, at := range b.late {
				if seq == 7 && d.vers[7] < b.vers[7] && d.until(0).UnixMilli() > at {
					t.Fatalf("SQL counts as complete up to %v, but lacks a notice accepted at %v", d.until(0), time.UnixMilli(at))
				}
			}
			b.mu.Unlock()
		}
		if behind := time.Since(lowest); behind > 2*time.Minute {
			t.Errorf("SQL counts as complete only up to %v ago", behind)
		}
	})
}

func TestFlushWritesLateDeliveries(t *testing.T) {
	t.Parallel()
	b, d := newInboxes(), newDatabase()
	b.deliver(time.Now(), between(1, 5000)...)
	if err := behind.NewFlusher(behind.FlusherConfig{Inbox: b, Store: d}).Flush(t.Context()); err != nil {
		t.Fatal(err)
	}
	settled(t, b, d)
	if n := len(b.late); n > 0 {
		t.Errorf("%d late marks are left", n)
	}
}

func TestLateDeliveriesSurviveAKillBeforeTheyAreWritten(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		b, d := newInboxes(), newDatabase()
		b.deliver(time.Now(), between(1, 64)...)
		ctx, kill := context.WithCancel(t.Context())
		d.onSave = func([]notifier.Snapshot) error { kill(); return context.Canceled }
		if err := behind.NewFlusher(behind.FlusherConfig{Inbox: b, Store: d}).Flush(ctx); !errors.Is(err, context.Canceled) {
			t.Errorf("Flush: %v", err)
		}
		d.onSave = func([]notifier.Snapshot) error { return nil }
		defer run(t, behind.NewFlusher(behind.FlusherConfig{Inbox: b, Store: d, Log: quiet()}))()
		pass(48 * time.Second)
		settled(t, b, d)
	})
}

// An instance of an earlier version can hold the lease: it writes dirty marks, and does not look for late ones.
func TestAnInstanceWithoutTheLeaseFindsOverdueLateMarks(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		b, d, l := newInboxes(), newDatabase(), newLeases()
		for i := range 8 {
			l.take("flush:"+string(rune('0'+i)), time.Hour)
		}
		defer run(t, behind.NewFlusher(behind.FlusherConfig{Inbox: b, Store: d, Leases: l.of("one"), Log: quiet()}))()
		b.deliver(time.Now(), between(1, 64)...)
		pass(48 * time.Second)
		if n := b.marked(); n != 0 {
			t.Errorf("%d late marks became dirty marks while they were not overdue", n)
		}
		pass(11 * time.Second)
		if n := b.marked(); n != 64 {
			t.Errorf("%d late marks of 64 became dirty marks", n)
		}
	})
}
