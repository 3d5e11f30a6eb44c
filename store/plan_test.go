package store_test

import (
	"database/sql"
	"path/filepath"
	"strings"
	"testing"

	"github.com/carillonhq/carillon/store"
)

// TestPollingUsesItsPartialIndex checks that the statement repeated by every instance uses the partial index: its
// predicate must match the index's predicate word for word.
func TestPollingUsesItsPartialIndex(t *testing.T) {
	onBoth(t, func(t *testing.T, db *database) {
		db.open(t)
		explain, driver, dsn := `EXPLAIN QUERY PLAN `, "sqlite", "file:"+filepath.Join(db.cfg.DataDir, "carillon.db")
		if db.cfg.URL != "" { // for an empty table PostgreSQL would prefer a table scan
			explain, driver, dsn = `EXPLAIN `, "pgx", db.cfg.URL+"&enable_seqscan=off&enable_bitmapscan=off"
		}
		raw := must(sql.Open(driver, dsn))(t)
		defer func() { _ = raw.Close() }()
		for statement, index := range map[string]string{
			`SELECT seq FROM mutes WHERE type = 'like' AND seq BETWEEN 1 AND 9`:                                               "mutes_pkey",
			strings.NewReplacer("$1", "'7'", "$2", "0", "$3", "10").Replace(`SELECT id FROM notices ` + store.SentByQuery):    "notices_sender",
			strings.NewReplacer("$1", "'7'", "$2", "0", "$3", "10").Replace(store.DidQuery):                                   "audit_log_actor",
			strings.NewReplacer("$1", "'7'", "$2", "0", "$3", "10").Replace(store.SufferedQuery):                              "audit_log_object",
			strings.NewReplacer("$1", "'7'", "$2", "10").Replace(`SELECT id FROM audit_log ` + store.UserLogQuery):            "audit_log_object",
			strings.NewReplacer("$1", "'7'", "$2", "10").Replace(`SELECT id FROM audit_log ` + store.NoticeLogQuery):          "audit_log_notice",
			strings.NewReplacer("$1", "7", "$2", "$1").Replace(store.UnfinishedQuery):                                         "notices_unfinished",
			strings.NewReplacer("$1", "7", "$2", "0", "$3", "1", "$4", "10").Replace(store.NoticeCountsQuery):                 "notice_counts_partition",
			strings.NewReplacer("$1", "7", "$2", "$1").Replace(`SELECT id FROM notices ` + store.DueQuery):                    "notices_scheduled",
			`SELECT seq FROM users WHERE name_fold >= 'a' AND name_fold < 'b' ORDER BY name_fold, name LIMIT $1`:              "users_name_fold",
			strings.NewReplacer("$1", "'a'", "$2", "'b'", "$3", "10").Replace(`SELECT seq FROM users u ` + store.CalledFirst): "users_display_fold",
		} {
			got := plan(t, raw, explain+strings.ReplaceAll(statement, "$1", "10"))
			got = strings.ReplaceAll(got, "mutes USING PRIMARY KEY (type=? AND seq>? AND seq<?)", "mutes_pkey") // SQLite's notation
			if !strings.Contains(got, index) || strings.Contains(strings.ToUpper(got), "SORT") || strings.Contains(got, "TEMP B-TREE") {
				t.Errorf("%s\nis run as\n%s\nwant only %s", statement, got, index)
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

// TestFinishedAnnouncementsAreNotRead adds a few announcements to many old ones.
func TestFinishedAnnouncementsAreNotRead(t *testing.T) {
	onBoth(t, func(t *testing.T, db *database) {
		s := db.open(t)
		announce(t, s, db.announcement("old", 0, 1, 1))
		const numbers = `WITH RECURSIVE numbers (n) AS (SELECT 2 UNION ALL SELECT n + 1 FROM numbers WHERE n < 20000)`
		for _, statement := range []string{
			`INSERT INTO notices (state, created_at, expires_at, target, type, scope, subject, title, body, link, toast, sender_id)
				` + numbers + ` SELECT 'sent', 1, 2, '{}', 'news', '', '', 'old', '', '', FALSE, '' FROM numbers`,
			`INSERT INTO announcements (notice_id, starts_at, ends_at, pinned, late_joiners)
				SELECT id, 1, 2, FALSE, FALSE FROM notices WHERE id > 1`,
			`INSERT INTO announcement_audiences (announcement_id, audience) SELECT notice_id, 1 FROM announcements WHERE notice_id > 1`,
			`UPDATE announcement_audiences SET finished = TRUE`,
			`INSERT INTO users (seq, name, name_fold, password_hash, audience, locale, created_at)
				` + numbers + ` SELECT n, 'u' || n, 'u' || n, '', n % 100, '', 0 FROM numbers`,
		} {
			store.Exec(t, s, statement)
		}
		n := announce(t, s, db.announcement("new", 0, 1, 1, 2))
		explain := `EXPLAIN QUERY PLAN `
		raw := db.raw(t)
		if db.cfg.URL != "" {
			explain = `EXPLAIN `
			if _, err := raw.ExecContext(t.Context(), `ANALYZE`); err != nil {
				t.Fatal(err)
			}
		}
		count := strings.NewReplacer("$1", "7", "$2", "9000").Replace(store.CountAudience)
		open := strings.NewReplacer("$1", "9", "$2", "1", "$3", "0", "ANY($4)", "1", "$4", "'[1]'").Replace(store.OpenQuery(s))
		for statement, index := range map[string]string{
			store.CurrentQuery: "announcement_audiences_unfinished", open: "announcement_audiences_unfinished", count: "users_audience",
		} {
			got := plan(t, raw, explain+statement)
			whole := strings.Contains(got, "Seq Scan on announcements") || strings.Contains(got, "Seq Scan on notices") ||
				strings.Contains(got, "Seq Scan on users") || strings.Contains(got, "SCAN announcements") || strings.Contains(got, "SCAN notices")
			if whole || !strings.Contains(got, index) {
				t.Errorf("%s\nis run as\n%s\nwant %s, and no full table scan", statement, got, index)
			}
		}
		if current := must(s.CurrentAnnouncements(t.Context()))(t); len(current) != 1 || current[0].ID != n.ID || len(current[0].Parts) != 2 {
			t.Errorf("current announcements are %+v", current)
		}
	})
}
