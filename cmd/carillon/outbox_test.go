package main

import (
	"database/sql"
	"encoding/json"
	"path/filepath"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
)

const anOutbox = `
[[outbox]]
name = "shop"
source = "WAREHOUSE"
table = "box"
`

func TestCheckingRulesPrintsTheOutboxes(t *testing.T) {
	t.Parallel()
	c := watching(t, anOutbox)
	r := c.run(t.Context(), "rules", "check")
	if r.status != exitFailed {
		t.Errorf("without the table: status %d", r.status)
	}
	wantWords(t, r.out, "outbox shop", "box of WAREHOUSE", "there is no such table", "carillon outbox schema")

	db, err := sql.Open("sqlite", strings.TrimPrefix(c.env["CARILLON_RULE_SOURCE_WAREHOUSE"], "sqlite:"))
	if err != nil {
		t.Fatal(err)
	}
	defer func() { _ = db.Close() }()
	schema := must(t, c.run(t.Context(), "outbox", "schema", "--dialect", "sqlite", "--table", "box")).out
	for _, statement := range []string{schema, schema, `INSERT INTO box (payload, error) VALUES ('{}', NULL), ('{}', ''), ('{', 'payload is incomplete')`} {
		if _, err := db.ExecContext(t.Context(), statement); err != nil {
			t.Fatal(err)
		}
	}
	for range 2 {
		var got checkedOutbox
		if err := json.Unmarshal([]byte(must(t, c.run(t.Context(), "rules", "check", "--json")).out), &got); err != nil {
			t.Fatal(err)
		}
		if diff := cmp.Diff(checkedOutbox{Outbox: "shop", Source: "WAREHOUSE", Table: "box", Waiting: 2, Faulty: 1}, got); diff != "" {
			t.Error(diff)
		}
	}
	wantWords(t, must(t, c.run(t.Context(), "rules", "check")).out, "2 rows to send, 1 with an error")

	r = watching(t, anOutbox+"app = \"front\"\n").with("CARILLON_RULE_SOURCE_WAREHOUSE", c.env["CARILLON_RULE_SOURCE_WAREHOUSE"]).run(t.Context(), "rules", "check")
	if r.status != exitFailed {
		t.Errorf("without the app: status %d", r.status)
	}
	wantWords(t, r.out, "app front", `find the app "front"`)
}

func TestTheTableOfAnOutboxNeedsAName(t *testing.T) {
	t.Parallel()
	for _, args := range [][]string{{"--dialect", "oracle"}, {}, {"--dialect", "mysql", "--table", "a; DROP TABLE b"}} {
		if r := in(filepath.Join(t.TempDir(), "data")).run(t.Context(), append([]string{"outbox", "schema"}, args...)...); r.status != exitUsage {
			t.Errorf("%q: status %d, %s", args, r.status, r.errors)
		}
	}
	for _, dialect := range []string{"postgres", "mysql", "sqlite"} {
		wantWords(t, must(t, call{}.run(t.Context(), "outbox", "schema", "--dialect", dialect)).out, "CREATE TABLE IF NOT EXISTS", "carillon_outbox", "payload", "error", "created_at")
	}
}
