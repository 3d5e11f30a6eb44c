package rule_test

import (
	"context"
	"net"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"github.com/carillonhq/carillon/internal/testkit"
	"github.com/carillonhq/carillon/notifier/rule"
)

// asking returns a set with one rule that has this query.
func asking(t *testing.T, b *business, query string, more ...string) *rule.Set {
	t.Helper()
	lines := strings.Split(negative(more...), "\n")
	lines[4] = "query = '''" + query + "'''"
	return parse(t, b, strings.Join(lines, "\n"))
}

func TestQueriesCannotWrite(t *testing.T) {
	t.Parallel()
	onEach(t, func(t *testing.T, b *business) {
		b.put(t, "A1", 1, -3)
		other := t.TempDir() + "/other.db"
		for _, query := range []string{
			`INSERT INTO stock VALUES ('B', 1, 1) RETURNING place`,
			`DELETE FROM stock`,
			`WITH gone AS (DELETE FROM stock RETURNING place) SELECT place FROM gone`,
			`SELECT 1; DELETE FROM stock`,
			`COMMIT; DELETE FROM stock; SELECT 1`,
			`ROLLBACK; DELETE FROM stock; SELECT 1`,
			`PRAGMA query_only = 0; DELETE FROM stock; SELECT 1`,
			`CREATE TABLE more (x INT)`,
			`DROP TABLE stock`,
			`SET TRANSACTION READ WRITE`,
			`SET SESSION CHARACTERISTICS AS TRANSACTION READ WRITE; DELETE FROM stock`,
			`SELECT set_config('transaction_read_only', 'off', true), write_it()`,
			`DO $$ BEGIN DELETE FROM stock; END $$`,
			`ATTACH '` + other + `' AS other; CREATE TABLE other.more (x INT)`,
			`PRAGMA query_only = 0; ATTACH 'file:` + other + `?mode=rwc' AS other; CREATE TABLE other.more (x INT)`,
			`SET SESSION TRANSACTION READ WRITE`,
			`START TRANSACTION READ WRITE`,
			`SELECT place FROM stock INTO OUTFILE '` + other + `'`,
			`LOAD DATA LOCAL INFILE '/etc/hostname' INTO TABLE stock`,
			`BEGIN NOT ATOMIC COMMIT; DELETE FROM stock; END`,
			`VACUUM INTO '` + other + `'`,
			`PRAGMA query_only = 0; VACUUM INTO '` + other + `'`,
		} {
			if b.kind == "mysql" && strings.Contains(query, "PRAGMA") {
				continue
			}
			if b.kind == "postgres" && strings.Contains(query, "write_it") {
				b.do(t, `CREATE OR REPLACE FUNCTION write_it() RETURNS bigint LANGUAGE sql AS 'DELETE FROM stock RETURNING units'`)
			}
			rows, err := asking(t, b, query).Ask(t.Context(), "negative-stock")
			if err == nil && !harmless(query) {
				t.Errorf("%s: returned %v", query, rows)
			}
			if n := b.count(t, `SELECT COUNT(*) FROM stock WHERE place = 'A1'`); n != 1 {
				t.Fatalf("%s: wrote to the database", query)
			}
			if files, err := filepath.Glob(other); err != nil || len(files) > 0 {
				t.Fatalf("%s: created a file", query)
			}
		}
	})
}

// harmless reports whether a query may succeed because it does no harm.
func harmless(query string) bool {
	return strings.HasPrefix(query, "SET TRANSACTION") || strings.HasPrefix(query, "SET SESSION TRANSACTION") || strings.HasPrefix(query, "START")
}

func TestAQueryIsEndedAtItsTimeout(t *testing.T) {
	t.Parallel()
	onEach(t, func(t *testing.T, b *business) {
		query := `SELECT 'x' AS place, pg_sleep(600)`
		switch b.kind {
		case "sqlite":
			query = `WITH RECURSIVE n(i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM n) SELECT COUNT(*) AS place FROM n`
		case "mysql":
			query = `SELECT 'x' AS place, SLEEP(600)`
		}
		_, err := asking(t, b, query, `timeout = "300ms"`).Ask(t.Context(), "negative-stock")
		if err == nil || err.Error() != "no answer within 300ms" {
			t.Errorf("%v", err)
		}
		running := map[string]string{
			"postgres": `SELECT COUNT(*) FROM pg_stat_activity WHERE state = 'active' AND query LIKE '%pg_sleep(600)%' AND pid <> pg_backend_pid()`,
			"mysql":    `SELECT COUNT(*) FROM information_schema.processlist WHERE user = DATABASE() AND info LIKE '%SLEEP(600)%' AND id <> CONNECTION_ID()`,
		}[b.kind]
		if running != "" {
			testkit.Eventually(t, "the server ended the query", func() bool { return b.count(t, running) == 0 })
		}
	})
}

// unhurried is a context whose children's deadlines never fire, as on a machine too busy for its
// timers. Its own deadline is earlier than all others, in a form that connecting code ignores.
type unhurried struct{ context.Context } //nolint:containedctx // it is a context itself

func (unhurried) Deadline() (time.Time, bool) { return time.Time{}, true }

