package handlers_test

import (
	"context"
	"database/sql"
	"fmt"
	"log/slog"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/carillonhq/carillon/notifier"
	"github.com/carillonhq/carillon/notifier/rule"
)

// office is a world with administration pages over SQL.
type office struct{ *world }

// newOffice returns an office with the rule "a", which is not run.
func newOffice(t *testing.T) *office {
	t.Helper()
	return &office{newWorld(t, func(w *world) { w.config.Audit, w.config.Rules = w.db, w.rules("a") })}
}

// haveRules replaces the rules.
func (o *office) haveRules(names ...string) {
	o.t.Helper()
	o.config.Rules = o.rules(names...)
	o.rebuild()
}

// rules returns a runner of rules that find nothing in their own database. A rule called "faulty" has a fault.
func (d *databases) rules(names ...string) *rule.Runner {
	d.t.Helper()
	business := filepath.Join(d.dir, "business.db")
	raw, err := sql.Open("sqlite", business)
	if err == nil {
		_, err = raw.ExecContext(d.t.Context(), `CREATE TABLE IF NOT EXISTS stock (place TEXT)`)
	}
	if err != nil {
		d.t.Fatal(err)
	}
	if err := raw.Close(); err != nil {
		d.t.Fatal(err)
	}
	var text strings.Builder
	for _, name := range names {
		source := map[bool]string{true: "<elsewhere>", false: "BUSINESS"}[name == "faulty"]
		fmt.Fprintf(&text, `
[[rule]]
name = %q
every = "5m"
source = %q
query = "SELECT place FROM stock"
type = "rep_notice"
subject = "{{.place}}"
title = "{{.place}}"
`, name, source)
	}
	set, err := rule.Parse([]byte(text.String()), func(name string) (string, bool) {
		address, ok := map[string]string{"CARILLON_RULE_SOURCE_BUSINESS": "sqlite:" + business}[name]
		return address, ok
	})
	if set == nil {
		d.t.Fatal(err)
	}
	return rule.New(rule.Config{Rules: set, Store: d.db, Now: d.clock, Log: slog.New(slog.DiscardHandler)})
}

// runRules runs these rules, when due or requested, until the test ends. All of them ran at noon, a minute ago: a
// rule with an interval that has never run is due at once.
func (o *office) runRules(names ...string) {
	o.t.Helper()
	for _, name := range names {
		o.haveRun(notifier.RuleRun{Rule: name, StartedAt: noon, EndedAt: noon})
	}
	o.now.Add(int64(time.Minute))
	ctx, cancel := context.WithCancel(context.Background())
	ended := make(chan error, 1)
	go func() { ended <- o.config.Rules.Run(ctx) }()
	o.t.Cleanup(func() {
		cancel()
		if err := <-ended; err != nil {
			o.t.Error(err)
		}
	})
}

// ran returns the rules that have finished a run since noon.
func (o *office) ran() []string {
	o.t.Helper()
	runs, err := o.db.Runs(o.t.Context())
	if err != nil {
		o.t.Fatal(err)
	}
	var names []string
	for _, run := range runs {
		if run.StartedAt.After(noon) && !run.EndedAt.IsZero() && run.Error == "" {
			names = append(names, run.Rule)
		}
	}
	return names
}

// haveRun stores a run of a rule.
func (o *office) haveRun(run notifier.RuleRun) {
	o.t.Helper()
	if err := o.db.StartRun(o.t.Context(), notifier.Actor{}, run); err != nil {
		o.t.Fatal(err)
	}
}
