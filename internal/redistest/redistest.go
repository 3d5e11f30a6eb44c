// Package redistest gives tests a real Redis: one private server for a
// package's tests on a unix socket, a cluster of three masters, and miniredis.
// A missing redis-server fails the tests; it never skips them.
package redistest

import (
	"fmt"
	"runtime"
	"sync"
	"sync/atomic"
	"testing"

	"github.com/alicebob/miniredis/v2"
	"github.com/redis/go-redis/v9"
	"github.com/redis/go-redis/v9/maintnotifications"

	"github.com/carillonhq/carillon/notifier/keys"
)

// shared is what the tests of one process have together. A test reaches its
// server only through the process it runs in, hence the package state.
var shared struct {
	server  *Server
	cluster struct {
		once  sync.Once
		nodes []*Server
		err   error
	}
	keeper *keeper
	spaces atomic.Int64
}

// Main is the body of a package's TestMain: it starts the package's server,
// runs the tests and stops whatever was started.
func Main(m *testing.M) { Wrap(m).Run() }

// Runner runs the tests of a package between start and stop of its servers.
// It has the shape that goleak.VerifyTestMain takes.
type Runner struct{ m *testing.M }

// Wrap is for a TestMain that passes the run on:
// goleak.VerifyTestMain(redistest.Wrap(m)).
func Wrap(m *testing.M) Runner { return Runner{m} }

// Run starts the server, runs the tests and returns their exit code.
func (r Runner) Run() int {
	// The kernel ends a child with the thread that started it (Pdeathsig), so
	// this goroutine keeps its thread for as long as the tests run.
	runtime.LockOSThread()
	defer runtime.UnlockOSThread()
	shared.keeper = newKeeper()
	defer shared.keeper.stop()
	s, err := start(socketConfig)
	if err != nil {
		panic(fmt.Errorf("start redis-server for the tests: %w", err))
	}
	defer s.Kill()
	shared.server = s
	defer stopCluster()
	return r.m.Run()
}

// Socket is the path of the unix socket of the package's server.
func Socket(t testing.TB) string {
	t.Helper()
	if shared.server == nil {
		t.Fatal("no redis-server: TestMain must call redistest.Main")
	}
	return shared.server.Socket
}

// Client is a client of the package's server, closed when the test ends.
func Client(t testing.TB) *redis.Client {
	t.Helper()
	return client(t, "unix", Socket(t))
}

// Space is a set of keys that no other test has.
func Space(t testing.TB) keys.Space {
	t.Helper()
	return keys.New(fmt.Sprintf("t%d:", shared.spaces.Add(1)))
}

// Mini is a miniredis of this test's own, and a client of it.
func Mini(t testing.TB) (*miniredis.Miniredis, *redis.Client) {
	t.Helper()
	m := miniredis.RunT(t)
	return m, client(t, "tcp", m.Addr())
}

// Own is a server of this test's own, to flush, kill and start again.
func Own(t testing.TB) *Server {
	t.Helper()
	var s *Server
	var err error
	shared.keeper.do(func() { s, err = start(socketConfig) })
	if err != nil {
		t.Fatalf("start redis-server: %v", err)
	}
	t.Cleanup(s.Kill)
	return s
}

func client(t testing.TB, network, addr string) *redis.Client {
	t.Helper()
	c := redis.NewClient(&redis.Options{
		Network: network, Addr: addr, DisableIdentity: true, MaintNotificationsConfig: noMaintenance(),
	})
	t.Cleanup(func() { _ = c.Close() })
	return c
}

// noMaintenance keeps go-redis from starting goroutines for a feature of hosted
// Redis, which leak checks would find.
func noMaintenance() *maintnotifications.Config {
	return &maintnotifications.Config{Mode: maintnotifications.ModeDisabled}
}
