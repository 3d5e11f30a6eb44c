package store_test

import (
	"errors"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/carillonhq/carillon/internal/sqltest"
	"github.com/carillonhq/carillon/notifier"
	"github.com/carillonhq/carillon/store"
)

func TestMain(m *testing.M) { sqltest.Main(m) }

// database is a fresh database that a test may open any number of times.
type database struct {
	cfg   store.Config
	clock *clock
}

// clock is a clock that only move advances.
type clock struct{ at time.Time }

func (c *clock) now() time.Time { return c.at }

func (c *clock) move(d time.Duration) { c.at = c.at.Add(d) }

// onBoth runs a test on an empty SQLite and an empty PostgreSQL database: every promise of the store must hold on
// both.
func onBoth(t *testing.T, test func(t *testing.T, db *database)) {
	t.Helper()
	t.Parallel()
	start := time.Date(2026, 3, 1, 12, 0, 0, 0, time.UTC)
	for name, config := range map[string]func(t *testing.T) store.Config{
		"sqlite":   func(t *testing.T) store.Config { t.Helper(); return store.Config{DataDir: t.TempDir()} },
		"postgres": func(t *testing.T) store.Config { t.Helper(); return store.Config{URL: sqltest.URL(t)} },
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			db := &database{cfg: config(t), clock: &clock{start}}
			db.cfg.Now = db.clock.now
			test(t, db)
		})
	}
}

// open opens the database and closes it at the end of the test.
func (db *database) open(t *testing.T) *store.Store {
	t.Helper()
	s, err := store.Open(t.Context(), db.cfg)
	if err != nil {
		t.Fatalf("open: %v", err)
	}
	t.Cleanup(func() {
		if err := s.Close(); err != nil {
			t.Errorf("close: %v", err)
		}
	})
	return s
}

func addUser(t *testing.T, s *store.Store, name string, roles ...string) notifier.User {
	t.Helper()
	u, err := s.CreateUser(t.Context(), notifier.NewUser{Name: name, PasswordHash: "hash of " + name, Audience: 3, Roles: roles})
	if err != nil {
		t.Fatalf("create user %q: %v", name, err)
	}
	return u
}

func must[T any](v T, err error) func(t *testing.T) T {
	return func(t *testing.T) T {
		t.Helper()
		if err != nil {
			t.Fatal(err)
		}
		return v
	}
}

func wantIs(t *testing.T, err, want error) {
	t.Helper()
	if !errors.Is(err, want) {
		t.Errorf("error = %v; want %v", err, want)
	}
}

func TestOpenTwiceMigratesOnce(t *testing.T) {
	onBoth(t, func(t *testing.T, db *database) {
		s := db.open(t)
		addUser(t, s, "alice")
		again := db.open(t)
		if applied, err := again.Migrate(t.Context()); applied != 0 || err != nil {
			t.Errorf("third migration applied %d, %v; want none", applied, err)
		}
		if _, err := again.UserByName(t.Context(), "alice"); err != nil {
			t.Errorf("after a second open: %v", err)
		}
	})
}

func TestTwentyInstancesCanStartConcurrently(t *testing.T) {
	onBoth(t, func(t *testing.T, db *database) {
		errs := make(chan error)
		for range 20 {
			go func() {
				s, err := store.Open(t.Context(), db.cfg)
				if err == nil {
					err = errors.Join(s.Ping(t.Context()), s.Close())
				}
				errs <- err
			}()
		}
		for range 20 {
			if err := <-errs; err != nil {
				t.Error(err)
			}
		}
	})
}

func TestSQLiteFilesAreAccessibleToTheirOwnerOnly(t *testing.T) {
	t.Parallel()
	dir := filepath.Join(t.TempDir(), "a b%20#c?d", "data")
	s := must(store.Open(t.Context(), store.Config{DataDir: dir}))(t)
	defer func() { _ = s.Close() }()
	addUser(t, s, "alice")
	entries := must(os.ReadDir(dir))(t)
	var names []string
	for _, e := range entries {
		names = append(names, e.Name())
		if info := must(e.Info())(t); info.Mode().Perm() != 0o600 {
			t.Errorf("%s has mode %o; want 600", e.Name(), info.Mode().Perm())
		}
	}
	if got := strings.Join(names, " "); !strings.HasPrefix(got, "carillon.db ") || !strings.Contains(got, "carillon.db-wal") {
		t.Errorf("files are %s; want carillon.db and its journal", got)
	}
}

func TestErrorForAnInvalidURLHidesThePassword(t *testing.T) {
	t.Parallel()
	_, err := store.Open(t.Context(), store.Config{URL: "postgres://u:secret@/db?host=/nowhere"})
	wantIs(t, err, notifier.ErrUnavailable)
	if err != nil && strings.Contains(err.Error(), "secret") {
		t.Errorf("error shows the password: %v", err)
	}
}
