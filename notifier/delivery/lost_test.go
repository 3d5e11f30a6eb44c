package delivery_test

import (
	"context"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"github.com/carillonhq/carillon/internal/redistest"
	"github.com/carillonhq/carillon/internal/testkit"
	"github.com/carillonhq/carillon/notifier/delivery"
)

func heard(lost <-chan struct{}) bool {
	select {
	case <-lost:
		return true
	default:
		return false
	}
}

func TestLostStreamIsRecreatedAndSignalled(t *testing.T) {
	onEachRedis(t, func(t *testing.T, s *site) {
		var done log
		q := s.intake(handler{deliver: func(_ context.Context, entries []delivery.Entry) []error {
			done.add(entries...)
			return nil
		}})
		start(t, q)
		testkit.Eventually(t, "the first start is signalled", func() bool { return heard(q.Lost()) })
		s.put(t, small(1))
		testkit.Eventually(t, "1 is done", func() bool { return q.Stats().Done == 1 })
		if heard(q.Lost()) {
			t.Error("signalled although nothing was lost")
		}
		for id, lose := range map[int64]func() error{
			2: func() error { return s.rdb.Del(t.Context(), s.k.Intake()).Err() },
			3: func() error { return s.rdb.XGroupDestroy(t.Context(), s.k.Intake(), delivery.Group).Err() },
		} {
			if err := lose(); err != nil {
				t.Fatal(err)
			}
			testkit.Eventually(t, "the loss is signalled", func() bool { return heard(q.Lost()) })
			s.put(t, small(id))
			testkit.Eventually(t, "an entry added after the loss is done", func() bool { return done.times()[id] == 1 && s.length(t) == 0 })
		}
	})
}

// Entries of a stream whose group is gone are handled again rather than never.
func TestNewGroupReadsFromTheBeginning(t *testing.T) {
	onEachRedis(t, func(t *testing.T, s *site) {
		var done log
		q := s.intake(handler{deliver: func(_ context.Context, entries []delivery.Entry) []error {
			done.add(entries...)
			return nil
		}})
		s.put(t, small(1), small(2), small(3))
		s.takeAndDie(t, "dead", 2)
		if err := s.rdb.XGroupDestroy(t.Context(), s.k.Intake(), delivery.Group).Err(); err != nil {
			t.Fatal(err)
		}
		start(t, q)
		testkit.Eventually(t, "all are done", func() bool { return s.length(t) == 0 })
		if d := cmp.Diff(map[int64]int{1: 1, 2: 1, 3: 1}, done.times()); d != "" {
			t.Errorf("done (-want +got):\n%s", d)
		}
	})
}

func TestRestartedRedisIsReadAgain(t *testing.T) {
	t.Parallel()
	server := redistest.Own(t)
	s := newSite(t, server.Client(t))
	var done log
	q := s.intake(handler{deliver: func(_ context.Context, entries []delivery.Entry) []error {
		done.add(entries...)
		return nil
	}})
	start(t, q)
	s.put(t, small(1))
	testkit.Eventually(t, "1 is done", func() bool { return q.Stats().Done == 1 })
	heard(q.Lost())
	server.Crash(t)
	for range 20_000 { // more than fit into the queue; Add must not block
		q.Add(small(2))
	}
	if err := q.Put(t.Context(), small(2)); err == nil {
		t.Error("Put returned no error while Redis was unavailable")
	}
	testkit.Eventually(t, "an unreadable stream counts as no backlog", func() bool { return q.Backlog() <= 10_000 && q.Stats().Oldest == 0 })
	server.Restart(t)
	testkit.Eventually(t, "the loss is signalled", func() bool { return heard(q.Lost()) })
	// The client may take Redis to be unavailable a moment longer.
	testkit.Eventually(t, "3 is added", func() bool { return q.Put(t.Context(), small(3)) == nil })
	testkit.Eventually(t, "3 is done", func() bool { return done.times()[3] == 1 })
}

// Trimming removes finished entries, however young, and keeps unfinished ones, however old.
func TestOnlyFinishedEntriesAreTrimmed(t *testing.T) {
	onEachRedis(t, func(t *testing.T, s *site) {
		hold := make(chan struct{})
		q := s.intake(handler{ranging: func(ctx context.Context, _ delivery.Entry) ([]delivery.Entry, error) {
			select {
			case <-hold:
			case <-ctx.Done():
			}
			return nil, nil
		}}, func(c *delivery.IntakeConfig) { c.Idle = time.Minute })
		start(t, q)
		s.put(t, small(1), small(2), delivery.Entry{Kind: delivery.Deliver, NoticeID: 3}, small(4), small(5))
		testkit.Eventually(t, "1 and 2 are trimmed, 3 and everything after it stays", func() bool { return q.Stats().Done == 4 && s.length(t) == 3 })
		if at, ok, err := q.Oldest(t.Context()); !ok || err != nil || time.Since(at) > time.Minute || time.Since(at) < -time.Second {
			t.Errorf("oldest: %v, %v, %v", at, ok, err)
		}
		testkit.Eventually(t, "one entry is in the backlog", func() bool { return q.Backlog() == 1 && q.Stats().Oldest > 0 })
		close(hold)
		testkit.Eventually(t, "the stream is empty", func() bool { return s.length(t) == 0 && q.Backlog() == 0 && q.Stats().Oldest == 0 })
		if _, ok, err := q.Oldest(t.Context()); ok || err != nil {
			t.Errorf("oldest of an empty stream: %v, %v", ok, err)
		}
	})
}

func TestBacklogCountsUnfinishedEntriesOfAllMembers(t *testing.T) {
	onEachRedis(t, func(t *testing.T, s *site) {
		q := s.intake(handler{})
		count := func(want int64) {
			t.Helper()
			if got := q.Look(t.Context()); got != want {
				t.Errorf("backlog %d, want %d", got, want)
			}
		}
		count(0) // no stream
		s.put(t, small(1), small(2), small(3), small(4), small(5))
		count(5) // no group
		ids := s.takeAndDie(t, "dead", 3)
		count(5)
		if err := s.rdb.XAck(t.Context(), s.k.Intake(), delivery.Group, ids[1]).Err(); err != nil {
			t.Fatal(err)
		}
		count(4)
		if err := s.rdb.XAck(t.Context(), s.k.Intake(), delivery.Group, ids[0]).Err(); err != nil {
			t.Fatal(err)
		}
		q.Trim(t.Context())
		count(3)
		if n := s.length(t); n != 3 {
			t.Errorf("%d entries in the stream, want 3", n)
		}
		s.takeAndDie(t, "dead", 2)
		count(3)
	})
}
