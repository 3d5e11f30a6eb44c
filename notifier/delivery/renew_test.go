package delivery_test

import (
	"context"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"
	"github.com/redis/go-redis/v9"

	"github.com/carillonhq/carillon/internal/redistest"
	"github.com/carillonhq/carillon/internal/testkit"
	"github.com/carillonhq/carillon/notifier/delivery"
)

const lastID = "18446744073709551615-18446744073709551615"

// onServers runs a test on real servers only: the ids of miniredis end at another value.
func onServers(t *testing.T, promise func(t *testing.T, s *site)) {
	t.Helper()
	redistest.OnServers(t, func(t *testing.T, rdb redis.UniversalClient) { t.Helper(); promise(t, newSite(t, rdb)) })
}

// exhaust adds a meaningless entry with a high id, after which Redis accepts few or no entries.
func (s *site) exhaust(t tb, id string) {
	t.Helper()
	err := s.rdb.XAdd(t.Context(), &redis.XAddArgs{Stream: s.k.Intake(), ID: id, Values: []string{"foo", "bar"}}).Err()
	if err != nil {
		t.Fatal(err)
	}
}

func TestStreamWithoutIDsLeftIsRecreated(t *testing.T) {
	onServers(t, func(t *testing.T, s *site) {
		var done, buried log
		q := s.intake(handler{
			deliver: func(_ context.Context, entries []delivery.Entry) []error { done.add(entries...); return nil },
			bury: func(_ context.Context, e delivery.Entry, _ map[string]any, _ error) error {
				buried.add(e)
				return nil
			},
		})
		start(t, q)
		testkit.Eventually(t, "the first start is signalled", func() bool { return heard(q.Lost()) })
		for round, id := range []string{lastID, "18446744073709551615-0", "9999999999999999-7"} {
			s.put(t, small(int64(10*round+1)))
			s.exhaust(t, id)
			testkit.Eventually(t, "the relay is notified", func() bool { return heard(q.Lost()) })
			s.put(t, small(int64(10*round+2)))
			testkit.Eventually(t, "all are done", func() bool {
				return done.times()[int64(10*round+2)] == 1 && buried.len() > round && s.length(t) == 0
			})
			if done.times()[int64(10*round+1)] == 0 {
				t.Errorf("%s: the entries from before are not done", id)
			}
			at := s.rdb.XInfoStream(t.Context(), s.k.Intake()).Val().LastGeneratedID
			if len(at) > 20 {
				t.Errorf("%s: the last id is %s", id, at)
			}
		}
	})
}

// Each part of a large notice adds its successor, which needs an id. So renewal cannot wait until
// all is done.
func TestUnfinishedEntriesMoveToTheNewStream(t *testing.T) {
	onServers(t, func(t *testing.T, s *site) {
		s.put(t, small(1), small(2), small(3))
		ids := s.takeAndDie(t, "dead", 3)
		if err := s.rdb.XAck(t.Context(), s.k.Intake(), delivery.Group, ids[1]).Err(); err != nil {
			t.Fatal(err)
		}
		large := delivery.Entry{Kind: delivery.Deliver, NoticeID: 4, From: 17, Again: true}
		s.put(t, large)
		s.exhaust(t, lastID)
		var done, buried, delivered log
		q := s.intake(handler{
			deliver: func(_ context.Context, entries []delivery.Entry) []error { delivered.add(entries...); return nil },
			ranging: func(_ context.Context, e delivery.Entry) ([]delivery.Entry, error) {
				e.ID, e.Tries = "", 0
				done.add(e)
				if e.From == 17 {
					next := e
					next.From = 18
					return []delivery.Entry{next}, nil
				}
				return nil, nil
			},
			bury: func(_ context.Context, e delivery.Entry, _ map[string]any, _ error) error { buried.add(e); return nil },
		}, func(c *delivery.IntakeConfig) { c.Tries = 100 })
		start(t, q)
		testkit.Eventually(t, "all is done", func() bool {
			return s.length(t) == 0 && delivered.times()[1] > 0 && delivered.times()[3] > 0 && done.len() > 0 && buried.len() > 0
		})
		all := done.all()
		end := large
		end.From = 18
		if d := cmp.Diff([]delivery.Entry{large, end}, []delivery.Entry{all[0], all[len(all)-1]}); d != "" {
			t.Errorf("first and last (-want +got):\n%s", d)
		}
		if delivered.times()[2] > 0 {
			t.Error("a finished entry was done again")
		}
	})
}

