package behind_test

import (
	"context"
	"errors"
	"slices"
	"strconv"
	"sync/atomic"
	"testing"
	"testing/synctest"
	"time"

	"github.com/carillonhq/carillon/internal/redistest"
	"github.com/carillonhq/carillon/notifier"
	"github.com/carillonhq/carillon/notifier/inbox/behind"
	"github.com/carillonhq/carillon/notifier/keys"
)

func TestEveryHalfMinuteSQLRecordsUpToWhenItIsComplete(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		b, d := newInboxes(), newDatabase()
		began := time.Now()
		stop := run(t, behind.NewFlusher(behind.FlusherConfig{Inbox: b, Store: d}))
		pass(900 * time.Millisecond)
		for g := range 8 {
			if at := d.until(g); at.Sub(began) != time.Second*time.Duration(g)/8 {
				t.Errorf("group %d is complete up to %v after the start", g, at.Sub(began))
			}
		}
		pass(28 * time.Second)
		if at := d.until(0); !at.Equal(began) {
			t.Errorf("recorded again after %v", at.Sub(began))
		}
		pass(2 * time.Second)
		if at := d.until(0).Sub(began); at != 30*time.Second {
			t.Errorf("then recorded %v, want 30s", at)
		}
		stop()
	})
}

func TestSQLIsNotRecordedAsCompleteWhenItMayNotBe(t *testing.T) {
	t.Parallel()
	broken := errors.New("broken")
	for name, c := range map[string]func(b *inboxes, d *database, c *behind.FlusherConfig) error{
		"an inbox cannot be saved": func(_ *inboxes, d *database, _ *behind.FlusherConfig) error {
			d.onSave = func(all []notifier.Snapshot) error {
				if slices.ContainsFunc(all, func(s notifier.Snapshot) bool { return s.Seq == 5 }) {
					return broken
				}
				return nil
			}
			return broken
		},
		"Redis has lost something": func(b *inboxes, _ *database, _ *behind.FlusherConfig) error { b.live(""); return nil },
		"Redis loses something and is healed during the round": func(b *inboxes, d *database, _ *behind.FlusherConfig) error {
			d.onSave = func([]notifier.Snapshot) error { b.live("second"); return nil }
			return nil
		},
		"Redis loses something at the end of the round": func(b *inboxes, _ *database, _ *behind.FlusherConfig) error {
			b.onClean = func() error { b.live(""); return nil }
			return nil
		},
		"the age of undelivered notices is unknown": func(_ *inboxes, _ *database, c *behind.FlusherConfig) error {
			c.Oldest = func(context.Context) (time.Time, bool, error) { return time.Time{}, true, nil }
			return nil
		},
		"the age of undelivered notices cannot be read": func(_ *inboxes, _ *database, c *behind.FlusherConfig) error {
			c.Oldest = func(context.Context) (time.Time, bool, error) { return time.Time{}, false, broken }
			return broken
		},
	} {
		b, d := newInboxes(), newDatabase()
		b.change(between(1, 7)...) // all of group 0
		config := behind.FlusherConfig{Inbox: b, Store: d, Log: quiet()}
		want := c(b, d, &config)
		if err := behind.NewFlusher(config).Flush(t.Context()); !errors.Is(err, want) {
			t.Errorf("%s: %v", name, err)
		}
		if at, told := d.flushed[0]; told {
			t.Errorf("%s: recorded %v", name, at)
		}
		if n := b.marked(); n > 1 {
			t.Errorf("%s: %d marks are left", name, n)
		}
	}
}

// A notice that waits was accepted earlier but will be written after this round: it
// must be sent again after a loss.
func TestUndeliveredNoticesDoNotCountAsFlushed(t *testing.T) {
	t.Parallel()
	b, d := newInboxes(), newDatabase()
	now := time.Now()
	var oldest atomic.Pointer[time.Time]
	f := behind.NewFlusher(behind.FlusherConfig{
		Inbox: b, Store: d, Now: func() time.Time { return now },
		Oldest: func(context.Context) (time.Time, bool, error) {
			if at := oldest.Load(); at != nil {
				return *at, true, nil
			}
			return time.Time{}, false, nil
		},
	})
	for _, ago := range []time.Duration{time.Hour, -time.Hour} {
		at := now.Add(-ago)
		oldest.Store(&at)
		if err := f.Flush(t.Context()); err != nil {
			t.Fatal(err)
		}
		for g := range 8 {
			if got := now.Sub(d.until(g)); got != max(ago, 0) {
				t.Errorf("with a notice accepted %v ago, group %d is flushed up to %v ago", ago, g, got)
			}
		}
	}
	oldest.Store(nil)
	if err := f.Flush(t.Context()); err != nil || !d.until(7).Equal(now) {
		t.Errorf("without an undelivered notice: %v, %v", d.until(7), err)
	}
}

// stuck never removes a mark.
type stuck struct{ *inboxes }

func (stuck) Clean(context.Context, int, []notifier.Dirty) error { return nil }

