package guard_test

import (
	"context"
	"errors"
	"fmt"
	"log/slog"
	"slices"
	"strconv"
	"strings"
	"testing"
	"time"

	"github.com/redis/go-redis/v9"

	"github.com/carillonhq/carillon/internal/lease"
	"github.com/carillonhq/carillon/internal/redistest"
	"github.com/carillonhq/carillon/internal/testkit"
	"github.com/carillonhq/carillon/notifier"
	"github.com/carillonhq/carillon/notifier/guard"
	"github.com/carillonhq/carillon/notifier/keys"
)

var errDied = fmt.Errorf("%w: it died here", notifier.ErrUnavailable)

// leased makes instances heal one at a time.
func leased(s *site) func(*guard.Config) {
	return func(c *guard.Config) { c.Lease = lease.New(c.Raw, s.k, "epoch", time.Second) }
}

func TestAnotherInstanceHealsWhereverTheHealerDies(t *testing.T) {
	t.Parallel()
	for _, emptied := range []bool{false, true} {
		for _, step := range []string{"known", "flushed", "snapshots", "vers", "counts", "deleted", "resend", "add"} {
			t.Run(fmt.Sprintf("%s, emptied %v", step, emptied), func(t *testing.T) {
				t.Parallel()
				server := redistest.Own(t)
				s := newSite(t, 70, onServer(server))
				i := s.instance(t, nil)
				if err := i.Check(t.Context()); err != nil {
					t.Fatal(err)
				}
				i.notify(t, "a", s.seqs...)
				i.flush(t)
				file := server.Save(t)
				for _, seq := range s.seqs {
					if _, err := i.box.Delete(t.Context(), seq, key("a")); err != nil {
						t.Fatal(err)
					}
				}
				i.notify(t, "b", s.seqs...)
				i.flush(t)
				saveCounts(t, i)
				i.notify(t, "c", s.seqs...)
				server.Crash(t)
				if emptied {
					file = nil
				}
				server.RestartFrom(t, file)

				first := s.instance(t, leased(s))
				first.sql.hook(func(call string) error {
					if call == step {
						return errDied
					}
					return nil
				})
				err := first.Check(t.Context())
				// An old dataset is compared with the versions in SQL; an empty one has nothing to compare or erase.
				if asked := step != "vers" && (step != "snapshots" && step != "deleted" || !emptied); asked && (!errors.Is(err, notifier.ErrUnavailable) || first.State() == guard.Open) {
					t.Errorf("the first instance: %s, %v", first.State(), err)
				}
				second := s.instance(t, leased(s))
				if err := second.Check(t.Context()); err != nil {
					t.Fatal(err)
				}
				for _, seq := range s.seqs {
					second.wantRows(t, seq, "c", "b")
				}
				want := []notifier.Tally{{Delivered: int64(len(s.seqs))}}
				if got, err := second.box.Counts(t.Context(), []int64{2}); err != nil || got[0] != want[0] {
					t.Errorf("counts: %+v, %v; want %+v", got, err, want)
				}
			})
		}
	}
}

// breaking is an Inboxes whose first answers about counts are lost.
type breaking struct {
	guard.Inboxes
	left *int
}

func (b breaking) RestoreCounts(ctx context.Context, partition int, counts []notifier.NoticeCount, add bool) error {
	err := b.Inboxes.RestoreCounts(ctx, partition, counts, add)
	if *b.left--; err == nil && *b.left >= 0 {
		err = errDied
	}
	return err
}

func TestCountsAreRestoredOnceAlthoughTheConnectionBreaks(t *testing.T) {
	t.Parallel()
	server := redistest.Own(t)
	s := newSite(t, 70, onServer(server))
	i := s.instance(t, nil)
	if err := i.Check(t.Context()); err != nil {
		t.Fatal(err)
	}
	i.notify(t, "a", s.seqs...)
	i.flush(t)
	saveCounts(t, i)
	server.Crash(t)
	server.RestartFrom(t, nil)

	left := 2
	second := s.instance(t, func(c *guard.Config) { c.Inboxes = breaking{c.Inboxes, &left} })
	for left > 0 {
		if err := second.Check(t.Context()); !errors.Is(err, notifier.ErrUnavailable) {
			t.Fatalf("%v, %d answers left", err, left)
		}
	}
	if err := second.Check(t.Context()); err != nil {
		t.Fatal(err)
	}
	want := []notifier.Tally{{Delivered: int64(len(s.seqs))}}
	if got, err := second.box.Counts(t.Context(), []int64{1}); err != nil || !slices.Equal(got, want) {
		t.Errorf("counts: %+v, %v; want %+v", got, err, want)
	}
}

