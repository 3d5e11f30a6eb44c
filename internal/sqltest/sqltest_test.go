package sqltest_test

import (
	"database/sql"
	"testing"

	"github.com/carillonhq/carillon/internal/sqltest"
)

func TestMain(m *testing.M) { sqltest.Main(m) }

func open(t *testing.T, url string) *sql.DB {
	t.Helper()
	db, err := sql.Open("pgx", url)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = db.Close() })
	return db
}

func TestEveryCallGivesAnEmptyDatabase(t *testing.T) {
	t.Parallel()
	for range 3 {
		db := open(t, sqltest.URL(t))
		if _, err := db.ExecContext(t.Context(), `CREATE TABLE here (a int)`); err != nil {
			t.Fatalf("the database is not empty: %v", err)
		}
	}
}

func TestTheServerIsNotReachableByTCP(t *testing.T) {
	t.Parallel()
	var listen string
	err := open(t, sqltest.URL(t)).QueryRowContext(t.Context(), `SHOW listen_addresses`).Scan(&listen)
	if err != nil || listen != "" {
		t.Errorf("listen_addresses = %q, %v; want none", listen, err)
	}
}

func TestCutEndsAndRefusesConnectionsUntilMend(t *testing.T) {
	t.Parallel()
	url := sqltest.OwnURL(t)
	db := open(t, url)
	if err := db.PingContext(t.Context()); err != nil {
		t.Fatal(err)
	}
	sqltest.Cut(t, url)
	if err := db.PingContext(t.Context()); err == nil {
		t.Error("a cut database answers")
	}
	sqltest.Mend(t, url)
	if err := db.PingContext(t.Context()); err != nil {
		t.Errorf("a mended database does not answer: %v", err)
	}
}

func TestADurableServerWritesToDiskBeforeItAnswers(t *testing.T) {
	t.Parallel()
	url, stop, err := sqltest.Durable()
	if err != nil {
		t.Fatal(err)
	}
	defer stop()
	db := open(t, url)
	defer db.Close()
	for _, setting := range []string{"fsync", "synchronous_commit", "full_page_writes"} {
		var value string
		if err := db.QueryRowContext(t.Context(), `SELECT current_setting($1)`, setting).Scan(&value); err != nil || value != "on" {
			t.Errorf("%s is %q, %v", setting, value, err)
		}
	}
}
