// Package sqltest gives tests a real PostgreSQL: one private server for a
// package's tests, on a unix socket and without a port, and a fresh database
// for every test that asks. A missing PostgreSQL fails the tests; it never
// skips them.
package sqltest

import (
	"context"
	"database/sql"
	"fmt"
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
	dbs    atomic.Int64
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

// URL makes an empty database of this test's own and returns its postgres://
// address. The database is dropped when the test ends, whoever is still
// connected to it.
func URL(t testing.TB) string {
	t.Helper()
	shared.once.Do(func() { shared.server, shared.err = start() })
	if shared.err != nil {
		t.Fatalf("start PostgreSQL: %v", shared.err)
	}
	name := fmt.Sprintf("t%d", shared.dbs.Add(1))
	admin(t, `CREATE DATABASE `+name)
	t.Cleanup(func() { admin(t, `DROP DATABASE `+name+` WITH (FORCE)`) })
	return shared.server.url(name)
}

// Cut takes the database of a URL away, as an outage does: its connections end
// and new ones are refused. Mend brings it back.
func Cut(t testing.TB, url string) {
	t.Helper()
	name := database(url)
	admin(t, `ALTER DATABASE `+name+` WITH ALLOW_CONNECTIONS false`)
	admin(t, `SELECT pg_terminate_backend(pid, 5000) FROM pg_stat_activity WHERE datname = '`+name+`'`)
}

// Mend ends the outage that Cut began.
func Mend(t testing.TB, url string) {
	t.Helper()
	admin(t, `ALTER DATABASE `+database(url)+` WITH ALLOW_CONNECTIONS true`)
}

// admin runs one statement from outside the tests' databases. The context is
// not the test's: cleanups run after that one has ended.
func admin(t testing.TB, statement string) {
	t.Helper()
	db, err := sql.Open("pgx", shared.server.url("postgres"))
	if err != nil {
		t.Fatalf("open the database postgres: %v", err)
	}
	defer func() { _ = db.Close() }()
	if _, err := db.ExecContext(context.Background(), statement); err != nil {
		t.Errorf("%s: %v", statement, err)
	}
}
