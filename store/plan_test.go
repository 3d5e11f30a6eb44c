package store_test

import (
	"database/sql"
	"path/filepath"
	"strings"
	"testing"

	"github.com/carillonhq/carillon/store"
)

// TestPollingReadsOnlyItsIndex holds the statement that every instance repeats
// to the partial index: its predicate must be the index's, word for word.
func TestPollingReadsOnlyItsIndex(t *testing.T) {
	onBoth(t, func(t *testing.T, db *database) {
		db.open(t)
		explain, driver, dsn := `EXPLAIN QUERY PLAN `, "sqlite", "file:"+filepath.Join(db.cfg.DataDir, "carillon.db")
		if db.cfg.URL != "" { // on an empty table PostgreSQL reads the table unless told otherwise
			explain, driver, dsn = `EXPLAIN `, "pgx", db.cfg.URL+"&enable_seqscan=off&enable_bitmapscan=off"
		}
		raw := must(sql.Open(driver, dsn))(t)
		defer func() { _ = raw.Close() }()
		for statement, index := range map[string]string{
			`SELECT seq FROM mutes WHERE type = 'like' AND seq BETWEEN 1 AND 9`:                                  "mutes_pkey",
			`SELECT id FROM notices WHERE ` + store.UnfinishedPredicate + ` ORDER BY id LIMIT $1`:                "notices_unfinished",
			`SELECT seq FROM users WHERE name_fold >= 'a' AND name_fold < 'b' ORDER BY name_fold, name LIMIT $1`: "users_name_fold",
		} {
			got := plan(t, raw, explain+strings.ReplaceAll(statement, "$1", "10"))
			got = strings.ReplaceAll(got, "mutes USING PRIMARY KEY (type=? AND seq>? AND seq<?)", "mutes_pkey") // SQLite's way to say it
			if !strings.Contains(got, index) || strings.Contains(strings.ToUpper(got), "SORT") || strings.Contains(got, "TEMP B-TREE") {
				t.Errorf("%s\nis answered by\n%s\nwant %s alone", statement, got, index)
			}
		}
	})
}

func plan(t *testing.T, db *sql.DB, explain string) string {
	t.Helper()
	rows, err := db.QueryContext(t.Context(), explain)
	if err != nil {
		t.Fatal(err)
	}
	defer func() { _ = rows.Close() }()
	columns := must(rows.Columns())(t)
	var lines []string
	for rows.Next() {
		line := make([]any, len(columns))
		for i := range line {
			line[i] = new(sql.NullString)
		}
		if err := rows.Scan(line...); err != nil {
			t.Fatal(err)
		}
		last, _ := line[len(line)-1].(*sql.NullString)
		lines = append(lines, last.String)
	}
	if err := rows.Err(); err != nil {
		t.Fatal(err)
	}
	return strings.Join(lines, "\n")
}
