// Package sqltest gives tests a real PostgreSQL: one private server for a
// package's tests, on a unix socket and without a port, and an empty database
// for every test that asks. A missing PostgreSQL fails the tests; it never
// skips them.
package sqltest

import (
	"context"
	"fmt"
	"net/url"
	"strings"
	"sync"
	"sync/atomic"
	"testing"

	_ "github.com/jackc/pgx/v5/stdlib" // the driver
)

// shared is the server that the tests of one process have together. A test
// reaches it only through the process it runs in, hence the package state.
var shared struct {
	once   sync.Once
	server *server
	err    error
	made   atomic.Int64
}

// Main is the body of a package's TestMain: it runs the tests and stops the
// server that the first of them to call URL started.
func Main(m *testing.M) { Wrap(m).Run() }

// Runner runs the tests of a package and stops its server. It has the shape
// that goleak.VerifyTestMain takes.
type Runner struct{ m interface{ Run() int } }

// Wrap is for a TestMain that needs more servers than this one:
// sqltest.Wrap(redistest.Wrap(m)).Run().
func Wrap(m interface{ Run() int }) Runner { return Runner{m} }

// Run runs the tests and returns their exit code.
func (r Runner) Run() int {
	defer func() {
		if shared.server != nil {
			shared.server.stop()
		}
	}()
	return r.m.Run()
}

// URL returns the postgres:// address of an empty database of this test's own:
// a schema, which takes less time to make than a database.
func URL(t testing.TB) string {
	t.Helper()
	start(t)
	name := fmt.Sprintf("s%d", shared.made.Add(1))
	admin(t, `CREATE SCHEMA `+name)
	return shared.server.url("postgres", url.Values{"search_path": {name}})
}

// OwnURL is URL for a test that will Cut its database, which a schema cannot be.
func OwnURL(t testing.TB) string {
	t.Helper()
	start(t)
	name := fmt.Sprintf("d%d", shared.made.Add(1))
	admin(t, `CREATE DATABASE `+name)
	return shared.server.url(name, nil)
}

// Cut takes the database of an OwnURL away, as an outage does: its connections
// end and new ones are refused. Mend brings it back.
func Cut(t testing.TB, ownURL string) {
	t.Helper()
	name := database(t, ownURL)
	admin(t, `ALTER DATABASE `+name+` WITH ALLOW_CONNECTIONS false`)
	admin(t, `SELECT pg_terminate_backend(pid, 5000) FROM pg_stat_activity WHERE datname = '`+name+`'`)
}

// Mend ends the outage that Cut began.
func Mend(t testing.TB, ownURL string) {
	t.Helper()
	admin(t, `ALTER DATABASE `+database(t, ownURL)+` WITH ALLOW_CONNECTIONS true`)
}

// Durable starts a server of its own that keeps what it commits, as one does that
// nobody has configured, for whoever measures. It runs until stop.
func Durable() (url string, stop func(), err error) {
	s, err := startServer()
	if err != nil {
		return "", nil, fmt.Errorf("start PostgreSQL: %w", err)
	}
	return s.url("postgres", nil), s.stop, nil
}

// start starts the server at the first call of a process.
func start(t testing.TB) {
	t.Helper()
	shared.once.Do(func() { shared.server, shared.err = startServer(quick...) })
	if shared.err != nil {
		t.Fatalf("start PostgreSQL: %v", shared.err)
	}
}

// admin runs one statement from outside the tests' databases.
func admin(t testing.TB, statement string) {
	t.Helper()
	if _, err := shared.server.admin.ExecContext(context.Background(), statement); err != nil {
		t.Fatalf("%s: %v", statement, err)
	}
}

// database is the name in a URL that OwnURL gave out.
func database(t testing.TB, ownURL string) string {
	t.Helper()
	u, err := url.Parse(ownURL)
	if err != nil || !strings.HasPrefix(u.Path, "/d") {
		t.Fatalf("%s is no OwnURL", ownURL)
	}
	return strings.TrimPrefix(u.Path, "/")
}