// saveCounts writes the counts of the notices to SQL.
func saveCounts(t *testing.T, i *instance) {
	t.Helper()
	for p := range keys.Partitions {
		fields := i.rdb.HGetAll(t.Context(), i.site.k.Counts(p)).Val()
		var all []notifier.NoticeCount
		for id := range int64(10) {
			d, _ := strconv.ParseInt(fields[fmt.Sprint(id, ":d")], 10, 64)
			r, _ := strconv.ParseInt(fields[fmt.Sprint(id, ":r")], 10, 64)
			if d > 0 {
				all = append(all, notifier.NoticeCount{NoticeID: id, Partition: p, Delivered: d, Read: r})
			}
		}
		if err := i.site.db.SaveCounts(t.Context(), all); err != nil {
			t.Fatal(err)
		}
	}
}

func TestOneInstanceHealsWhileTheOthersWait(t *testing.T) {
	t.Parallel()
	server := redistest.Own(t)
	s := newSite(t, 10, onServer(server))
	// If the lease expired on a busy machine, both would heal. That is harmless, but it is not tested here.
	long := func(c *guard.Config) { c.Lease = lease.New(c.Raw, s.k, "epoch", time.Minute) }
	one, two := s.instance(t, long), s.instance(t, long)
	begun, goOn := make(chan struct{}), make(chan struct{})
	one.sql.hook(func(call string) error {
		if call == "resend" {
			close(begun)
			<-goOn
		}
		return nil
	})
	one.run(t)
	<-begun
	two.run(t)
	two.awaits(t, guard.Healing)
	two.wantClosed(t)
	ctx, cancel := context.WithTimeout(t.Context(), 300*time.Millisecond) // for rounds that begin now
	defer cancel()
	if err := two.Check(ctx); err == nil {
		t.Error("the second instance opens before the first has healed")
	}
	if n := len(two.resends()); n != 0 {
		t.Errorf("the second instance healed %d times while the first did", n)
	}
	close(goOn) // an instance that checked before this may find the lease free afterwards, and heal once more
	one.awaits(t, guard.Open)
	two.awaits(t, guard.Open)
	if n := len(one.resends()); n != 1 {
		t.Errorf("the first instance healed %d times", n)
	}
}

func TestEveryInstanceSeesThatRedisWasEmptied(t *testing.T) {
	t.Parallel()
	server := redistest.Own(t)
	s := newSite(t, 10, onServer(server))
	one, two := s.running(t, leased(s)), s.running(t, leased(s))
	for range 5 {
		a, b := one.Changed(), two.Changed()
		server.Client(t).FlushAll(t.Context())
		for _, changed := range []<-chan struct{}{a, b} {
			testkit.Closed(t, "the instance sees it", changed)
		}
		one.awaits(t, guard.Open)
		two.awaits(t, guard.Open)
	}
}

func TestGateStaysClosedWithoutSQL(t *testing.T) {
	t.Parallel()
	server := redistest.Own(t)
	s := newSite(t, 10, onServer(server))
	i := s.running(t, nil)
	i.notify(t, "a", s.seqs...)
	i.flush(t)
	tries := make(chan struct{}, 100)
	i.sql.hook(func(string) error { tries <- struct{}{}; return errDied })
	file := server.Save(t)
	server.Crash(t)
	server.RestartFrom(t, file)
	for range 3 {
		<-tries
	}
	if i.State() == guard.Open {
		t.Error("the gate is open")
	}
	i.wantClosed(t)
	i.sql.hook(nil)
	i.awaits(t, guard.Open)
	i.wantRows(t, s.seqs[0], "a")
	said := 0
	for _, line := range i.log.all() {
		if strings.HasPrefix(line, "redis not restored yet; retrying ") {
			said++
		}
	}
	if said != 1 {
		t.Errorf("that was logged %d times: %q", said, i.log.all())
	}
}

func TestSQLOutageAloneClosesNothing(t *testing.T) {
	t.Parallel()
	s := newSite(t, 1, onServer(redistest.Own(t)))
	i := s.running(t, nil)
	i.sql.hook(func(string) error { return errDied })
	if err := i.Check(t.Context()); err != nil || i.State() != guard.Open {
		t.Errorf("%s: %v", i.State(), err)
	}
}

func TestAnInboxThatCannotBeComparedDoesNotDelayOthers(t *testing.T) {
	t.Parallel()
	server := redistest.Own(t)
	s := newSite(t, 50, onServer(server))
	i := s.running(t, func(c *guard.Config) { c.Inboxes = refusing{c.Inboxes, s.seqs[9]} })
	i.notify(t, "a", s.seqs...)
	i.flush(t)
	saveCounts(t, i)
	if err := i.raw.Set(t.Context(), s.k.State(s.seqs[7]), "broken", 0).Err(); err != nil {
		t.Fatal(err)
	}
	file := server.Save(t)
	i.raw.Del(t.Context(), s.k.State(s.seqs[7]))
	for _, seq := range s.seqs {
		if _, err := i.box.Delete(t.Context(), seq, key("a")); err != nil {
			t.Fatal(err)
		}
	}
	i.flush(t)
	changed := i.Changed()
	server.Crash(t)
	server.RestartFrom(t, file)
	<-changed
	i.awaits(t, guard.Open)
	for n, seq := range s.seqs {
		if n != 7 && n != 9 {
			i.wantRows(t, seq)
		}
	}
}

