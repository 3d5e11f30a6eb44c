package store_test

import (
	"context"
	"database/sql"
	"path/filepath"
	"testing"
	"time"

	"github.com/carillonhq/carillon/internal/sqltest"
	"github.com/carillonhq/carillon/internal/trouble"
	"github.com/carillonhq/carillon/notifier"
	"github.com/carillonhq/carillon/store"
)

func TestWritableLeavesNoRow(t *testing.T) {
	onBoth(t, func(t *testing.T, db *database) {
		s := db.open(t)
		for range 3 {
			if err := s.Writable(t.Context()); err != nil {
				t.Error(err)
			}
		}
		if n := must(s.CountDeadLetters(t.Context()))(t); n != 0 || s.Refused() != 0 {
			t.Errorf("%d dead letters, %d refused", n, s.Refused())
		}
	})
}

// wantTrouble checks the error of Writable on a database that accepts no changes, and that it is
// counted.
func wantTrouble(t *testing.T, s *store.Store, within time.Duration, want string) {
	t.Helper()
	before := s.Refused()
	ctx, cancel := context.WithTimeout(t.Context(), within)
	defer cancel()
	err := s.Writable(ctx)
	wantIs(t, err, notifier.ErrUnavailable)
	if got := trouble.OfSQL(err).Found; got != want {
		t.Errorf("trouble is %q, want %q: %v", got, want, err)
	}
	if n := s.Refused() - before; n != 1 {
		t.Errorf("%d calls counted as refused; want 1", n)
	}
	if err := s.Ping(t.Context()); err != nil {
		t.Errorf("the database answers no queries: %v", err)
	}
}

func TestWritableReportsWhySQLiteAcceptsNoChanges(t *testing.T) {
	t.Parallel()
	dir := t.TempDir()
	s := must(store.Open(t.Context(), store.Config{DataDir: dir}))(t)
	defer func() { _ = s.Close() }()

	// Another process holds the lock for a long time.
	other := must(sql.Open("sqlite", filepath.Join(dir, "carillon.db")))(t)
	defer func() { _ = other.Close() }()
	conn := must(other.Conn(t.Context()))(t)
	defer func() { _ = conn.Close() }()
	must(conn.ExecContext(t.Context(), "BEGIN EXCLUSIVE"))(t)
	wantTrouble(t, s, 5*time.Second, "another process has it locked")
	must(conn.ExecContext(t.Context(), "ROLLBACK"))(t)

	store.Exec(t, s, `PRAGMA max_page_count = 1`) // the database cannot grow by a single page
	wantTrouble(t, s, time.Minute, "its disk is full")
	store.Exec(t, s, `PRAGMA max_page_count = 4294967294`)
	store.Exec(t, s, `PRAGMA query_only = 1`)
	wantTrouble(t, s, time.Minute, "it is read-only")
	store.Exec(t, s, `PRAGMA query_only = 0`)
	if err := s.Writable(t.Context()); err != nil {
		t.Errorf("after the cause is gone: %v", err)
	}
}

func TestWritableReportsWhyPostgresAcceptsNoChanges(t *testing.T) {
	t.Parallel()
	s := must(store.Open(t.Context(), store.Config{URL: sqltest.URL(t)}))(t)
	defer func() { _ = s.Close() }()
	// All tests share its disk, so errors are simulated.
	for code, want := range map[string]string{
		"53100": "its disk is full", "58030": "its file cannot be read or written", "25006": "it is read-only", "57P03": "it is starting or stopping",
	} {
		store.Exec(t, s, `CREATE FUNCTION refuse() RETURNS trigger LANGUAGE plpgsql AS $$ BEGIN RAISE EXCEPTION 'no' USING ERRCODE = '`+code+`'; END $$`)
		store.Exec(t, s, `CREATE TRIGGER refuse BEFORE INSERT ON dead_letters FOR EACH ROW EXECUTE FUNCTION refuse()`)
		wantTrouble(t, s, time.Minute, want)
		store.Exec(t, s, `DROP FUNCTION refuse CASCADE`)
	}
}
