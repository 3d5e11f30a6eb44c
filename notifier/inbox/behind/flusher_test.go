package behind_test

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"sync"
	"sync/atomic"
	"testing"
	"testing/synctest"
	"time"

	"github.com/carillonhq/carillon/notifier"
	"github.com/carillonhq/carillon/notifier/inbox/behind"
)

var errAway = fmt.Errorf("%w: no answer", notifier.ErrUnavailable)

func TestAChangeIsInSQLASecondLater(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		b, d := newInboxes(), newDatabase()
		f := behind.NewFlusher(behind.FlusherConfig{Inbox: b, Store: d, Log: quiet()})
		defer run(t, f)()
		for range 5 {
			b.change(between(1, 3000)...)
			pass(time.Second)
			settled(t, b, d)
		}
		if s := f.Stats(); s.Users != 15_000 || s.Batches < 5*8 || s.Batches > 5*8*17 || s.Lag != 0 {
			t.Errorf("%+v", s)
		}
	})
}

func TestAChangeDuringAFlushKeepsItsMark(t *testing.T) {
	t.Parallel()
	for _, when := range []string{"before it is saved", "after it is saved"} {
		t.Run(when, func(t *testing.T) {
			t.Parallel()
			b, d := newInboxes(), newDatabase()
			b.change(between(1, 100)...) // 63 is in the last partition
			again := func() error { b.change(63); return nil }
			if when == "before it is saved" {
				d.onSave = func([]notifier.Snapshot) error { return again() }
			} else {
				b.onClean = again
			}
			f := behind.NewFlusher(behind.FlusherConfig{Inbox: b, Store: d, Log: quiet()})
			if err := f.Flush(t.Context()); err != nil {
				t.Fatal(err)
			}
			if late := d.behind(b); !slices.Equal(late, []int64{63}) || b.marked() != 1 {
				t.Fatalf("SQL is behind for %v, and %d marks are left; want only the one of user 63", late, b.marked())
			}
			d.onSave, b.onClean = func([]notifier.Snapshot) error { return nil }, func() error { return nil }
			if err := f.Flush(t.Context()); err != nil {
				t.Fatal(err)
			}
			settled(t, b, d)
		})
	}
}

func TestAMarkIsRemovedOnlyAfterSQLHasTheChange(t *testing.T) {
	t.Parallel()
	b, d := newInboxes(), newDatabase()
	b.change(between(1, 200)...)
	d.onSave = func([]notifier.Snapshot) error {
		if n := b.marked(); n != 200 {
			t.Errorf("%d marks while nothing can be saved", n)
		}
		return errAway
	}
	if err := behind.NewFlusher(behind.FlusherConfig{Inbox: b, Store: d}).Flush(t.Context()); !errors.Is(err, notifier.ErrUnavailable) {
		t.Errorf("Flush: %v", err)
	}
	if n := b.marked(); n != 200 {
		t.Errorf("%d marks are left of 200", n)
	}
}

func TestAnotherInstanceFinishesAfterAKillBetweenSaveAndClean(t *testing.T) {
	t.Parallel()
	b, d := newInboxes(), newDatabase()
	b.change(between(1, 700)...)
	ctx, kill := context.WithCancel(t.Context())
	b.onClean = func() error { kill(); return ctx.Err() }
	if err := behind.NewFlusher(behind.FlusherConfig{Inbox: b, Store: d}).Flush(ctx); !errors.Is(err, context.Canceled) {
		t.Errorf("Flush: %v", err)
	}
	if b.marked() != 700 {
		t.Errorf("%d marks are left of 700", b.marked())
	}
	b.onClean = func() error { return nil }
	if err := behind.NewFlusher(behind.FlusherConfig{Inbox: b, Store: d}).Flush(t.Context()); err != nil {
		t.Error(err)
	}
	settled(t, b, d)
}

func TestWhileSQLIsAwayMarksWaitAndOneLineIsLogged(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		b, d := newInboxes(), newDatabase()
		var gone atomic.Bool
		d.onSave = func([]notifier.Snapshot) error {
			if gone.Load() {
				return errAway
			}
			return nil
		}
		log, seen := newLog()
		f := behind.NewFlusher(behind.FlusherConfig{Inbox: b, Store: d, Log: log})
		defer run(t, f)()
		gone.Store(true)
		b.change(between(1, 6400)...)
		for range 60 {
			b.change(between(1, 64)...)
			pass(time.Second)
		}
		if b.marked() != 6400 {
			t.Errorf("%d marks are left of 6400", b.marked())
		}
		if lag := f.Stats().Lag; lag < 59*time.Second || lag > 61*time.Second {
			t.Errorf("after a minute the lag is %v", lag)
		}
		if d.tries > 8*20 {
			t.Errorf("SQL was tried %d times in a minute", d.tries)
		}
		gone.Store(false)
		pass(6 * time.Second)
		settled(t, b, d)
		if got := seen(); !slices.Equal(got, []string{"could not write inboxes to sql; retrying", "writing inboxes to sql works again"}) {
			t.Errorf("logged %q", got)
		}
		if s := f.Stats(); s.Lag != 0 || s.Users != 6400 {
			t.Errorf("%+v", s)
		}
	})
}

func TestWhileRedisIsAwayItKeepsTrying(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		b, d := newInboxes(), newDatabase()
		var gone atomic.Bool
		gone.Store(true)
		b.onDirty = func() error {
			if gone.Load() {
				return errAway
			}
			return nil
		}
		log, seen := newLog()
		defer run(t, behind.NewFlusher(behind.FlusherConfig{Inbox: b, Store: d, Log: log}))()
		pass(time.Minute)
		b.change(between(1, 640)...)
		gone.Store(false)
		pass(6 * time.Second)
		settled(t, b, d)
		if got := seen(); len(got) != 2 {
			t.Errorf("logged %q", got)
		}
	})
}

