package topic_test

import (
	"context"
	"errors"
	"fmt"
	"log/slog"
	"sync/atomic"
	"testing"
	"time"

	"github.com/redis/go-redis/v9"

	"github.com/carillonhq/carillon/internal/redistest"
	"github.com/carillonhq/carillon/internal/testkit"
	"github.com/carillonhq/carillon/notifier"
	"github.com/carillonhq/carillon/notifier/topic"
)

func TestLoadBringsRedisInLineWithSQL(t *testing.T) {
	onEachRedis(t, func(t *testing.T, s *site) {
		for i := range 450 { // several pages of topics
			s.sql.many(notifier.Topic{Type: "stock", Scope: itoa(int64(i))}, 1+i%3)
		}
		s.sql.many(stock, 2_500) // several commands for one set
		s.subscribe(t, news, "role:picker", "u1")
		b := s.another(s.rdb)
		if err := b.Load(t.Context()); err != nil {
			t.Fatal(err)
		}
		s.right(t)
		s.sql.asked("subscribers")
		found, err := b.SubscribersOf(t.Context(), []notifier.Topic{stock})
		if err != nil || len(found[0].Users) != 2_500 || found[0].Users[2_499] != 2_500 || s.sql.asked("subscribers") != 0 {
			t.Errorf("%d subscribers, error %v", len(found[0].Users), err)
		}
	})
}

func TestLoadReadsNoSubscribersWhenRedisIsUpToDate(t *testing.T) {
	onEachRedis(t, func(t *testing.T, s *site) {
		s.subscribe(t, stock, "u1")
		s.sql.asked("all")
		if err := s.another(s.rdb).Load(t.Context()); err != nil || s.sql.asked("all") != 0 {
			t.Errorf("error %v, or the subscribers were read from SQL", err)
		}
	})
}

func TestSubscriptionsThatARestoredSQLLacksLeaveRedis(t *testing.T) {
	onEachRedis(t, func(t *testing.T, s *site) {
		s.subscribe(t, stock, "u1", "u2")
		restore := s.sql.backup()
		s.subscribe(t, stock, "u3")
		s.subscribe(t, news, "u3")
		s.unsubscribe(t, stock, "u1")
		restore() // from a backup: its revision is lower
		s.sync(t)
		s.right(t)
		s.subscribe(t, news, "u4") // Redis has had this revision before
		s.unsubscribe(t, stock, "u2")
		if s.Behind() { // the version of a deleted set may also block the change
			s.sync(t)
		}
		s.right(t)
	})
}

func TestALostSetIsNoticedAndRebuilt(t *testing.T) {
	onEachRedis(t, func(t *testing.T, s *site) {
		lose := map[string]func(key string) error{
			"deleted": func(key string) error { return s.rdb.Del(t.Context(), key).Err() },
			"not whole": func(key string) error {
				return s.rdb.SRem(t.Context(), key, "0").Err()
			},
			"odd member":   func(key string) error { return s.rdb.SAdd(t.Context(), key, "user:x").Err() },
			"odd member 2": func(key string) error { return s.rdb.SAdd(t.Context(), key, "group:1").Err() },
			"another type": func(key string) error { return s.rdb.Set(t.Context(), key, "foo", 0).Err() },
		}
		s.subscribe(t, stock, "u1", "role:picker")
		for name, how := range lose {
			if err := how(s.k.Subscribers(stock)); err != nil {
				t.Fatal(err)
			}
			if got := who(t, s.Topics, stock); got != "u1 role:picker" {
				t.Errorf("%s: %q", name, got)
			}
			if !s.Behind() {
				t.Errorf("%s: the loss was not noticed", name)
			}
			if err := s.Round(t.Context()); err != nil {
				t.Fatalf("%s: %v", name, err)
			}
			s.right(t)
			if s.Behind() {
				t.Errorf("%s: SQL still serves reads after the repair", name)
			}
		}
	})
}

func TestAChangeOfALostSetRebuildsIt(t *testing.T) {
	onEachRedis(t, func(t *testing.T, s *site) {
		for _, key := range []string{s.k.Subscribers(stock), s.k.SubscribersVersion(stock)} {
			s.subscribe(t, stock, "u1", "role:picker")
			if err := s.rdb.Del(t.Context(), key).Err(); err != nil {
				t.Fatal(err)
			}
			s.subscribe(t, stock, "u2")
			s.right(t)
			if err := s.rdb.Del(t.Context(), key).Err(); err != nil {
				t.Fatal(err)
			}
			s.unsubscribe(t, stock, "u2", "u1", "role:picker")
			s.right(t)
		}
	})
}

