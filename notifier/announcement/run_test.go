package announcement_test

import (
	"context"
	"slices"
	"strconv"
	"strings"
	"sync/atomic"
	"testing"
	"time"

	"github.com/carillonhq/carillon/internal/redistest"
	"github.com/carillonhq/carillon/internal/testkit"
	"github.com/carillonhq/carillon/notifier"
	"github.com/carillonhq/carillon/notifier/announcement"
)

// lease is a lease whose holder the test sets.
type lease struct {
	hold     func() (bool, error)
	released chan struct{}
}

func (l *lease) Hold(context.Context) (bool, error) { return l.hold() }

func (l *lease) Release(ctx context.Context) error {
	l.released <- struct{}{}
	return ctx.Err()
}

// quick returns options for a fast Run: its clock makes it write to SQL at each check.
func quick() announcement.Options {
	var ms atomic.Int64
	return announcement.Options{
		Every: 5 * time.Millisecond,
		Now:   func() time.Time { return time.UnixMilli(ms.Add(1000)) },
	}
}

// run runs b until the returned function is called, which waits for its end.
func run(t *testing.T, b *announcement.Announcements) (stop func()) {
	t.Helper()
	ctx, cancel := context.WithCancel(t.Context())
	ended := make(chan error, 1)
	go func() { ended <- b.Run(ctx) }()
	return func() {
		t.Helper()
		cancel()
		if err := <-ended; err != nil {
			t.Errorf("Run: %v", err)
		}
	}
}

func TestAnnouncementsOpenAndCloseByThemselves(t *testing.T) {
	onEachRedis(t, func(t *testing.T, s *site) {
		s.sync(t)
		turns := s.turns(t, customer)
		for range 2 { // two instances without a lease
			defer run(t, s.another(quick()))()
		}
		n := draft("One")
		n.StartsAt = time.Now().Add(50 * time.Millisecond).Truncate(time.Millisecond)
		n.EndsAt = n.StartsAt.Add(3 * time.Second) // long enough to read it on a busy machine
		id := s.sql.announce(n)
		open := turn(t, turns.next(t))
		if now := time.Now(); len(open.Events) != 1 || open.Events[0].Kind != notifier.TurnOpen || now.Before(n.StartsAt) {
			t.Errorf("published %+v at %v, want it opened at %v", open, now, n.StartsAt)
		}
		s.unread(t, 1, 1)
		s.read(t, 2, id)
		closed := turn(t, turns.next(t))
		if now := time.Now(); len(closed.Events) != 1 || closed.Events[0].Kind != notifier.TurnRemoved || now.Before(n.EndsAt) {
			t.Errorf("published %+v at %v, want it closed at %v", closed, now, n.EndsAt)
		}
		if closed.Before != open.AVer {
			t.Errorf("another turn came between: %d is not %d", closed.Before, open.AVer)
		}
		s.unread(t, 1, 0)
		testkit.Eventually(t, "the count is final", func() bool { return s.sql.partOf(id, customer).Finished })
		s.finished(t, id, customer, 1)
		if words := turns.heard(t); len(words) != 0 {
			t.Errorf("also published %q", words)
		}
	})
}

func TestAnnouncementThatEndsUnopenedIsFinished(t *testing.T) {
	t.Parallel()
	m, c := redistest.Mini(t)
	s := newSite(t, c)
	n := draft("One")
	n.StartsAt = time.Now().Add(time.Minute)
	id := s.publish(t, n)
	stop := run(t, s.another(quick()))
	s.sql.mu.Lock()
	s.sql.now = func() time.Time { return n.EndsAt.Add(time.Second) }
	s.sql.mu.Unlock()
	m.SetTime(n.EndsAt)
	testkit.Eventually(t, "it is finished", func() bool { return s.sql.partOf(id, customer).Finished })
	stop()
	s.finished(t, id, customer, 0)
	if s.sql.partOf(id, customer).Settled {
		t.Error("it opened")
	}
}

func TestSlowClockOfSQLOnlyDelaysTheEnd(t *testing.T) {
	t.Parallel()
	m, c := redistest.Mini(t)
	s := newSite(t, c)
	n := draft("One")
	id := s.publish(t, n)
	s.read(t, 1, id)
	var tries atomic.Int64
	s.sql.now = func() time.Time {
		if tries.Add(1) < 3 {
			return n.EndsAt.Add(-time.Millisecond)
		}
		return n.EndsAt
	}
	m.SetTime(n.EndsAt)
	stop := run(t, s.another(quick()))
	testkit.Eventually(t, "it is finished", func() bool { return s.sql.partOf(id, customer).Finished })
	stop()
	s.finished(t, id, customer, 1)
}

