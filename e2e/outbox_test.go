package e2e

import (
	"context"
	"database/sql"
	"fmt"
	"math/rand/v2"
	"os"
	"os/exec"
	"path/filepath"
	"strconv"
	"strings"
	"syscall"
	"testing"
	"time"

	"github.com/carillonhq/carillon/internal/source"
	"github.com/carillonhq/carillon/internal/sqltest"
	"github.com/carillonhq/carillon/internal/testkit"
	"github.com/carillonhq/carillon/notifier/outbox"
)

// applicationOf is the variable that makes the test binary an application: its driver and the address of its database.
const applicationOf = "OUTBOX_APPLICATION"

// orderEvery keeps Carillon busy, and leaves it some time to start again.
const orderEvery = 5 * time.Millisecond

// sell commits orders, each with its notice, until it is killed. Every third transaction is rolled back.
func sell(of string) int {
	driver, dsn, _ := strings.Cut(of, " ")
	db, err := sql.Open(driver, dsn)
	if err != nil {
		fmt.Fprintln(os.Stderr, err)
		return 1
	}
	for n := 0; ; n++ {
		if err := order(db, fmt.Sprintf("%d-%d", os.Getpid(), n), n%3 == 2); err != nil {
			fmt.Fprintln(os.Stderr, err)
			return 1
		}
		<-time.After(orderEvery)
	}
}

// order puts an order and its notice into one transaction.
func order(db *sql.DB, name string, back bool) error {
	tx, err := db.BeginTx(context.Background(), nil)
	if err != nil {
		return err
	}
	defer func() { _ = tx.Rollback() }()
	for _, statement := range []string{
		`INSERT INTO orders (name) VALUES ('` + name + `')`,
		`INSERT INTO carillon_outbox (payload) VALUES ('{"target": {"users": ["ann"]}, "subject": "order:` + name + `", "title": "` + name + `"}')`,
	} {
		if _, err := tx.Exec(statement); err != nil {
			return err
		}
	}
	if back {
		return nil
	}
	return tx.Commit()
}

// shopDatabase is the database of an application.
type shopDatabase struct {
	dialect             source.Dialect
	driver, dsn, source string
	db                  *sql.DB
	running             *exec.Cmd
}

func shopDatabases(t *testing.T) []*shopDatabase {
	t.Helper()
	file, maria, postgres := filepath.Join(t.TempDir(), "shop.db"), sqltest.MariaDB(t), sqltest.OwnURL(t)
	all := []*shopDatabase{
		{dialect: source.SQLite, driver: "sqlite", dsn: "file:" + file + "?_pragma=journal_mode(wal)&_pragma=busy_timeout(10000)&_txlock=immediate", source: "sqlite:" + file},
		{dialect: source.MySQL, driver: "mysql", dsn: sqltest.MariaDSN(t, maria), source: maria},
		{dialect: source.Postgres, driver: "pgx", dsn: postgres + "&default_query_exec_mode=simple_protocol", source: postgres},
	}
	for _, s := range all {
		var err error
		if s.db, err = sql.Open(s.driver, s.dsn); err != nil {
			t.Fatal(err)
		}
		t.Cleanup(func() { _ = s.db.Close() })
		for _, statement := range []string{`CREATE TABLE orders (name VARCHAR(50) PRIMARY KEY)`, outbox.Schema(s.dialect, "carillon_outbox")} {
			if _, err := s.db.ExecContext(t.Context(), statement); err != nil {
				t.Fatal(err)
			}
		}
	}
	return all
}

// start starts the application.
func (s *shopDatabase) start(t *testing.T) {
	t.Helper()
	s.running = exec.Command(os.Args[0])
	s.running.Env = append(os.Environ(), applicationOf+"="+s.driver+" "+s.dsn)
	s.running.SysProcAttr = &syscall.SysProcAttr{Pdeathsig: syscall.SIGKILL}
	s.running.Stderr = os.Stderr
	if err := s.running.Start(); err != nil {
		t.Fatal(err)
	}
}

// kill ends the application with SIGKILL.
func (s *shopDatabase) kill(t *testing.T) {
	t.Helper()
	_ = s.running.Process.Kill()
	_ = s.running.Wait()
	if s.running.ProcessState.ExitCode() != -1 {
		t.Fatalf("the application on %s ended by itself", s.dialect)
	}
}

// names returns the names that a query finds, with how often each is found.
func names(t *testing.T, db *sql.DB, query string) map[string]int {
	t.Helper()
	rows, err := db.QueryContext(t.Context(), query)
	if err != nil {
		t.Fatal(err)
	}
	defer func() { _ = rows.Close() }()
	found := map[string]int{}
	for rows.Next() {
		var name string
		if err := rows.Scan(&name); err != nil {
			t.Fatal(err)
		}
		found[name]++
	}
	if err := rows.Err(); err != nil {
		t.Fatal(err)
	}
	return found
}

// kills is how often Carillon is killed, and as often one of the applications.
const kills = 50

func TestEachCommittedRowIsOneNoticeWhateverIsKilled(t *testing.T) {
	t.Parallel()
	shops, s := shopDatabases(t), alone(t)
	var rules strings.Builder
	for _, shop := range shops {
		fmt.Fprintf(&rules, "[[outbox]]\nname = %q\nsource = %q\n", shop.dialect, strings.ToUpper(string(shop.dialect)))
		s.env = append(s.env, source.Prefix+strings.ToUpper(string(shop.dialect))+"="+shop.source)
	}
	file := filepath.Join(t.TempDir(), "rules.toml")
	if err := os.WriteFile(file, []byte(rules.String()), 0o600); err != nil {
		t.Fatal(err)
	}
	s.user("ann")
	began := time.Now()
	for _, shop := range shops {
		shop.start(t)
	}
	for n := range kills {
		i := s.serve("--addr", "127.0.0.1:0", "--rules", file)
		<-time.After(time.Duration(rand.IntN(200)) * time.Millisecond) // a moment anywhere in its work
		i.kill()
		shop := shops[n%len(shops)]
		shop.kill(t)
		shop.start(t)
	}
	for _, shop := range shops {
		shop.kill(t)
	}
	i := s.serve("--addr", "127.0.0.1:0", "--rules", file)
	want := map[string]int{}
	for _, shop := range shops {
		testkit.Eventually(t, "the outbox on "+string(shop.dialect)+" is empty", func() bool {
			return len(names(t, shop.db, `SELECT payload FROM carillon_outbox`)) == 0
		})
		committed := names(t, shop.db, `SELECT name FROM orders`)
		if len(committed) == 0 {
			t.Errorf("no order was committed on %s", shop.dialect)
		}
		for name := range committed {
			want[name]++
		}
	}
	i.stop()
	got := names(t, s.database(t), `SELECT title FROM notices`)
	for name, n := range want {
		if got[name] != n {
			t.Errorf("order %s was committed %d times, and has %d notices", name, n, got[name])
		}
	}
	if len(got) != len(want) {
		t.Errorf("%d notices of %d committed orders", len(got), len(want))
	}
	t.Log(strconv.Itoa(len(want)) + " orders, " + strconv.Itoa(2*kills) + " kills, " + time.Since(began).Round(time.Second).String())
}
