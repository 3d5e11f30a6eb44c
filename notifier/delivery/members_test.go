package delivery_test

import (
	"context"
	"slices"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"
	"github.com/redis/go-redis/v9"

	"github.com/carillonhq/carillon/internal/testkit"
	"github.com/carillonhq/carillon/notifier"
	"github.com/carillonhq/carillon/notifier/delivery"
)

func (s *site) members(t tb) (names []string) {
	t.Helper()
	all, err := s.rdb.XInfoConsumers(t.Context(), s.k.Intake(), delivery.Group).Result()
	if err != nil {
		t.Fatal(err)
	}
	for _, c := range all {
		names = append(names, c.Name)
	}
	slices.Sort(names)
	return names
}

func TestDeadMemberIsRemovedOnceNothingIsPending(t *testing.T) {
	onEachRedis(t, func(t *testing.T, s *site) {
		s.put(t, small(1))
		s.takeAndDie(t, "dead", 1)
		q := s.intake(handler{}, func(c *delivery.IntakeConfig) { c.Name, c.Idle, c.Gone = "alive", time.Minute, 20*time.Millisecond })
		start(t, q)
		s.put(t, small(2))
		testkit.Eventually(t, "2 is done", func() bool { return q.Stats().Done == 1 })
		testkit.Eventually(t, "the dead member has been idle long enough", func() bool {
			pending, err := s.rdb.XPendingExt(t.Context(), &redis.XPendingExtArgs{
				Stream: s.k.Intake(), Group: delivery.Group, Idle: 100 * time.Millisecond, Start: "-", End: "+", Count: 9,
			}).Result()
			return err == nil && len(pending) == 1
		})
		if !slices.Contains(s.members(t), "dead") {
			t.Fatal("a member with a pending entry was removed")
		}
		heir := s.intake(handler{}, func(c *delivery.IntakeConfig) { c.Name = "heir" })
		start(t, heir)
		testkit.Eventually(t, "another member finished the dead member's entry", func() bool { return heir.Stats().Done == 1 })
		testkit.Eventually(t, "the dead member is removed", func() bool { return !slices.Contains(s.members(t), "dead") })
	})
}

func TestStoppingProcessFinishesItsWorkAndLeaves(t *testing.T) {
	onEachRedis(t, func(t *testing.T, s *site) {
		var began, done log
		free := make(chan struct{})
		wait := func(ctx context.Context, e delivery.Entry) {
			began.add(e)
			select {
			case <-free:
				done.add(e)
			case <-ctx.Done():
			}
		}
		q := s.intake(handler{
			deliver: func(ctx context.Context, entries []delivery.Entry) []error {
				wait(ctx, entries[0])
				return nil
			},
			ranging: func(ctx context.Context, e delivery.Entry) ([]delivery.Entry, error) {
				wait(ctx, e)
				return nil, nil
			},
		}, func(c *delivery.IntakeConfig) { c.Idle, c.Large, c.Name = time.Minute, 1, "leaver" })
		s.put(t, small(1), delivery.Entry{Kind: delivery.Deliver, NoticeID: 2}, delivery.Entry{Kind: delivery.Deliver, NoticeID: 3})
		ctx, cancel := context.WithCancel(context.Background())
		ended := make(chan error, 1)
		go func() { ended <- q.Run(ctx) }()
		testkit.Eventually(t, "1 and 2 have started", func() bool { return began.len() == 2 })
		cancel()
		close(free)
		if err := <-ended; err != nil {
			t.Error(err)
		}
		if d := cmp.Diff(map[int64]int{1: 1, 2: 1}, done.times()); d != "" {
			t.Errorf("finished (-want +got):\n%s", d)
		}

		// 3 was read but not started: another process gets it at once, although nothing is idle
		// yet.
		heir := s.intake(handler{ranging: func(_ context.Context, e delivery.Entry) ([]delivery.Entry, error) {
			if e.NoticeID != 3 || e.Tries != 0 {
				t.Errorf("the heir got %+v", e)
			}
			return nil, nil
		}}, func(c *delivery.IntakeConfig) { c.Idle, c.Gone, c.Name = 30*time.Second, time.Millisecond, "heir" })
		stopHeir := start(t, heir)
		testkit.Eventually(t, "3 is done", func() bool { return heir.Stats().Reclaimed == 1 && s.length(t) == 0 })
		stopHeir()
		if names := s.members(t); slices.Contains(names, "heir") {
			t.Errorf("members: %v", names)
		}
	})
}

// Handlers may continue for Config.Grace. Entries that they do not finish are not charged a try.
func TestHandlerIsCancelledAfterTheGracePeriod(t *testing.T) {
	onEachRedis(t, func(t *testing.T, s *site) {
		var began log
		h := handler{
			deliver: func(ctx context.Context, entries []delivery.Entry) []error {
				began.add(entries...)
				<-ctx.Done()
				return slices.Repeat([]error{ctx.Err()}, len(entries))
			},
			bury: func(context.Context, delivery.Entry, map[string]any, error) error {
				t.Error("buried")
				return nil
			},
		}
		s.put(t, small(1))
		for range 7 { // more than the number of tries
			q := s.intake(h, func(c *delivery.IntakeConfig) { c.Grace, c.Idle = time.Millisecond, 10*time.Millisecond })
			before := began.len()
			stop := start(t, q)
			testkit.Eventually(t, "1 has started", func() bool { return began.len() > before })
			stop()
		}
		var done log
		q := s.intake(handler{deliver: func(_ context.Context, entries []delivery.Entry) []error {
			done.add(entries...)
			return nil
		}})
		start(t, q)
		testkit.Eventually(t, "1 is done", func() bool { return done.len() == 1 })
	})
}

// Entries added before the stop are in the stream afterwards.
func TestStopWritesQueuedEntries(t *testing.T) {
	onEachRedis(t, func(t *testing.T, s *site) {
		q := s.intake(handler{deliver: func(_ context.Context, entries []delivery.Entry) []error {
			return slices.Repeat([]error{notifier.ErrUnavailable}, len(entries))
		}}, func(c *delivery.IntakeConfig) { c.Idle = time.Minute })
		stop := start(t, q)
		for id := int64(1); id <= 2000; id++ {
			q.Add(small(id))
		}
		stop()
		if n := s.length(t); n != 2000 {
			t.Errorf("%d entries in the stream, want 2000", n)
		}
	})
}

// The same holds whether the adding goroutine sees the entries or the end of the context first.
func TestStopSeenFirstStillWritesQueuedEntries(t *testing.T) {
	onEachRedis(t, func(t *testing.T, s *site) {
		ended, end := context.WithCancel(context.Background())
		end()
		for round := int64(1); round <= 20; round++ {
			q := s.intake(handler{})
			q.Add(small(round))
			if err := q.Run(ended); err != nil {
				t.Fatal(err)
			}
			if n := s.length(t); n != round {
				t.Fatalf("%d entries in the stream after %d runs, want as many", n, round)
			}
		}
	})
}
