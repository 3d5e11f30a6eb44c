// Package sqltest provides tests with a real PostgreSQL, and a real MariaDB: one private server per package, on a unix
// socket and without a port, and an empty database for every test that requests one. Without
// them the tests fail; they are never skipped.
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

// shared is the server shared by the tests of one process. A test has no other access to it, hence
// the package state.
var shared struct {
	once   sync.Once
	server *server
	err    error
	made   atomic.Int64
}

// Main is the body of a package's TestMain: it runs the tests and stops the server, which the first
// call of URL starts.
func Main(m *testing.M) { Wrap(m).Run() }

// Runner runs the tests of a package and stops its server. goleak.VerifyTestMain accepts it.
type Runner struct{ m interface{ Run() int } }

// Wrap returns a Runner for a TestMain that needs other servers as well:
// sqltest.Wrap(redistest.Wrap(m)).Run().
func Wrap(m interface{ Run() int }) Runner { return Runner{m} }

// Run runs the tests and returns their exit code.
func (r Runner) Run() int {
	defer func() {
		if shared.server != nil {
			shared.server.stop()
		}
		if maria.server != nil {
			maria.server.stop()
		}
	}()
	return r.m.Run()
}

// URL returns the postgres:// address of an empty database for this test. It is a schema, which is
// faster to create than a database.
func URL(t testing.TB) string {
	t.Helper()
	start(t)
	name := fmt.Sprintf("s%d", shared.made.Add(1))
	admin(t, `CREATE SCHEMA `+name)
	return shared.server.url("postgres", url.Values{"search_path": {name}})
}

// OwnURL is URL for a test that will Cut its database: it creates a real database, because a schema cannot be
// cut.
func OwnURL(t testing.TB) string {
	t.Helper()
	start(t)
	name := fmt.Sprintf("d%d", shared.made.Add(1))
	admin(t, `CREATE DATABASE `+name)
	return shared.server.url(name, nil)
}

// Cut makes the database of an OwnURL unavailable: its connections end and new ones are rejected.
// Mend ends the outage.
func Cut(t testing.TB, ownURL string) {
	t.Helper()
	name := database(t, ownURL)
	admin(t, `ALTER DATABASE `+name+` WITH ALLOW_CONNECTIONS false`)
	// A connection that was allowed a moment ago may not be in pg_stat_activity yet. Until then it holds a lock on the
	// database; moving the database to its current tablespace waits for that lock, and has no other effect.
	admin(t, `ALTER DATABASE `+name+` SET TABLESPACE pg_default`)
	admin(t, `SELECT pg_terminate_backend(pid, 5000) FROM pg_stat_activity WHERE datname = '`+name+`'`)
}

// Mend ends the outage that Cut began.
func Mend(t testing.TB, ownURL string) {
	t.Helper()
	admin(t, `ALTER DATABASE `+database(t, ownURL)+` WITH ALLOW_CONNECTIONS true`)
}

// Durable starts a separate server for measurements, with durable commits as by default. It runs
// until stop is called.
func Durable() (url string, stop func(), err error) {
	s, err := startServer()
	if err != nil {
		return "", nil, fmt.Errorf("start PostgreSQL: %w", err)
	}
	return s.url("postgres", nil), s.stop, nil
}

// start starts the server on the first call in a process.
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

// database returns the name of the database in a URL from OwnURL.
func database(t testing.TB, ownURL string) string {
	t.Helper()
	u, err := url.Parse(ownURL)
	if err != nil || !strings.HasPrefix(u.Path, "/d") {
		t.Fatalf("%s is not from OwnURL", ownURL)
	}
	return strings.TrimPrefix(u.Path, "/")
}
