package main

import (
	"database/sql"
	"encoding/json"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/carillonhq/carillon/notifier"
)

const aRule = `
[[rule]]
name = "negative-stock"
every = "1h"
source = "WAREHOUSE"
query = "SELECT location, units FROM stock WHERE units < 0 ORDER BY location"
type = "rep_notice"
scope = "119240"
subject = "location:{{.location}}"
title = "{{.location}} has {{.units}}"
`

// watching returns a call with a rules file and the database that the rules query.
func watching(t *testing.T, rules string) call {
	t.Helper()
	dir := t.TempDir()
	stock := filepath.Join(dir, "warehouse.db")
	db, err := sql.Open("sqlite", stock)
	if err != nil {
		t.Fatal(err)
	}
	defer func() { _ = db.Close() }()
	for _, statement := range []string{
		`CREATE TABLE stock (location TEXT PRIMARY KEY, units INTEGER NOT NULL)`,
		`INSERT INTO stock VALUES ('A-07-3', -3), ('B-02-1', 9)`,
	} {
		if _, err := db.ExecContext(t.Context(), statement); err != nil {
			t.Fatal(err)
		}
	}
	file := filepath.Join(dir, "rules.toml")
	if err := os.WriteFile(file, []byte(rules), 0o600); err != nil {
		t.Fatal(err)
	}
	return in(filepath.Join(dir, "data")).with("CARILLON_RULES", file).with("CARILLON_RULE_SOURCE_WAREHOUSE", "sqlite:"+stock)
}

func TestCheckingRulesPrintsTheNoticesAndSendsNothing(t *testing.T) {
	t.Parallel()
	c := watching(t, aRule)
	var got checkedRule
	for range 2 {
		r := must(t, c.run(t.Context(), "rules", "check", "--json"))
		if err := json.Unmarshal([]byte(r.out), &got); err != nil {
			t.Fatalf("%v:\n%s", err, r.out)
		}
		want := checkedRule{Rule: "negative-stock", Schedule: "every 1h", Findings: []checkedEntry{
			{Change: "new", To: "topic rep_notice:119240", Subject: "location:A-07-3", Title: "A-07-3 has -3"},
		}}
		if diff := cmp.Diff(want, got); diff != "" {
			t.Error(diff)
		}
	}
	wantWords(t, must(t, c.run(t.Context(), "rules", "check")).out, "negative-stock", "topic rep_notice:119240", "A-07-3 has -3")
}

func TestCheckingRulesPrintsWhatANoticeHasBesideItsTitle(t *testing.T) {
	t.Parallel()
	c := watching(t, aRule+`link = "/locations/{{path .location}}"
actor = {id = "9", name = "Ann"}
image = {url = "https://cdn.example.com/{{.location}}", alt = "The plan"}
actions = [{label = "Count", link = "/count", style = "primary"}]
data = ["units"]
take = {within = "30m", else = {roles = ["boss", "lead"]}, done = "none"}
`).with("CARILLON_IMAGE_HOSTS", "cdn.example.com")
	var got checkedRule
	if err := json.Unmarshal([]byte(must(t, c.run(t.Context(), "rules", "check", "--json")).out), &got); err != nil {
		t.Fatal(err)
	}
	want := checkedRule{Rule: "negative-stock", Schedule: "every 1h", Take: &checkedTake{"30m0s", "roles boss, lead", "none"}, Findings: []checkedEntry{{
		Change: "new", To: "topic rep_notice:119240", Subject: "location:A-07-3", Title: "A-07-3 has -3", Link: "/locations/A-07-3",
		Actor: &notifier.RowActor{ID: "9", Name: "Ann"}, Image: &notifier.Image{URL: "https://cdn.example.com/A-07-3", Alt: "The plan"},
		Actions: []notifier.Action{{Label: "Count", Link: "/count", Style: "primary"}}, Data: json.RawMessage(`{"units":-3}`),
	}}}
	if diff := cmp.Diff(want, got); diff != "" {
		t.Error(diff)
	}
	wantWords(t, must(t, c.run(t.Context(), "rules", "check")).out,
		"each is a task, to be taken within 30m0s, after that also to roles boss, lead; taking it is enough",
		"link /locations/A-07-3", "actor Ann (9)", "picture https://cdn.example.com/A-07-3 (The plan)", "button Count: /count (primary)", `data {"units":-3}`)
}

func TestAFailingRuleIsNamedAndTheOthersAreChecked(t *testing.T) {
	t.Parallel()
	c := watching(t, aRule+`
[[rule]]
name = "nowhere"
every = "1h"
source = "ELSEWHERE"
query = "SELECT 1"
type = "news"
subject = "x"
title = "x"
`)
	r := c.run(t.Context(), "rules", "check")
	if r.status != exitFailed {
		t.Errorf("status %d", r.status)
	}
	wantWords(t, r.out, "A-07-3 has -3")
	wantWords(t, r.errors, "nowhere", "CARILLON_RULE_SOURCE_ELSEWHERE")
	if strings.Contains(r.errors, "redis") {
		t.Errorf("the errors mention Redis, which the command does not need:\n%s", r.errors)
	}
	if r = in(t.TempDir()).run(t.Context(), "rules", "check"); r.status != exitUsage {
		t.Errorf("without a file: status %d", r.status)
	}
}
