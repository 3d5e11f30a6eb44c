package main

import (
	"database/sql"
	"strings"
	"testing"

	"github.com/carillonhq/carillon/internal/testkit"
)

// Another version changes the schema under a running server. All outputs name the same cause and cure.
func TestADatabaseThatDoesNotFitTheProgramIsNamedAtEachDoor(t *testing.T) {
	t.Parallel()
	c := shared(t)
	s := serve(t, c)
	db, err := sql.Open("pgx", c.env["CARILLON_DATABASE_URL"])
	if err != nil {
		t.Fatal(err)
	}
	defer func() { _ = db.Close() }()
	change := func(statement string) {
		t.Helper()
		if _, err := db.ExecContext(t.Context(), statement); err != nil {
			t.Fatal(err)
		}
	}
	unready := func(cure string) {
		t.Helper()
		testkit.Eventually(t, "it is not ready, because of the schema: "+cure, func() bool {
			status, said := text(t, s.URL+"/readyz")
			return status == 503 && strings.HasPrefix(said, "unavailable\nsql: ") && strings.Contains(said, cure)
		})
	}
	ready := func() bool { status, said := text(t, s.URL+"/readyz"); return status == 200 && said == "ok" }

	var version int
	if err := db.QueryRowContext(t.Context(), `SELECT version FROM schema_version`).Scan(&version); err != nil {
		t.Fatal(err)
	}
	change(`UPDATE schema_version SET version = 43`) // an older dump was restored
	unready("carillon migrate")
	if _, err := db.ExecContext(t.Context(), `UPDATE schema_version SET version = $1`, version); err != nil {
		t.Fatal(err)
	}
	testkit.Eventually(t, "it is ready with its own schema", ready)

	change(`INSERT INTO goose_db_version (version_id, is_applied) VALUES (99999, TRUE)`)
	change(`UPDATE schema_version SET version = 99999, oldest = 99998, program = '9.9.9'`)
	const cure = "install Carillon 9.9.9 or newer"
	unready(cure)
	wantWords(t, c.run(t.Context(), "doctor").out, "FAIL  sql schema", cure)
	for _, command := range [][]string{{"serve", "--addr", "127.0.0.1:0"}, {"user", "list"}, {"migrate"}} {
		if r := c.run(t.Context(), command...); r.status == 0 || !strings.Contains(r.errors, cure) {
			t.Errorf("%q: %d %s", command, r.status, r.errors)
		}
	}
}
