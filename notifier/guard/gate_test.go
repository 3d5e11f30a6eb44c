package guard_test

import (
	"context"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/redis/go-redis/v9"

	"github.com/carillonhq/carillon/internal/faulty"
	"github.com/carillonhq/carillon/internal/redistest"
	"github.com/carillonhq/carillon/internal/script"
	"github.com/carillonhq/carillon/internal/testkit"
	"github.com/carillonhq/carillon/notifier/guard"
)

func (i *instance) wantClosed(t *testing.T) {
	t.Helper()
	ctx := t.Context()
	_, piped := i.rdb.Pipelined(ctx, func(p redis.Pipeliner) error { p.Get(ctx, "k"); return nil })
	_, tx := i.rdb.TxPipelined(ctx, func(p redis.Pipeliner) error { p.Get(ctx, "k"); return nil })
	for how, err := range map[string]error{"alone": i.rdb.Get(ctx, "k").Err(), "in a pipeline": piped, "in a transaction": tx} {
		if !script.Away(err) {
			t.Errorf("a command %s: %v", how, err)
		}
	}
}

func TestNoCommandPassesBeforeTheFirstLook(t *testing.T) {
	t.Parallel()
	s := newSite(t, 1, onServer(redistest.Own(t)))
	i := s.instance(t, nil)
	i.wantClosed(t)
	if err := i.Check(t.Context()); err != nil {
		t.Fatal(err)
	}
	if err := i.rdb.Set(t.Context(), "k", "v", 0).Err(); err != nil || i.State() != guard.Open {
		t.Errorf("%s: %v", i.State(), err)
	}
}

func TestUnresponsiveRedisBlocksNoCaller(t *testing.T) {
	t.Parallel()
	server := redistest.Own(t)
	proxy := faulty.Listen(t, "unix", server.Socket)
	s := newSite(t, 1, node("tcp", proxy.Addr()))
	i := s.running(t, func(c *guard.Config) { c.Every = time.Second })
	for name, fault := range map[string]func(on bool){"a black hole": proxy.Hole, "a refusal": func(on bool) {
		proxy.Refuse(on)
		proxy.Cut()
	}} {
		fault(true)
		i.awaits(t, guard.Away)
		i.wantClosed(t)
		// The gate must refuse it: a command that waited for this Redis would end with a timeout.
		if err := i.rdb.Get(t.Context(), "k").Err(); err == nil || !strings.Contains(err.Error(), "the gate to redis is closed") {
			t.Errorf("%s: refused by %v", name, err)
		}
		fault(false)
		i.awaits(t, guard.Open)
		if err := i.rdb.Ping(t.Context()).Err(); err != nil {
			t.Errorf("after %s: %v", name, err)
		}
	}
	if n := len(i.resends()); n != 1 { // at the first check
		t.Errorf("healed %d times, although nothing was lost", n)
	}
}

func TestReplicaIsNotUsed(t *testing.T) {
	t.Parallel()
	server := redistest.Own(t)
	s := newSite(t, 1, onServer(server))
	i := s.instance(t, nil)
	c := server.Client(t)
	if err := c.Do(t.Context(), "REPLICAOF", "127.0.0.1", "1").Err(); err != nil {
		t.Fatal(err)
	}
	if err := i.Check(t.Context()); err == nil || i.State() == guard.Open {
		t.Errorf("%s: %v", i.State(), err)
	}
	i.wantClosed(t)
}

// Sentinel and clusters may promote a process that was a master before and a replica in the
// meantime. It has the same run id and the same connections, but another dataset.
func TestMasterThatWasAReplicaStartsANewLife(t *testing.T) {
	t.Parallel()
	server := redistest.Own(t)
	s := newSite(t, 1, onServer(server))
	i := s.running(t, nil)
	if err := i.rdb.Ping(t.Context()).Err(); err != nil {
		t.Fatal(err)
	}
	c := server.Client(t)
	before := info(t, c, "run_id")
	changed := i.Changed()
	for _, of := range [][]any{{"REPLICAOF", "127.0.0.1", "1"}, {"REPLICAOF", "NO", "ONE"}} {
		if err := c.Do(t.Context(), of...).Err(); err != nil {
			t.Fatal(err)
		}
	}
	<-changed
	i.awaits(t, guard.Open)
	if after := info(t, c, "run_id"); after != before {
		t.Fatalf("the run id changed from %s to %s, so this tests nothing", before, after)
	}
	if n := len(i.resends()); n != 2 {
		t.Errorf("healed %d times", n)
	}
}