func TestStreamWithTooManyUnfinishedEntriesIsNotRecreatedYet(t *testing.T) {
	onServers(t, func(t *testing.T, s *site) {
		entries := make([]delivery.Entry, 1001)
		for n := range entries {
			entries[n] = small(int64(n + 1))
		}
		s.put(t, entries...)
		s.takeAndDie(t, "dead", 600)
		q := s.intake(handler{})
		renew := func(want int64) {
			t.Helper()
			q.Renew(t.Context())
			if got := s.length(t); got != want {
				t.Errorf("%d entries, want %d", got, want)
			}
			if n := q.Look(t.Context()); n != want {
				t.Errorf("%d unfinished, want %d", n, want)
			}
		}
		renew(1001)
		s.exhaust(t, lastID)
		renew(1002)
		first := s.rdb.XRangeN(t.Context(), s.k.Intake(), "-", "+", 2).Val()
		s.rdb.XAck(t.Context(), s.k.Intake(), delivery.Group, first[0].ID, first[1].ID)
		q.Renew(t.Context())
		if got := s.length(t); got != 1000 || !heard(q.Lost()) {
			t.Errorf("%d entries, want 1000 and a notified relay", got)
		}
		if err := q.Put(t.Context(), small(2000)); err != nil {
			t.Error(err)
		}
	})
}

func TestOrdinaryStreamIsNotRecreated(t *testing.T) {
	onEachRedis(t, func(t *testing.T, s *site) {
		q := s.intake(handler{})
		q.Renew(t.Context()) // no stream
		s.put(t, small(1))
		q.Renew(t.Context()) // no group
		ids := s.takeAndDie(t, "dead", 1)
		q.Renew(t.Context())
		if at := s.rdb.XRange(t.Context(), s.k.Intake(), "-", "+").Val(); len(at) != 1 || at[0].ID != ids[0] || heard(q.Lost()) {
			t.Errorf("the stream has %v", at)
		}
	})
}

// An entry with the highest possible id ends a walk.
func TestHighestPossibleIDEndsAWalk(t *testing.T) {
	onServers(t, func(t *testing.T, s *site) {
		q := s.intake(handler{})
		s.put(t, small(1))
		s.exhaust(t, lastID)
		look := func() {
			t.Helper()
			if missing, err := q.Missing(t.Context(), []int64{1, 2}); err != nil || !cmp.Equal(missing, []int64{2}) {
				t.Errorf("missing %v, %v", missing, err)
			}
			if again, err := q.Resending(t.Context()); again || err != nil {
				t.Errorf("resending %v, %v", again, err)
			}
			if n := q.Look(t.Context()); n != 2 {
				t.Errorf("%d unfinished, want 2", n)
			}
			q.Trim(t.Context())
		}
		look()
		ids := s.takeAndDie(t, "dead", 2)
		look()
		if at, ok, err := q.Oldest(t.Context()); !ok || err != nil || time.Since(at) > time.Minute {
			t.Errorf("oldest: %v, %v, %v", at, ok, err)
		}
		s.rdb.XAck(t.Context(), s.k.Intake(), delivery.Group, ids[0])
		if at, ok, err := q.Oldest(t.Context()); !ok || err != nil || time.Since(at).Abs() > time.Minute {
			t.Errorf("oldest, with an id that is not a time: %v, %v, %v", at, ok, err)
		}
	})
}
