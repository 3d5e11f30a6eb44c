package delivery_test

import (
	"context"
	"errors"
	"sync"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"github.com/carillonhq/carillon/internal/testkit"
	"github.com/carillonhq/carillon/notifier"
	"github.com/carillonhq/carillon/notifier/delivery"
)

// bare clears the fields that differ from run to run.
func bare(entries []delivery.Entry) []delivery.Entry {
	for i := range entries {
		entries[i].ID, entries[i].Tries = "", 0
	}
	return entries
}

func TestEntriesReturnedByRangeReplaceTheEntry(t *testing.T) {
	onEachRedis(t, func(t *testing.T, s *site) {
		var ranged, delivered log
		q := s.intake(handler{
			ranging: func(_ context.Context, e delivery.Entry) ([]delivery.Entry, error) {
				ranged.add(e)
				switch {
				case e.From == 0:
					return []delivery.Entry{{Kind: delivery.Deliver, NoticeID: 7, From: 10, To: 20, Again: true}, small(9), {Kind: delivery.Deliver, NoticeID: 7, From: 500}}, nil
				case e.To == 0 && e.From < 1500:
					return []delivery.Entry{{Kind: delivery.Retract, NoticeID: 7, From: e.From + 500}}, nil
				}
				return nil, nil
			},
			deliver: func(_ context.Context, entries []delivery.Entry) []error {
				delivered.add(entries...)
				return nil
			},
		}, func(c *delivery.IntakeConfig) { c.Large = 1 })
		start(t, q)
		s.put(t, delivery.Entry{Kind: delivery.Deliver, NoticeID: 7})
		testkit.Eventually(t, "the last range is done", func() bool { return q.Stats().Done == 6 && s.length(t) == 0 })
		want := []delivery.Entry{
			{Kind: delivery.Deliver, NoticeID: 7},
			{Kind: delivery.Deliver, NoticeID: 7, From: 10, To: 20, Again: true},
			{Kind: delivery.Deliver, NoticeID: 7, From: 500},
			{Kind: delivery.Retract, NoticeID: 7, From: 1000},
			{Kind: delivery.Retract, NoticeID: 7, From: 1500},
		}
		if d := cmp.Diff(want, bare(ranged.all())); d != "" {
			t.Errorf("ranges (-want +got):\n%s", d)
		}
		if d := cmp.Diff([]delivery.Entry{small(9)}, bare(delivered.all())); d != "" {
			t.Errorf("delivered (-want +got):\n%s", d)
		}
	})
}

// A slow process and the one that took over from it both return the same next range; it is added
// once.
func TestRangeDoneTwiceAddsItsSuccessorOnce(t *testing.T) {
	onEachRedis(t, func(t *testing.T, s *site) {
		var ranged log
		both := make(chan struct{})
		var once sync.Once
		h := handler{ranging: func(ctx context.Context, e delivery.Entry) ([]delivery.Entry, error) {
			ranged.add(e)
			if e.From > 0 {
				return nil, nil
			}
			if ranged.len() >= 2 {
				once.Do(func() { close(both) })
			}
			select {
			case <-both:
			case <-ctx.Done():
			}
			return []delivery.Entry{{Kind: delivery.Deliver, NoticeID: 7, From: 500}}, nil
		}}
		one, other := s.intake(h), s.intake(h)
		start(t, one)
		start(t, other)
		s.put(t, delivery.Entry{Kind: delivery.Deliver, NoticeID: 7})
		testkit.Eventually(t, "all is done", func() bool { return one.Stats().Done+other.Stats().Done == 2 && s.length(t) == 0 })
		next := map[string]bool{}
		for _, e := range ranged.all() {
			if e.From == 500 {
				next[e.ID] = true
			}
		}
		if len(next) != 1 {
			t.Errorf("%d next ranges, want 1", len(next))
		}
	})
}