// refusing is an Inboxes that fails for one inbox.
type refusing struct {
	guard.Inboxes
	seq int64
}

var errRefused = errors.New("refused")

func (r refusing) Reconcile(ctx context.Context, users []notifier.Dirty) (int, error) {
	if slices.ContainsFunc(users, func(u notifier.Dirty) bool { return u.Seq == r.seq }) {
		return 0, errRefused
	}
	return r.Inboxes.Reconcile(ctx, users)
}

func (r refusing) RestoreCounts(ctx context.Context, partition int, counts []notifier.NoticeCount, add bool) error {
	if partition == keys.Partition(r.seq) {
		return errRefused
	}
	return r.Inboxes.RestoreCounts(ctx, partition, counts, add)
}

// Marks from healing another dataset would hide how old this one is.
func TestRedisReplacedDuringHealingIsHealedAgain(t *testing.T) {
	t.Parallel()
	server := redistest.Own(t)
	s := newSite(t, 20, onServer(server))
	i := s.instance(t, nil)
	if err := i.Check(t.Context()); err != nil {
		t.Fatal(err)
	}
	i.notify(t, "a", s.seqs...)
	i.flush(t)
	file := server.Save(t)
	for _, seq := range s.seqs {
		if _, err := i.box.Delete(t.Context(), seq, key("a")); err != nil {
			t.Fatal(err)
		}
	}
	i.flush(t)
	server.Crash(t)
	server.RestartFrom(t, file)
	// Much later: a mark set to the current time would be later than everything to be compared.
	later := s.instance(t, func(c *guard.Config) { c.Now = func() time.Time { return time.Now().Add(10 * time.Minute) } })
	replaced := false
	later.sql.hook(func(call string) error {
		if call == "resend" && !replaced {
			replaced = true
			server.Crash(t)
			server.RestartFrom(t, file)
		}
		return nil
	})
	if err := later.Check(t.Context()); err == nil && !replaced {
		t.Fatal("the redis was not replaced, so this tests nothing")
	}
	if err := later.Check(t.Context()); err != nil {
		t.Fatal(err)
	}
	for _, seq := range s.seqs {
		later.wantRows(t, seq)
	}
}

func TestNoticesAreResentFromTheLastCompleteFlush(t *testing.T) {
	t.Parallel()
	server := redistest.Own(t)
	s := newSite(t, 1, onServer(server))
	i := s.running(t, nil)
	began := time.Now()
	if first := i.resends()[0]; began.Sub(first) < 5*24*time.Hour || began.Sub(first) > 7*24*time.Hour {
		t.Errorf("never flushed: resent the last %v", began.Sub(first))
	}
	at := began.Add(-10 * time.Minute).Truncate(time.Millisecond)
	i.flushedUntil(t, at)
	changed := i.Changed()
	server.Crash(t)
	server.Restart(t)
	<-changed
	i.awaits(t, guard.Open)
	if got := i.resends()[1]; !got.Equal(at.Add(-time.Minute)) {
		t.Errorf("resent since %v, want %v", got, at.Add(-time.Minute))
	}
}

func TestProcessThatCannotHealWaits(t *testing.T) {
	t.Parallel()
	s := newSite(t, 1, onServer(redistest.Own(t)))
	i := s.instance(t, func(c *guard.Config) { c.Inboxes = nil })
	ctx, cancel := context.WithTimeout(t.Context(), 300*time.Millisecond)
	defer cancel()
	if err := i.Check(ctx); !errors.Is(err, notifier.ErrUnavailable) {
		t.Errorf("before healing: %v", err)
	}
	s.running(t, nil)
	if err := i.Check(t.Context()); err != nil {
		t.Errorf("after healing: %v", err)
	}
}

func TestFirstStartLogsNoNews(t *testing.T) {
	t.Parallel()
	for name, reach := range map[string]func(func(context.Context, *redis.Conn) error) redis.UniversalClient{
		"redis": onServer(redistest.Own(t)), "cluster": func(onConnect func(context.Context, *redis.Conn) error) redis.UniversalClient {
			return inCluster(clusterAddrs(t))(onConnect)
		},
	} {
		s := newSite(t, 1, reach)
		i := s.instance(t, func(c *guard.Config) { c.Log = slog.New(loud{c.Log.Handler()}) })
		asked := 0
		i.sql.hook(func(string) error { asked++; return nil })
		if err := i.Check(t.Context()); err != nil {
			t.Fatal(err)
		}
		if said := i.log.all(); len(said) > 0 || asked > 8 {
			t.Errorf("%s: SQL was asked %d times; logged %q", name, asked, said)
		}
	}
}

// loud drops debug messages.
type loud struct{ slog.Handler }

func (l loud) Enabled(_ context.Context, level slog.Level) bool { return level >= slog.LevelInfo }

func clusterAddrs(t *testing.T) []string {
	t.Helper()
	return redistest.Cluster(t).Options().Addrs
}