// SQLite has no server that ends a query by itself.
func TestAQueryEndedByTheServerCountsAsTimedOut(t *testing.T) {
	t.Parallel()
	for kind, query := range map[string]string{"postgres": `SELECT 'x' AS place, pg_sleep(600)`, "mysql": `SELECT 'x' AS place, SLEEP(600)`} {
		_, err := asking(t, newBusiness(t, kind), query, `timeout = "300ms"`).Ask(unhurried{t.Context()}, "negative-stock")
		if err == nil || err.Error() != "no answer within 300ms" {
			t.Errorf("%s: %v", kind, err)
		}
	}
}

func TestASilentServerTimesOut(t *testing.T) {
	t.Parallel()
	l, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = l.Close() })
	silent := &business{address: "postgres://me:hunter2@" + l.Addr().String() + "/db?sslmode=disable"}
	_, err = asking(t, silent, `SELECT 1`, `timeout = "300ms"`).Ask(t.Context(), "negative-stock")
	if err == nil || err.Error() != "no answer within 300ms" {
		t.Errorf("%v", err)
	}
}

func TestSourceErrorsDoNotContainThePassword(t *testing.T) {
	t.Parallel()
	for _, address := range []string{
		"postgres://me:hunter2@127.0.0.1:1/db", "postgres://me:hunter2@nowhere.invalid/db", "sqlite:/nowhere/at/all.db",
		"mysql://me:hunter2@127.0.0.1:1/db", "mysql://me:hunter2@nowhere.invalid/db", "mysql://me:hunter2@/db?socket=/nowhere/at/all",
	} {
		_, err := asking(t, &business{address: address}, `SELECT 1`).Ask(t.Context(), "negative-stock")
		if err == nil || strings.Contains(err.Error(), "hunter2") {
			t.Errorf("%s: %v", address, err)
		}
	}
}

func TestColumnsAreFormattedForTemplates(t *testing.T) {
	t.Parallel()
	onEach(t, func(t *testing.T, b *business) {
		columns := `NULL AS none, 'a' || CHR(9) || 'b' || CHR(8238) AS text, 1500000.5::float8 AS real, 3::int AS whole, -12.50::numeric AS exact,
			TRUE AS yes, '\xff00'::bytea AS bytes, TIMESTAMP '2026-07-01 12:30:00' AS at`
		if b.kind == "mysql" {
			columns = `NULL AS none, CONCAT('a', CHAR(9), 'b', CHAR(0xe280ae USING utf8mb4)) AS text, 1500000.5e0 AS ` + "`real`" + `, 3 AS whole, -12.50 AS exact,
			TRUE AS yes, X'FF00' AS bytes, TIMESTAMP '2026-07-01 12:30:00' AS at`
		}
		if b.kind == "sqlite" {
			columns = `NULL AS none, 'a' || CHAR(9) || 'b' || CHAR(8238) AS text, 1500000.5 AS real, 3 AS whole, -12.50 AS exact,
			TRUE AS yes, X'FF00' AS bytes, at FROM times`
			b.do(t, `CREATE TABLE times (at DATETIME)`, `INSERT INTO times VALUES ('2026-07-01 12:30:00')`)
		}
		b.put(t, "A1", 1, -3)
		rules := strings.Split(negative(), "\n")
		rules[4] = "query = '''SELECT 'A1' AS place, 1 AS warehouse, 0 AS units, " + columns + "'''"
		rules[8] = `title = '[{{.none}}|{{.text}}|{{.real}}|{{.whole}}|{{.exact}}|{{.yes}}|{{.bytes}}|{{.at}}|{{date "02 Jan" .at}}]'`
		r := newRig(t, b, strings.Join(rules, "\n"))
		plan, err := r.Check(t.Context(), "negative-stock")
		if err != nil || len(plan.Findings) != 1 {
			t.Fatalf("%+v, %v", plan, err)
		}
		want := map[string]string{
			"mysql":    "[|a b|1500000.5|3|-12.50|1|ff00|2026-07-01T12:30:00Z|01 Jul]",
			"sqlite":   "[|a b|1500000.5|3|-12.5|1|ff00|2026-07-01T12:30:00Z|01 Jul]",
			"postgres": "[|a b|1500000.5|3|-12.50|true|ff00|2026-07-01T12:30:00Z|01 Jul]",
		}
		if diff := cmp.Diff(want[b.kind], plan.Findings[0].Draft.Title); diff != "" {
			t.Error(diff)
		}
	})
}

func TestTwoColumnsWithTheSameNameAreAnError(t *testing.T) {
	t.Parallel()
	onEach(t, func(t *testing.T, b *business) {
		_, err := asking(t, b, `SELECT 1 AS a, 2 AS a`).Ask(t.Context(), "negative-stock")
		if err == nil || err.Error() != `the query returns two columns named "a"` {
			t.Errorf("%v", err)
		}
	})
}

func TestATooLargeResultIsAnError(t *testing.T) {
	t.Parallel()
	b := newBusiness(t, "sqlite")
	_, err := asking(t, b, `SELECT HEX(ZEROBLOB(40000000)) AS place`, `timeout = "1m"`).Ask(t.Context(), "negative-stock")
	if err == nil || err.Error() != "the query returns more than 64 MB" {
		t.Errorf("%v", err)
	}
}
