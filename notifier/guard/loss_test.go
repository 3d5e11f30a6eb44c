package guard_test

import (
	"context"
	"testing"
	"time"

	"github.com/redis/go-redis/v9"

	"github.com/carillonhq/carillon/internal/redistest"
	"github.com/carillonhq/carillon/internal/testkit"
	"github.com/carillonhq/carillon/notifier/guard"
)

// lose makes a Redis older than SQL: all changes between remember and lose are missing there.
type lose struct {
	name string
	make func(t *testing.T) (reach func(func(context.Context, *redis.Conn) error) redis.UniversalClient, remember, lose func())
}

var losses = []lose{
	{"an older file", func(t *testing.T) (func(func(context.Context, *redis.Conn) error) redis.UniversalClient, func(), func()) {
		t.Helper()
		s := redistest.Own(t)
		var file []byte
		return onServer(s), func() { file = s.Save(t) }, func() { s.Crash(t); s.RestartFrom(t, file) }
	}},
	{"nothing", func(t *testing.T) (func(func(context.Context, *redis.Conn) error) redis.UniversalClient, func(), func()) {
		t.Helper()
		s := redistest.Own(t)
		return onServer(s), func() {}, func() { s.Crash(t); s.Restart(t) }
	}},
	{"flushall", func(t *testing.T) (func(func(context.Context, *redis.Conn) error) redis.UniversalClient, func(), func()) {
		t.Helper()
		s := redistest.Own(t)
		return onServer(s), func() {}, func() { s.Client(t).FlushAll(t.Context()) }
	}},
	{"miniredis flushed", func(t *testing.T) (func(func(context.Context, *redis.Conn) error) redis.UniversalClient, func(), func()) {
		t.Helper()
		m, _ := redistest.Mini(t)
		return node("tcp", m.Addr()), func() {}, m.FlushAll
	}},
	{"a lagging replica under sentinel", func(t *testing.T) (func(func(context.Context, *redis.Conn) error) redis.UniversalClient, func(), func()) {
		t.Helper()
		p := redistest.Sentinel(t)
		return underSentinel(p), func() { settled(t, p); p.Master.Detach(t) }, func() { p.FailOver(t) }
	}},
	{"a lagging replica in a cluster", func(t *testing.T) (func(func(context.Context, *redis.Conn) error) redis.UniversalClient, func(), func()) {
		t.Helper()
		p := redistest.OwnCluster(t)
		return inCluster(p.Addrs), func() { settled(t, p); p.Master.Detach(t) }, func() { p.FailOver(t) }
	}},
}

func underSentinel(p *redistest.Pair) func(func(context.Context, *redis.Conn) error) redis.UniversalClient {
	return func(onConnect func(context.Context, *redis.Conn) error) redis.UniversalClient {
		return redis.NewFailoverClient(&redis.FailoverOptions{
			MasterName: redistest.SentinelMaster, SentinelAddrs: p.Addrs, OnConnect: onConnect, ContextTimeoutEnabled: true,
			DialTimeout: 2 * time.Second, DialerRetries: 1, DisableIdentity: true,
		})
	}
}

func inCluster(addrs []string) func(func(context.Context, *redis.Conn) error) redis.UniversalClient {
	return func(onConnect func(context.Context, *redis.Conn) error) redis.UniversalClient {
		return redis.NewClusterClient(&redis.ClusterOptions{
			Addrs: addrs, OnConnect: onConnect, ContextTimeoutEnabled: true, ClusterStateReloadInterval: time.Second,
			DialTimeout: 2 * time.Second, DialerRetries: 1, DisableIdentity: true,
		})
	}
}

// settled waits until the replica has all the data of the master.
func settled(t *testing.T, p *redistest.Pair) {
	t.Helper()
	c := p.Master.Client(t)
	one := c.Conn()
	defer func() { _ = one.Close() }()
	testkit.Eventually(t, "the replica has caught up", func() bool {
		return info(t, c, "master_repl_offset") == info(t, p.Replica.Client(t), "slave_repl_offset")
	})
}

func TestLostDataIsRestored(t *testing.T) {
	t.Parallel()
	for _, l := range losses {
		t.Run(l.name, func(t *testing.T) {
			t.Parallel()
			reach, remember, lose := l.make(t)
			s := newSite(t, 200, reach)
			i := s.running(t, nil)
			i.notify(t, "a", s.seqs...)
			i.notify(t, "b", s.seqs...)
			i.flush(t)
			remember()
			for _, seq := range s.seqs[:100] { // data that must not come back
				if _, _, err := i.box.MarkRead(t.Context(), seq, key("a")); err != nil {
					t.Fatal(err)
				}
			}
			for _, seq := range s.seqs[50:150] {
				if _, err := i.box.Delete(t.Context(), seq, key("b")); err != nil {
					t.Fatal(err)
				}
			}
			i.notify(t, "c", s.seqs...)
			i.flush(t)
			i.notify(t, "d", s.seqs...) // not in any inbox in SQL
			changed := i.Changed()
			lose()
			<-changed
			i.awaits(t, guard.Open)
			for n, seq := range s.seqs {
				want := []string{"d", "c"}
				if n < 50 || n >= 150 {
					want = append(want, "b")
				}
				if n < 100 {
					want = append(want, "a+")
				} else {
					want = append(want, "a")
				}
				i.wantRows(t, seq, want...)
			}
			if t.Failed() {
				t.Logf("%q", i.log.all())
			}
		})
	}
}
