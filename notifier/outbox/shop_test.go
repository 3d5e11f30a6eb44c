package outbox_test

import (
	"context"
	"database/sql"
	"fmt"
	"path/filepath"
	"testing"

	"github.com/carillonhq/carillon/internal/source"
	"github.com/carillonhq/carillon/internal/sqltest"
	"github.com/carillonhq/carillon/internal/testkit"
	"github.com/carillonhq/carillon/notifier/outbox"
)

// shop is the database of an application, with the table of an outbox.
type shop struct {
	kind    source.Dialect
	address string
	db      *sql.DB
}

// onEach runs a test with a database of each kind.
func onEach(t *testing.T, test func(t *testing.T, s *shop)) {
	t.Helper()
	for _, kind := range []source.Dialect{source.SQLite, source.Postgres, source.MySQL} {
		t.Run(string(kind), func(t *testing.T) {
			t.Parallel()
			test(t, newShop(t, kind))
		})
	}
}

func newShop(t *testing.T, kind source.Dialect) *shop {
	t.Helper()
	s := &shop{kind: kind}
	var driver, dsn string
	switch kind {
	case source.SQLite:
		driver, dsn = "sqlite", filepath.Join(t.TempDir(), "shop.db")
		s.address = "sqlite:" + dsn
		dsn += "?_pragma=journal_mode(wal)&_pragma=busy_timeout(5000)"
	case source.MySQL:
		s.address = sqltest.MariaDB(t)
		driver, dsn = "mysql", sqltest.MariaDSN(t, s.address)
	default:
		s.address = sqltest.OwnURL(t)
		driver, dsn = "pgx", s.address+"&default_query_exec_mode=simple_protocol"
	}
	s.open(t, driver, dsn)
	return s
}

// open connects, and applies the printed schema, twice.
func (s *shop) open(t *testing.T, driver, dsn string) {
	t.Helper()
	var err error
	if s.db, err = sql.Open(driver, dsn); err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = s.db.Close() })
	for range 2 {
		s.do(t, outbox.Schema(s.kind, "carillon_outbox"))
	}
}

func (s *shop) do(t *testing.T, statement string) {
	t.Helper()
	if _, err := s.db.ExecContext(t.Context(), statement); err != nil {
		t.Fatalf("%s: %v", statement, err)
	}
}

// put inserts payloads, in one transaction.
func (s *shop) put(t *testing.T, payloads ...string) {
	t.Helper()
	tx := s.begin(t)
	for _, p := range payloads {
		s.insert(t, tx, p)
	}
	if err := tx.Commit(); err != nil {
		t.Fatal(err)
	}
}

func (s *shop) begin(t *testing.T) *sql.Tx {
	t.Helper()
	tx, err := s.db.BeginTx(context.WithoutCancel(t.Context()), nil)
	if err != nil {
		t.Fatal(err)
	}
	return tx
}

func (s *shop) insert(t *testing.T, tx *sql.Tx, payload string) {
	t.Helper()
	place := "?"
	if s.kind == source.Postgres {
		place = "$1"
	}
	if _, err := tx.ExecContext(t.Context(), `INSERT INTO carillon_outbox (payload) VALUES (`+place+`)`, payload); err != nil {
		t.Fatal(err)
	}
}

// count returns the result of a query for one number.
func (s *shop) count(t *testing.T, query string) (n int) {
	t.Helper()
	if err := s.db.QueryRowContext(t.Context(), query).Scan(&n); err != nil {
		t.Fatalf("%s: %v", query, err)
	}
	return n
}

// empty waits until the outbox has no rows.
func (s *shop) empty(t *testing.T) {
	t.Helper()
	testkit.Eventually(t, "the outbox is empty", func() bool { return s.count(t, `SELECT COUNT(*) FROM carillon_outbox`) == 0 })
}

// errors returns the errors in the outbox, by id.
func (s *shop) errors(t *testing.T) (texts []string) {
	t.Helper()
	rows, err := s.db.QueryContext(t.Context(), `SELECT error FROM carillon_outbox WHERE error <> '' ORDER BY id`)
	if err != nil {
		t.Fatal(err)
	}
	defer func() { _ = rows.Close() }()
	for rows.Next() {
		var text string
		if err := rows.Scan(&text); err != nil {
			t.Fatal(err)
		}
		texts = append(texts, text)
	}
	if err := rows.Err(); err != nil {
		t.Fatal(err)
	}
	return texts
}

// to returns a notice to alice with a title.
func to(title string) string {
	return fmt.Sprintf(`{"target": {"users": ["alice"]}, "title": %q, "link": "/orders/1"}`, title)
}