// hanging waits until its context ends, like a database that does not answer.
type hanging struct{ *database }

func (h hanging) SaveSnapshots(ctx context.Context, _ []notifier.Snapshot) error {
	<-ctx.Done()
	return ctx.Err()
}

func TestAHangingDatabaseDoesNotBlockForever(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		b := newInboxes()
		b.change(1)
		log, seen := newLog()
		defer run(t, behind.NewFlusher(behind.FlusherConfig{Inbox: b, Store: hanging{newDatabase()}, Log: log}))()
		pass(15 * time.Second)
		if len(seen()) != 1 || b.marked() != 1 {
			t.Errorf("logged %q, %d marks", seen(), b.marked())
		}
	})
}

func TestTwoFlushersAtOnceLoseNothing(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		b, d := newInboxes(), newDatabase()
		d.onSave = func([]notifier.Snapshot) error { <-time.After(7 * time.Millisecond); return nil }
		for range 2 {
			defer run(t, behind.NewFlusher(behind.FlusherConfig{Inbox: b, Store: d}))()
		}
		for i := range int64(300) {
			b.change(between(1+i, 300+i)...)
			pass(11 * time.Millisecond)
		}
		pass(2 * time.Second)
		settled(t, b, d)
	})
}

func TestAtMostOneBatchPerGroupIsInMemory(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		b, d := newInboxes(), newDatabase()
		var mu sync.Mutex
		var held, most, largest, reading, readers, saving, savers int
		b.onRead = func(seqs []int64) error {
			mu.Lock()
			held += len(seqs)
			most, largest = max(most, held), max(largest, len(seqs))
			reading++
			readers = max(readers, reading)
			mu.Unlock()
			<-time.After(400 * time.Millisecond) // longer than the delay before the next group begins
			mu.Lock()
			defer mu.Unlock()
			reading--
			return nil
		}
		d.onSave = func(all []notifier.Snapshot) error {
			mu.Lock()
			saving++
			savers = max(savers, saving)
			mu.Unlock()
			<-time.After(1500 * time.Millisecond) // longer than a round
			mu.Lock()
			defer mu.Unlock()
			held -= len(all)
			saving--
			return nil
		}
		b.change(between(1, 5000)...)
		defer run(t, behind.NewFlusher(behind.FlusherConfig{Inbox: b, Store: d}))()
		pass(4 * time.Minute)
		settled(t, b, d)
		if largest != 24 || most > 8*24 {
			t.Errorf("at most %d at a time in a group and %d in total", largest, most)
		}
		if readers != 2 || savers != 2 {
			t.Errorf("%d groups read from Redis at once, and %d saved to SQL; want 2", readers, savers)
		}
	})
}

func TestAFailingUserDoesNotHoldUpOthers(t *testing.T) {
	t.Parallel()
	broken := errors.New("broken")
	for _, where := range []string{"Redis", "SQL"} {
		t.Run(where, func(t *testing.T) {
			t.Parallel()
			b, d := newInboxes(), newDatabase()
			b.change(3, 8) // the oldest marks of their groups
			b.change(between(1, 5000)...)
			b.change(4)
			if where == "Redis" {
				b.onRead = func(seqs []int64) error {
					if slices.Contains(seqs, 3) || slices.Contains(seqs, 8) {
						return broken
					}
					return nil
				}
			} else {
				d.onSave = func(all []notifier.Snapshot) error {
					if slices.ContainsFunc(all, func(s notifier.Snapshot) bool { return s.Seq == 3 || s.Seq == 8 }) {
						return broken
					}
					return nil
				}
			}
			f := behind.NewFlusher(behind.FlusherConfig{Inbox: b, Store: d})
			if err := f.Flush(t.Context()); !errors.Is(err, broken) {
				t.Errorf("Flush: %v", err)
			}
			late := d.behind(b)
			slices.Sort(late)
			if !slices.Equal(late, []int64{3, 8}) || b.marked() != 2 {
				t.Errorf("SQL is behind for %v", late)
			}
		})
	}
}

func TestABusyPartitionDoesNotHoldUpOthers(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		b, d := newInboxes(), newDatabase()
		var busy []int64
		for i := range int64(100) {
			busy = append(busy, 64*(i+1)) // partition 0
		}
		d.onSave = func([]notifier.Snapshot) error {
			b.change(busy...)
			<-time.After(time.Millisecond)
			return nil
		}
		b.change(busy...)
		b.change(1, 2, 3, 4, 5, 6, 7)
		defer run(t, behind.NewFlusher(behind.FlusherConfig{Inbox: b, Store: d}))()
		pass(time.Second)
		for seq := range int64(8) {
			if late := d.behind(b); seq > 0 && slices.Contains(late, seq) {
				t.Errorf("user %d is still waiting", seq)
			}
		}
	})
}

func TestTheMarkOfAnInboxLostByRedisIsRemoved(t *testing.T) {
	t.Parallel()
	b, d := newInboxes(), newDatabase()
	b.change(1, 2, 3)
	b.cold[2] = true
	b.marks[3] += 1000 // a mark from before the loss
	if err := behind.NewFlusher(behind.FlusherConfig{Inbox: b, Store: d}).Flush(t.Context()); err != nil {
		t.Fatal(err)
	}
	settled(t, b, d)
	if _, saved := d.vers[2]; saved {
		t.Error("an inbox that does not exist was saved")
	}
}
