// Package redistest provides tests with a real Redis: one private server per package on a unix
// socket, a cluster of three masters, and miniredis. Without redis-server the tests fail; they
// are never skipped.
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

// shared is the state shared by the tests of one process. A test has no other access to its server, hence
// the package state.
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

// Main is the body of a package's TestMain: it starts the package's server, runs the tests and
// stops all servers.
func Main(m *testing.M) { Wrap(m).Run() }

// Runner runs the tests of a package between the start and the stop of its servers.
// goleak.VerifyTestMain accepts it.
type Runner struct{ m interface{ Run() int } }

// Wrap returns a Runner for a TestMain such as goleak.VerifyTestMain(redistest.Wrap(m)).
func Wrap(m interface{ Run() int }) Runner { return Runner{m} }

// Run starts the server, runs the tests and returns their exit code.
func (r Runner) Run() int {
	// The kernel ends a child with the thread that started it (Pdeathsig), so this goroutine keeps
	// its thread while the tests run.
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

// Socket returns the path of the unix socket of the package's server.
func Socket(t testing.TB) string {
	t.Helper()
	if shared.server == nil {
		t.Fatal("no redis-server: TestMain must call redistest.Main")
	}
	return shared.server.Socket
}

// Client returns a client of the package's server. It is closed when the test ends.
func Client(t testing.TB) *redis.Client {
	t.Helper()
	return client(t, "unix", Socket(t))
}

// Space returns a key space that no other test uses.
func Space(t testing.TB) keys.Space {
	t.Helper()
	return keys.New(fmt.Sprintf("t%d:", shared.spaces.Add(1)))
}

// Mini starts a miniredis for this test and returns it with a client.
func Mini(t testing.TB) (*miniredis.Miniredis, *redis.Client) {
	t.Helper()
	m := miniredis.RunT(t)
	return m, client(t, "tcp", m.Addr())
}

// Own starts a server for this test, to flush, kill and restart.
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

// noMaintenance keeps go-redis from starting goroutines for a feature of hosted Redis. Leak checks
// would report them.
func noMaintenance() *maintnotifications.Config {
	return &maintnotifications.Config{Mode: maintnotifications.ModeDisabled}
}