func TestALostIndexIsRebuiltWithoutMissingASet(t *testing.T) {
	onEachRedis(t, func(t *testing.T, s *site) {
		s.subscribe(t, stock, "u1")
		s.subscribe(t, news, "u2")
		if err := s.rdb.Del(t.Context(), s.k.SubscriberIndex()).Err(); err != nil {
			t.Fatal(err)
		}
		s.sql.leave(notifier.Subscriber{User: "u2"}) // only the lost index listed this set
		if got := who(t, s.Topics, stock); got != "u1" {
			t.Errorf("%q", got)
		}
		if err := s.Round(t.Context()); err != nil {
			t.Fatal(err)
		}
		s.right(t)
	})
}

func TestDeletedUsersAndRolesLeaveTheSetsInTheNextRound(t *testing.T) {
	onEachRedis(t, func(t *testing.T, s *site) {
		s.subscribe(t, stock, "u1", "role:picker", "u2")
		s.subscribe(t, news, "role:picker")
		s.sql.leave(notifier.Subscriber{User: "u2"})
		s.sql.leave(notifier.Subscriber{Role: "picker"})
		if err := s.Round(t.Context()); err != nil {
			t.Fatal(err)
		}
		s.right(t)
		if got := who(t, s.Topics, stock); got != "u1" {
			t.Errorf("%q", got)
		}
	})
}

func TestDeletedUsersAreNotReturnedBeforeTheSetsAreRepaired(t *testing.T) {
	onEachRedis(t, func(t *testing.T, s *site) {
		s.subscribe(t, stock, "u1", "u2")
		s.sql.leave(notifier.Subscriber{User: "u2"})
		s.Changed(t.Context())
		if got := who(t, s.Topics, stock); got != "u1" {
			t.Errorf("%q", got)
		}
	})
}

// Losses that no revision shows are detected by the regular comparison and after Suspect.
func TestLossesThatNoRevisionShowsAreFound(t *testing.T) {
	onEachRedis(t, func(t *testing.T, s *site) {
		now := time.UnixMilli(1_700_000_000_000)
		s.Topics = topic.New(s.rdb, s.k, s.sql, topic.Options{
			Every: 20 * time.Millisecond, Now: func() time.Time { return now }, Log: slog.New(slog.DiscardHandler),
		})
		s.load(t)
		lag := func() {
			t.Helper()
			s.subscribe(t, stock, "u1")
			// The node of this set comes back in the state before the last change.
			if err := errors.Join(s.rdb.SRem(t.Context(), s.k.Subscribers(stock), "user:1").Err(),
				s.rdb.SAdd(t.Context(), s.k.Subscribers(stock), "0").Err(),
				s.rdb.SAdd(t.Context(), s.k.Subscribers(stock), "user:9").Err()); err != nil {
				t.Fatal(err)
			}
		}
		lag()
		s.Suspect()
		if got := who(t, s.Topics, stock); got != "u1" {
			t.Errorf("after Suspect: %q", got)
		}
		if err := s.Round(t.Context()); err != nil {
			t.Fatal(err)
		}
		s.right(t)
		s.unsubscribe(t, stock, "u1")
		lag()
		now = now.Add(11 * time.Minute)
		if err := s.Round(t.Context()); err != nil {
			t.Fatal(err)
		}
		s.right(t)
	})
}

func TestSQLServesReadsWhileSubscriptionsKeepChanging(t *testing.T) {
	t.Parallel()
	s := newSite(t, redistest.Client(t))
	s.subscribe(t, stock, "u1")
	busy := true
	s.sql.before = func(call string) error {
		if busy && call == "all" {
			s.sql.many(news, 1)
		}
		return nil
	}
	s.Suspect()
	if err := s.Sync(t.Context()); err == nil || !s.Behind() {
		t.Errorf("error %v; want the sync to give up", err)
	}
	if got := who(t, s.Topics, news); got != "u1" {
		t.Errorf("%q", got)
	}
	busy = false
	s.sync(t)
	s.right(t)
}

// lease is a lease whose holder the test sets.
type lease struct {
	mine           atomic.Bool
	held, released atomic.Int64
}

func (l *lease) Hold(ctx context.Context) (bool, error) { l.held.Add(1); return l.mine.Load(), nil }
func (l *lease) Release(context.Context) error          { l.released.Add(1); return nil }