func TestAFlushEndsIfMarksCannotBeRemoved(t *testing.T) {
	t.Parallel()
	b, d := newInboxes(), newDatabase()
	b.change(between(1, 1000)...)
	err := behind.NewFlusher(behind.FlusherConfig{Inbox: stuck{b}, Store: d}).Flush(t.Context())
	if err == nil || errors.Is(err, notifier.ErrUnavailable) {
		t.Errorf("Flush: %v", err)
	}
	if at := d.until(0); !at.IsZero() {
		t.Errorf("flushed up to %v", at)
	}
}

func TestAFlushDoesNotChaseNewChanges(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		b, d := newInboxes(), newDatabase()
		d.onSave = func(all []notifier.Snapshot) error {
			<-time.After(time.Millisecond)
			for _, s := range all {
				b.change(s.Seq)
			}
			return nil
		}
		b.change(between(1, 1000)...)
		pass(time.Second)
		ctx, cancel := context.WithTimeout(t.Context(), time.Minute)
		defer cancel()
		if err := behind.NewFlusher(behind.FlusherConfig{Inbox: b, Store: d}).Flush(ctx); err != nil {
			t.Errorf("Flush: %v", err)
		}
		if len(d.vers) != 1000 || d.until(0).IsZero() {
			t.Errorf("%d written, up to %v", len(d.vers), d.until(0))
		}
	})
}

func TestIdleInboxesAreEvictedOnePartitionARound(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		b, d := newInboxes(), newDatabase()
		const month = 30 * 24 * time.Hour
		b.idle[0], b.idle[63] = 1200, 7
		f := behind.NewFlusher(behind.FlusherConfig{Inbox: b, Store: d})
		stop := run(t, f)
		pass(30 * time.Second)
		stop()
		if s := f.Stats(); s.Evicted != 1207 || b.idle[0] != 0 {
			t.Errorf("%d left", s.Evicted)
		}
		if n := len(b.evicted); n < 8*29 || n > 8*31 {
			t.Errorf("%d looks in 30 s", n)
		}
		if ago := time.Since(b.before); ago < month || ago > month+2*time.Second {
			t.Errorf("inboxes unused for %v count as idle", ago)
		}
	})
}

func TestSomeInboxesAreCheckedForDrift(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		b, d := newInboxes(), newDatabase()
		for p := range int64(keys.Partitions) {
			b.drifted[p+keys.Partitions] = notifier.DriftRows
		}
		b.drifted[2*keys.Partitions] = notifier.DriftSQL
		log, seen := newLog()
		f := behind.NewFlusher(behind.FlusherConfig{Inbox: b, Store: d, Log: log})
		stop := run(t, f)
		pass(9 * time.Second)
		if s := f.Stats(); s.Checked != 64 {
			t.Errorf("%d checked in 10 s, want 64", s.Checked)
		}
		pass(100 * time.Second)
		stop()
		s := f.Stats()
		if s.Checked != 11*64 || s.Drift[notifier.DriftRows] == 0 || s.Drift[notifier.DriftSQL] != 1 || s.Drift[notifier.DriftCount] != 0 {
			t.Errorf("%+v", s)
		}
		if n := int64(len(seen())); n != s.Drift[notifier.DriftRows]+1 {
			t.Errorf("logged %d times", n)
		}
	})
}

func TestCountsOfFinishedNoticesLeaveRedisOnceSaved(t *testing.T) {
	t.Parallel()
	rdb, k := redistest.Client(t), redistest.Space(t)
	const notices = 3000
	pipe := rdb.Pipeline()
	for id := range notices {
		pipe.HSet(t.Context(), k.Counts(7), strconv.Itoa(id+1)+":d", id+2, strconv.Itoa(id+1)+":r", id+1)
	}
	if _, err := pipe.Exec(t.Context()); err != nil {
		t.Fatal(err)
	}
	b, d := newInboxes(), newDatabase()
	for id := int64(2); id <= notices; id += 2 {
		d.over[id] = true
	}
	now := time.Now()
	f := behind.NewFlusher(behind.FlusherConfig{Inbox: b, Store: d, Redis: rdb, Keys: k, Now: func() time.Time { return now }})
	for range 3 { // the first walk only saves
		if err := f.Flush(t.Context()); err != nil {
			t.Fatal(err)
		}
	}
	once := map[notifier.NoticeCount]bool{}
	for _, c := range b.forgot {
		once[c] = true
		if c.NoticeID%2 == 1 || c.Delivered != c.NoticeID+1 || c.Read != c.NoticeID || d.counts[c] == 0 {
			t.Fatalf("forgot %+v, saved %d times", c, d.counts[c])
		}
	}
	if len(once) != notices/2 || now.Sub(d.before) != time.Hour {
		t.Errorf("forgot %d notices that ended %v ago", len(once), now.Sub(d.before))
	}
	forgot := len(b.forgot)
	for range 2 {
		if err := f.Flush(t.Context()); err != nil {
			t.Fatal(err)
		}
	}
	if len(b.forgot) != forgot {
		t.Error("it forgets more often than once an hour")
	}
}
