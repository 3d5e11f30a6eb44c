package delivery_test

import (
	"testing"

	"github.com/google/go-cmp/cmp"
	"github.com/redis/go-redis/v9"

	"github.com/carillonhq/carillon/internal/testkit"
	"github.com/carillonhq/carillon/notifier/delivery"
)

func TestMissingReturnsTheNoticesWithoutAnEntry(t *testing.T) {
	onEachRedis(t, func(t *testing.T, s *site) {
		q := s.intake(handler{})
		missing := func(want []int64, of ...int64) {
			t.Helper()
			got, err := q.Missing(t.Context(), of)
			if d := cmp.Diff(want, got); err != nil || d != "" {
				t.Errorf("%v (-want +got):\n%s", err, d)
			}
		}
		missing([]int64{1, 2}, 1, 2)
		entries := []delivery.Entry{{Kind: delivery.Resend, After: 17}}
		for id := int64(1); id <= 2500; id += 2 {
			entries = append(entries, small(id))
		}
		s.put(t, append(entries, delivery.Entry{Kind: delivery.Deliver, NoticeID: 5000, From: 10})...)
		if err := s.rdb.XAdd(t.Context(), &redis.XAddArgs{Stream: s.k.Intake(), Values: []string{"notice", "x", "a", "b"}}).Err(); err != nil {
			t.Fatal(err)
		}
		missing([]int64{2, 2500, 10}, 1, 2, 2499, 2500, 10, 5000, 999)
		missing(nil)
	})
}

func TestResendingIsTrueUntilTheEntryIsDone(t *testing.T) {
	onEachRedis(t, func(t *testing.T, s *site) {
		q := s.intake(handler{})
		is := func(want bool) {
			t.Helper()
			if got, err := q.Resending(t.Context()); got != want || err != nil {
				t.Errorf("resending %v, %v; want %v", got, err, want)
			}
		}
		is(false)
		for id := int64(1); id <= 1500; id++ {
			s.put(t, small(id))
		}
		is(false)
		again := small(1501)
		again.Again = true
		s.put(t, again)
		is(true)
		start(t, q)
		testkit.Eventually(t, "all are done", func() bool { return s.length(t) == 0 })
		is(false)
	})
}