func TestOnlyTheLeaseHolderRepairs(t *testing.T) {
	t.Parallel()
	s := newSite(t, redistest.Client(t))
	l := &lease{}
	s.Topics = topic.New(s.rdb, s.k, s.sql, topic.Options{Every: time.Millisecond, Lease: l, Log: slog.New(slog.DiscardHandler)})
	s.load(t)
	s.sql.many(stock, 2)
	s.sql.asked("all")
	run(t, s.Topics)
	testkit.Eventually(t, "the instance asks for the lease", func() bool { return l.held.Load() > 2 })
	if s.sql.asked("all") != 0 || l.released.Load() != 0 {
		t.Error("repaired without the lease")
	}
	if got := who(t, s.Topics, stock); got != "u1 u2" {
		t.Errorf("before the repair: %q", got)
	}
	l.mine.Store(true)
	testkit.Eventually(t, "the repair, and the release of the lease", func() bool { return l.released.Load() > 0 })
	s.right(t)
}

func TestSQLServesReadsWhileRedisIsAwayAndRedisCatchesUp(t *testing.T) {
	t.Parallel()
	server := redistest.Own(t)
	s := newSite(t, server.Client(t))
	o := *server.Client(t).Options()
	o.MaxRetries, o.DialerRetries = -1, 1
	rdb := redis.NewClient(&o)
	t.Cleanup(func() { _ = rdb.Close() })
	log, seen := testkit.Log()
	s.Topics = topic.New(rdb, s.k, s.sql, topic.Options{Every: 5 * time.Millisecond, Log: log})
	s.load(t)
	s.subscribe(t, stock, "u1", "u2")
	server.Crash(t)
	s.subscribe(t, stock, "role:picker")
	s.unsubscribe(t, stock, "u1")
	if got := who(t, s.Topics, stock); got != "u2 role:picker" {
		t.Errorf("%q", got)
	}
	run(t, s.Topics)
	testkit.Eventually(t, "two log lines", func() bool { return len(seen) == 2 })
	late := s.another(rdb)
	if err := late.Load(t.Context()); err != nil {
		t.Errorf("Load while Redis is away: %v", err)
	}
	if got := who(t, late, stock); got != "u2 role:picker" {
		t.Errorf("new instance: %q", got)
	}
	server.Restart(t)
	testkit.Eventually(t, "the repair", func() bool { return len(seen) == 3 && !s.Behind() })
	s.right(t)
	want := []string{"subscription not written to redis; it will be repaired", "background work failing; retrying", "background work recovered"}
	for _, line := range want {
		if got := <-seen; got != line {
			t.Errorf("logged %q, want %q", got, line)
		}
	}
	s.subscribe(t, news, "u3")
	// The client, which never retries, may still have a connection to the server that crashed.
	testkit.Eventually(t, "the write, or its repair", func() bool { return !s.Behind() })
	s.right(t)
}

func TestAnOutdatedRedisIsNotUsed(t *testing.T) {
	t.Parallel()
	server := redistest.Own(t)
	s := newSite(t, server.Client(t))
	s.subscribe(t, stock, "u1", "u2")
	file := server.Save(t)
	s.unsubscribe(t, stock, "u1")
	s.subscribe(t, news, "u1")
	server.Crash(t)
	server.RestartFrom(t, file)
	testkit.Eventually(t, "SQL serves reads", func() bool { return who(t, s.Topics, stock) == "u2" && who(t, s.Topics, news) == "u1" })
	testkit.Eventually(t, "the repair", func() bool { return s.Round(t.Context()) == nil })
	s.right(t)
}

func TestSubscribersOfNeedsOneRoundTrip(t *testing.T) {
	t.Parallel()
	s := newSite(t, redistest.Client(t))
	s.subscribe(t, stock, "u1")
	s.subscribe(t, news, "u2")
	c, w := redistest.Client(t), newWay()
	c.AddHook(w)
	b := s.another(c)
	if err := b.Load(t.Context()); err != nil {
		t.Fatal(err)
	}
	var sent []string
	w.hold(func(cmd redis.Cmder) { sent = append(sent, cmd.Name()) })
	s.sql.asked("revision")
	found, err := b.SubscribersOf(t.Context(), []notifier.Topic{stock, news})
	if err != nil || names(found[0])+names(found[1]) != "u1u2" {
		t.Errorf("%+v, %v", found, err)
	}
	if fmt.Sprint(sent) != "[get smembers smembers]" || w.trips() != 1 || s.sql.asked("revision") != 0 {
		t.Errorf("commands %v in %d round trips", sent, w.trips())
	}
}