func TestSmallNoticesAreDeliveredWhileRangesRun(t *testing.T) {
	onEachRedis(t, func(t *testing.T, s *site) {
		free := make(chan struct{})
		var atWork, most, delivered log
		q := s.intake(handler{
			ranging: func(ctx context.Context, e delivery.Entry) ([]delivery.Entry, error) {
				atWork.add(e)
				most.add(e)
				select {
				case <-free:
				case <-ctx.Done():
				}
				return nil, nil
			},
			deliver: func(_ context.Context, entries []delivery.Entry) []error {
				delivered.add(entries...)
				return nil
			},
		}, func(c *delivery.IntakeConfig) { c.Idle = time.Minute })
		start(t, q)
		var entries []delivery.Entry
		for id := int64(1); id <= 10; id++ {
			entries = append(entries, delivery.Entry{Kind: delivery.Deliver, NoticeID: id})
		}
		s.put(t, append(entries, small(11))...)
		testkit.Eventually(t, "the small notice is done", func() bool { return delivered.len() == 1 && atWork.len() >= 3 })
		if n := atWork.len(); n != 3 {
			t.Errorf("%d ranges at once, want 3", n)
		}
		close(free)
		testkit.Eventually(t, "all are done", func() bool { return q.Stats().Done == 11 })
	})
}

// One process queues a bounded number of entries for Range; the rest stays for others.
func TestReaderPausesWhenTooMuchIsQueued(t *testing.T) {
	onEachRedis(t, func(t *testing.T, s *site) {
		free := make(chan struct{})
		q := s.intake(handler{ranging: func(ctx context.Context, _ delivery.Entry) ([]delivery.Entry, error) {
			select {
			case <-free:
			case <-ctx.Done():
			}
			return nil, nil
		}}, func(c *delivery.IntakeConfig) { c.Idle, c.Batch = time.Minute, 10 })
		var entries []delivery.Entry
		for id := int64(1); id <= 300; id++ {
			entries = append(entries, delivery.Entry{Kind: delivery.Deliver, NoticeID: id})
		}
		s.put(t, entries...)
		start(t, q)
		pending := func() int64 {
			p, err := s.rdb.XPending(t.Context(), s.k.Intake(), delivery.Group).Result()
			if err != nil {
				return 0
			}
			return p.Count
		}
		testkit.Eventually(t, "the queue is full", func() bool { return pending() >= 67 })
		if n := pending(); n > 64+3+10 {
			t.Errorf("%d entries in flight", n)
		}
		close(free)
		testkit.Eventually(t, "all are done", func() bool { return q.Stats().Done == 300 })
	})
}

func TestFailingRangeIsRetriedThenBuried(t *testing.T) {
	onEachRedis(t, func(t *testing.T, s *site) {
		var tried, buried log
		q := s.intake(handler{
			ranging: func(_ context.Context, e delivery.Entry) ([]delivery.Entry, error) {
				tried.add(e)
				switch {
				case e.NoticeID == 1 && tried.len() <= 7:
					return []delivery.Entry{small(99)}, notifier.ErrUnavailable
				case e.NoticeID == 2:
					panic("never")
				}
				return nil, nil
			},
			bury: func(_ context.Context, e delivery.Entry, _ map[string]any, _ error) error {
				buried.add(e)
				if buried.len() == 1 {
					return errors.New("the first burial is refused")
				}
				return nil
			},
		}, func(c *delivery.IntakeConfig) { c.Idle = 20 * time.Millisecond })
		start(t, q)
		s.put(t, delivery.Entry{Kind: delivery.Deliver, NoticeID: 1}, delivery.Entry{Kind: delivery.Deliver, NoticeID: 2, From: 3, To: 5})
		testkit.Eventually(t, "both are settled", func() bool { return q.Stats().Done == 1 && q.Stats().Buried == 1 && s.length(t) == 0 })
		if got := tried.times(); got[2] != 6 { // once more because the burial failed
			t.Errorf("tries: %v", got)
		}
		if got := buried.all(); got[0].NoticeID != 2 || got[0].To != 5 || got[0].Tries != 4 {
			t.Errorf("buried: %+v", got)
		}
	})
}
