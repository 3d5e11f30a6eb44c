package main

import (
	"database/sql"
	"net/url"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/carillonhq/carillon/internal/redistest"
	"github.com/carillonhq/carillon/internal/testkit"
)

// locksSQLite locks the database of a data directory, as a shell in a transaction does.
func locksSQLite(t *testing.T, c call) (release func()) {
	t.Helper()
	other, err := sql.Open("sqlite", filepath.Join(c.env["CARILLON_DATA_DIR"], "carillon.db")+"?_pragma=busy_timeout(10000)")
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = other.Close() })
	other.SetMaxOpenConns(1)
	if _, err = other.ExecContext(t.Context(), "BEGIN EXCLUSIVE"); err != nil {
		t.Fatal(err)
	}
	return func() {
		if _, err := other.ExecContext(t.Context(), "ROLLBACK"); err != nil {
			t.Fatal(err)
		}
	}
}

func TestTheDoctorFindsALockedSQLite(t *testing.T) {
	t.Parallel()
	c := in(t.TempDir())
	s := serve(t, c, "--demo", "--admin-addr", "127.0.0.1:0")
	bob := visit(t, s.URL)
	bob.signIn(t, "bob", "bob-demo")
	release := locksSQLite(t, c)
	keys := bob.entries(t)
	bob.post(t, "/inbox/unread", url.Values{"key": {keys[0]}}) // this change cannot be written to SQL
	r := c.run(t.Context(), "doctor")
	wantWords(t, r.out, "FAIL  sql write", "another process has it locked", "→ end what holds it")
	if r.status != exitFailed {
		t.Errorf("status %d", r.status)
	}
	// Pages can be read, so the instance is ready; metrics show that SQL is behind.
	if status, body := text(t, s.URL+"/readyz"); status != 200 || body != "ok" {
		t.Errorf("/readyz: %d %q", status, body)
	}
	bob.get(t, "/inbox")
	testkit.Eventually(t, "the lag rises, and refusals are counted", func() bool {
		_, page := text(t, s.Admin+"/metrics")
		return metric(t, page, "carillon_flush_lag_seconds") > 3 && metric(t, page, "carillon_sql_refused_total") > 0
	})
	release()
	testkit.Eventually(t, "SQL is up to date", func() bool {
		_, page := text(t, s.Admin+"/metrics")
		return metric(t, page, "carillon_flush_lag_seconds") == 0
	})
	wantWords(t, c.run(t.Context(), "doctor").out, "a change takes")
}

func TestTheDoctorFindsAFullDiskOfPostgreSQL(t *testing.T) {
	t.Parallel()
	c := shared(t)
	must(t, c.run(t.Context(), "migrate"))
	db, err := sql.Open("pgx", c.env["CARILLON_DATABASE_URL"])
	if err != nil {
		t.Fatal(err)
	}
	defer func() { _ = db.Close() }()
	// All tests share its disk, so a trigger raises the error of a full one.
	for _, statement := range []string{
		`CREATE FUNCTION full_disk() RETURNS trigger LANGUAGE plpgsql AS $$ BEGIN RAISE EXCEPTION 'no space left' USING ERRCODE = 'disk_full'; END $$`,
		`CREATE TRIGGER full_disk BEFORE INSERT ON dead_letters FOR EACH ROW EXECUTE FUNCTION full_disk()`,
	} {
		if _, err = db.ExecContext(t.Context(), statement); err != nil {
			t.Fatal(err)
		}
	}
	wantWords(t, c.run(t.Context(), "doctor").out, "FAIL  sql write", "its disk is full", "no space left", "→ make room on its disk")
}

func TestTheDoctorDistinguishesARedisWithAFullDiskFromOneThatIsAway(t *testing.T) {
	t.Parallel()
	server := redistest.Own(t)
	c := in(t.TempDir()).with("CARILLON_REDIS_URL", "unix://"+server.Socket)
	rdb := server.Client(t)
	// A directory with the name of its file makes every write fail.
	if err := os.Mkdir(filepath.Join(filepath.Dir(server.Socket), "dump.rdb"), 0o700); err != nil {
		t.Fatal(err)
	}
	if err := rdb.ConfigSet(t.Context(), "save", "3600 1").Err(); err != nil {
		t.Fatal(err)
	}
	rdb.Save(t.Context())   // this fails
	rdb.BgSave(t.Context()) // and so does this, a moment later
	testkit.Eventually(t, "Redis refuses changes", func() bool {
		err := rdb.Set(t.Context(), "a", "b", 0).Err()
		return err != nil && strings.HasPrefix(err.Error(), "MISCONF")
	})
	r := c.run(t.Context(), "doctor")
	wantWords(t, r.out, "FAIL  redis disk", "it runs, and refuses changes", "MISCONF", "→ make room on the disk of Redis", "no notice waits to be delivered",
		"SQL is 0s behind") // read from Redis
	if strings.Contains(r.out, "--redis-url") || r.status != exitFailed {
		t.Errorf("status %d:\n%s", r.status, r.out)
	}
}
