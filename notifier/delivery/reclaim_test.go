package delivery_test

import (
	"context"
	"errors"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"
	"github.com/redis/go-redis/v9"

	"github.com/carillonhq/carillon/internal/testkit"
	"github.com/carillonhq/carillon/notifier/delivery"
)

// makeGroup creates the stream and the group as the first process does.
func (s *site) makeGroup(t tb) {
	t.Helper()
	err := s.rdb.XGroupCreateMkStream(t.Context(), s.k.Intake(), delivery.Group, "0").Err()
	if err != nil && !redis.HasErrorPrefix(err, "BUSYGROUP") {
		t.Fatal(err)
	}
}

// takeAndDie reads entries as a process that never handles them.
func (s *site) takeAndDie(t tb, name string, n int64) (ids []string) {
	t.Helper()
	s.makeGroup(t)
	streams, err := s.rdb.XReadGroup(t.Context(), &redis.XReadGroupArgs{
		Group: delivery.Group, Consumer: name, Streams: []string{s.k.Intake(), ">"}, Count: n, Block: -1,
	}).Result()
	if err != nil && !errors.Is(err, redis.Nil) {
		t.Fatal(err)
	}
	for _, stream := range streams {
		for _, m := range stream.Messages {
			ids = append(ids, m.ID)
		}
	}
	return ids
}

func TestEntriesOfADeadProcessAreTakenOver(t *testing.T) {
	onEachRedis(t, func(t *testing.T, s *site) {
		var done log
		for id := int64(1); id <= 600; id++ {
			s.put(t, small(id))
		}
		s.put(t, delivery.Entry{Kind: delivery.Deliver, NoticeID: 601, From: 500})
		if n := len(s.takeAndDie(t, "dead", 1000)); n != 601 {
			t.Fatalf("the dead process read %d entries", n)
		}
		q := s.intake(handler{
			deliver: func(_ context.Context, entries []delivery.Entry) []error {
				done.add(entries...)
				return nil
			},
			ranging: func(_ context.Context, e delivery.Entry) ([]delivery.Entry, error) {
				done.add(e)
				return nil, nil
			},
		})
		start(t, q)
		testkit.Eventually(t, "all are done", func() bool { return q.Stats().Done == 601 && s.length(t) == 0 })
		for _, e := range done.all() {
			if e.Tries != 1 {
				t.Fatalf("entry %d was handed out %d times before, want 1", e.NoticeID, e.Tries)
			}
		}
		if n := q.Stats().Reclaimed; n != 601 {
			t.Errorf("%d reclaimed", n)
		}
	})
}

// A process does not take over an entry that it is still working on, however long that lasts.
func TestNobodyTakesOverTheirOwnEntries(t *testing.T) {
	onEachRedis(t, func(t *testing.T, s *site) {
		var began log
		free := make(chan struct{})
		wait := func(ctx context.Context) {
			select {
			case <-free:
			case <-ctx.Done():
			}
		}
		q := s.intake(handler{
			deliver: func(ctx context.Context, entries []delivery.Entry) []error {
				began.add(entries...)
				if entries[0].NoticeID == 1 {
					wait(ctx)
				}
				return nil
			},
			ranging: func(ctx context.Context, e delivery.Entry) ([]delivery.Entry, error) {
				began.add(e)
				wait(ctx)
				return nil, nil
			},
		}, func(c *delivery.IntakeConfig) { c.Idle = 20 * time.Millisecond })
		s.put(t, small(1), delivery.Entry{Kind: delivery.Deliver, NoticeID: 2})
		start(t, q)
		testkit.Eventually(t, "both have started", func() bool { return began.len() == 2 })
		testkit.Eventually(t, "many looks have passed", func() bool {
			pending, err := s.rdb.XPendingExt(t.Context(), &redis.XPendingExtArgs{
				Stream: s.k.Intake(), Group: delivery.Group, Idle: 200 * time.Millisecond, Start: "-", End: "+", Count: 9,
			}).Result()
			return err == nil && len(pending) == 2 && pending[0].RetryCount == 1 && pending[1].RetryCount == 1
		})
		close(free)
		testkit.Eventually(t, "all are done", func() bool { return q.Stats().Done == 2 })
		if d := cmp.Diff(map[int64]int{1: 1, 2: 1}, began.times()); d != "" {
			t.Errorf("started (-want +got):\n%s", d)
		}
	})
}

// An entry that is handed out repeatedly without any result is buried: it may be killing its
// handlers. Being killed with it a few times does not bury it.
func TestEntryThatKillsItsHandlersIsBuried(t *testing.T) {
	onEachRedis(t, func(t *testing.T, s *site) {
		var done, buried log
		s.put(t, small(1), small(2))
		ids := s.takeAndDie(t, "dead", 2)
		for i, tries := range []int{19, 20} {
			if err := s.rdb.Do(t.Context(), "XCLAIM", s.k.Intake(), delivery.Group, "dead", 0, ids[i], "RETRYCOUNT", tries, "JUSTID").Err(); err != nil {
				t.Fatal(err)
			}
		}
		q := s.intake(handler{
			deliver: func(_ context.Context, entries []delivery.Entry) []error {
				done.add(entries...)
				return nil
			},
			bury: func(_ context.Context, e delivery.Entry, _ map[string]any, _ error) error {
				buried.add(e)
				return nil
			},
		})
		start(t, q)
		testkit.Eventually(t, "both are settled", func() bool { return s.length(t) == 0 })
		if d := cmp.Diff([]map[int64]int{{1: 1}, {2: 1}}, []map[int64]int{done.times(), buried.times()}); d != "" {
			t.Errorf("done and buried (-want +got):\n%s", d)
		}
	})
}

func TestUnreadableEntryIsBuriedAtOnce(t *testing.T) {
	onEachRedis(t, func(t *testing.T, s *site) {
		type letter struct {
			id  string
			raw map[string]any
		}
		letters := make(chan letter, 2)
		q := s.intake(handler{bury: func(_ context.Context, e delivery.Entry, raw map[string]any, why error) error {
			if why == nil {
				t.Error("no reason")
			}
			letters <- letter{e.ID, raw}
			return nil
		}}, func(c *delivery.IntakeConfig) { c.Idle = time.Minute })
		id, err := s.rdb.XAdd(t.Context(), &redis.XAddArgs{Stream: s.k.Intake(), Values: []string{"notice", "7", "colour", "red"}}).Result()
		if err != nil {
			t.Fatal(err)
		}
		start(t, q)
		got := <-letters
		if d := cmp.Diff(map[string]any{"notice": "7", "colour": "red"}, got.raw); d != "" || got.id != id {
			t.Errorf("entry %s, want %s (-want +got):\n%s", got.id, id, d)
		}
		testkit.Eventually(t, "the entry is gone", func() bool { return s.length(t) == 0 && q.Stats().Buried == 1 })
	})
}