// replica returns the node that a cluster client considers its replica, once it has found one and has a
// connection to it. Commands that touch no key pass.
func replica(t *testing.T, rdb redis.UniversalClient) *redis.Client {
	t.Helper()
	nodes := make(chan *redis.Client, 1)
	testkit.Eventually(t, "the client knows a replica", func() bool {
		err := rdb.(*redis.ClusterClient).ForEachSlave(t.Context(), func(ctx context.Context, c *redis.Client) error {
			select {
			case nodes <- c:
			default:
			}
			return c.Ping(ctx).Err()
		})
		if err != nil {
			t.Fatalf("a command without keys was refused on a replica: %v", err)
		}
		return len(nodes) > 0
	})
	return <-nodes
}

// A cluster client also asks replicas where the masters are. That connection still exists when the
// replica is promoted.
func TestConnectionFromBeforeThePromotionIsRefused(t *testing.T) {
	t.Parallel()
	p := redistest.OwnCluster(t)
	s := newSite(t, 64, inCluster(p.Addrs))
	i := s.running(t, func(c *guard.Config) { c.Every = time.Hour }) // only a failing command makes it check
	i.notify(t, "a", s.seqs...)
	i.flush(t)
	replica(t, i.rdb)
	// Another instance, which does not check by itself, with one of its connections.
	idle := s.instance(t, nil)
	if err := idle.Check(t.Context()); err != nil {
		t.Fatal(err)
	}
	promoted := replica(t, idle.rdb)
	settled(t, p)
	p.Master.Detach(t)
	for _, seq := range s.seqs {
		if _, err := i.box.Delete(t.Context(), seq, key("a")); err != nil {
			t.Fatal(err)
		}
	}
	i.flush(t)
	p.FailOver(t)
	if err := promoted.Get(t.Context(), "k").Err(); !script.Away(err) {
		t.Errorf("the promoted node replied %v", err)
	}
	testkit.Eventually(t, "all nodes can be used again", func() bool {
		_, err := i.box.Badges(t.Context(), s.seqs)
		return err == nil
	})
	for _, seq := range s.seqs {
		i.wantRows(t, seq)
	}
	if n := len(i.resends()); n != 2 {
		t.Errorf("healed %d times: %q", n, i.log.all())
	}
}

// No check happens here: the connection itself is refused.
func TestNoConnectionToAnUnknownLife(t *testing.T) {
	t.Parallel()
	server := redistest.Own(t)
	s := newSite(t, 1, onServer(server))
	i := s.instance(t, nil)
	if err := i.Check(t.Context()); err != nil {
		t.Fatal(err)
	}
	server.Crash(t)
	server.Restart(t)
	if err := i.rdb.Set(t.Context(), "k", "v", 0).Err(); !script.Away(err) || i.State() != guard.Healing {
		t.Errorf("%s: %v", i.State(), err)
	}
	if n := server.Client(t).DBSize(t.Context()).Val(); n != 0 {
		t.Error("the unknown redis was written to")
	}
	i.wantClosed(t)
}

func TestWaitingForChangesMissesNone(t *testing.T) {
	t.Parallel()
	server := redistest.Own(t)
	s := newSite(t, 1, onServer(server))
	i := s.instance(t, nil)
	var seen []guard.State
	changed := i.Changed()
	i.run(t)
	for len(seen) < 2 {
		<-changed
		changed = i.Changed()
		seen = append(seen, i.State())
	}
	if want := []guard.State{guard.Healing, guard.Open}; !slices.Equal(seen, want) && seen[0] != guard.Open {
		t.Errorf("seen %v, want %v", seen, want)
	}
}