func TestReadsAreWrittenToSQLAlsoAtTheEnd(t *testing.T) {
	t.Parallel()
	s := newSite(t, redistest.Client(t))
	id := s.open(t, "One")
	s.Announcements = s.another(quick())
	stop := run(t, s.Announcements)
	s.read(t, 1, id)
	testkit.Eventually(t, "SQL has the read", func() bool { return slices.Equal(s.sql.saved(id, customer), []int64{1}) })
	stop()
	never := quick()
	never.Every = time.Hour
	s.Announcements = s.another(never)
	stop = run(t, s.Announcements)
	testkit.Eventually(t, "the first round is done", func() bool { return len(s.stored(t, customer).Dirty) == 0 })
	s.read(t, 2, id)
	stop()
	if got := s.sql.saved(id, customer); !slices.Equal(got, []int64{1, 2}) {
		t.Errorf("after the end SQL has %v", got)
	}
}

func TestInstanceWithoutTheLeaseDoesNothing(t *testing.T) {
	t.Parallel()
	s := newSite(t, redistest.Client(t))
	s.sql.announce(draft("One"))
	asked := make(chan struct{})
	l := &lease{func() (bool, error) { asked <- struct{}{}; return false, nil }, make(chan struct{}, 1)}
	o := quick()
	o.Lease = l
	stop := run(t, s.another(o))
	for range 3 { // the third request comes after two complete rounds
		<-asked
	}
	if s.rdb.Exists(t.Context(), s.k.AVer(customer)).Val() != 0 {
		t.Error("it planned")
	}
	go func() {
		for range asked { // lets Run end
		}
	}()
	stop()
	close(asked)
	select {
	case <-l.released:
	default:
		t.Error("the lease was kept")
	}
}

func TestOutageIsLoggedOnceAndCaughtUp(t *testing.T) {
	for _, part := range []string{"redis", "sql"} {
		t.Run(part, func(t *testing.T) {
			t.Parallel()
			server := redistest.Own(t)
			s := newSite(t, impatient(t, server))
			id := s.open(t, "One")
			s.read(t, 1, id)
			var down atomic.Bool
			s.sql.before = func(string) error {
				if down.Load() {
					return errAway
				}
				return nil
			}
			rounds := make(chan struct{})
			log, seen := testkit.Log()
			o := quick()
			o.Log = log
			o.Lease = &lease{func() (bool, error) { rounds <- struct{}{}; return true, nil }, make(chan struct{}, 1)}
			if part == "sql" {
				down.Store(true)
			} else {
				server.Crash(t)
			}
			stop := run(t, s.another(o))
			for range 4 {
				<-rounds
			}
			if part == "sql" {
				down.Store(false)
			} else {
				server.Restart(t)
			}
			go func() {
				for range rounds { // lets Run continue
				}
			}()
			two := s.sql.announce(draft("Two"))
			testkit.Eventually(t, "it opens", func() bool {
				_, err := s.Find(t.Context(), reader(1), two)
				return err == nil
			})
			testkit.Eventually(t, "the end of the outage is logged", func() bool { return len(seen) == 2 })
			stop()
			close(rounds)
			if first, second := <-seen, <-seen; first != "background work failing; retrying" || second != "background work recovered" {
				t.Errorf("logged %q, %q", first, second)
			}
		})
	}
}

func TestEndedAnnouncementsCloseWithoutSQL(t *testing.T) {
	onEachRedis(t, func(t *testing.T, s *site) {
		n := draft("One")
		id := s.publish(t, n)
		s.read(t, 2, id)
		heard := s.turns(t, customer)
		s.sql.before = func(string) error { return errAway }
		// It ends, according to Redis.
		window := s.rdb.HGet(t.Context(), s.k.Windows(customer), "1").Val()
		words := strings.Fields(window)
		words[1] = strconv.FormatInt(time.Now().Add(-time.Second).UnixMilli(), 10)
		if err := s.rdb.HSet(t.Context(), s.k.Windows(customer), "1", strings.Join(words, " ")).Err(); err != nil {
			t.Fatal(err)
		}
		run(t, s.Announcements)
		testkit.Eventually(t, "it is closed", func() bool { return s.badge(t, 1).Unread == 0 })
		if got := heard.told(t); got != "removed 1" {
			t.Errorf("published %q, want one removal", got)
		}
		if at := s.stored(t, customer); len(at.Bits) != 1 {
			t.Error("its bitmap was removed before SQL had its count")
		}
	})
}
