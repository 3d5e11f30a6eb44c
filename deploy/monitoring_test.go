package deploy

import (
	"encoding/json"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"strings"
	"testing"
)

func promtool(t *testing.T, args ...string) {
	t.Helper()
	if out, err := exec.CommandContext(t.Context(), "promtool", args...).CombinedOutput(); err != nil {
		t.Errorf("promtool %s: %v\n%s", strings.Join(args, " "), err, out)
	}
}

// alerts_test.yml checks that a healthy instance fires no alert and that each fault fires one.
func TestEachFaultAlertsAndHealthDoesNot(t *testing.T) {
	t.Parallel()
	promtool(t, "check", "rules", "prometheus/alerts.yml")
	promtool(t, "test", "rules", "prometheus/alerts_test.yml")
	tests, docs := read(t, "prometheus/alerts_test.yml"), read(t, "../docs/operations.md")
	for _, found := range regexp.MustCompile(`- alert: (\w+)`).FindAllStringSubmatch(read(t, "prometheus/alerts.yml"), -1) {
		if strings.Count(tests, found[1]) != 2 {
			t.Errorf("alerts_test.yml does not try %s with and without its fault", found[1])
		}
		if !strings.Contains(docs, "`"+found[1]+"`") {
			t.Errorf("docs/operations.md does not say what to do about %s", found[1])
		}
	}
}

// dashboard holds the parts of a Grafana dashboard that can be wrong unnoticed.
type dashboard struct {
	Panels []struct {
		ID          int
		Type, Title string
		Description string
		GridPos     struct{ H, W, X, Y int }
		Targets     []struct{ Expr string }
	}
}

func TestTheDashboardHasQueriesThatPrometheusUnderstands(t *testing.T) {
	t.Parallel()
	var d dashboard
	if err := json.Unmarshal([]byte(read(t, "grafana/carillon.json")), &d); err != nil {
		t.Fatal(err)
	}
	var rules strings.Builder
	rules.WriteString("groups:\n- name: dashboard\n  rules:\n")
	seen, queries := map[int]bool{}, 0
	for _, p := range d.Panels {
		if seen[p.ID] {
			t.Errorf("two panels have the id %d", p.ID)
		}
		seen[p.ID] = true
		if p.GridPos.X+p.GridPos.W > 24 {
			t.Errorf("%q is outside of the grid", p.Title)
		}
		if p.Type == "row" {
			continue
		}
		if p.Description == "" || len(p.Targets) == 0 {
			t.Errorf("%q has no description or no query", p.Title)
		}
		for _, target := range p.Targets {
			queries++
			expr := strings.NewReplacer("$__rate_interval", "1m", "$instance", ".*").Replace(target.Expr)
			fmt.Fprintf(&rules, "  - record: query:%d\n    expr: %q\n", queries, expr)
		}
	}
	if queries == 0 {
		t.Fatal("the dashboard has no query")
	}
	file := filepath.Join(t.TempDir(), "queries.yml")
	if err := os.WriteFile(file, []byte(rules.String()), 0o600); err != nil {
		t.Fatal(err)
	}
	promtool(t, "check", "rules", file)
}

// After an alert, the operator reads the start and the extent of the fault on the dashboard.
func TestWhatAlertsIsOnTheDashboard(t *testing.T) {
	t.Parallel()
	panels := read(t, "grafana/carillon.json")
	metrics := regexp.MustCompile(`carillon_[a-z_]+`).FindAllString(read(t, "prometheus/alerts.yml"), -1)
	if len(metrics) < 10 {
		t.Fatalf("the alerts name %d metrics", len(metrics))
	}
	for _, metric := range metrics {
		if !strings.Contains(panels, metric+"{") && metric != "carillon_drift_total" { // any value but 0 is a fault to report
			t.Errorf("no panel shows %s", metric)
		}
	}
}

// systemd-analyze rates the exposure of a unit, in tenths: up to 50 is "OK". This one is at 15.
func TestTheUnitIsConfined(t *testing.T) {
	t.Parallel()
	out, err := exec.CommandContext(t.Context(), "systemd-analyze", "security", "--offline=true", "--no-pager", "--threshold=20", "carillon.service").CombinedOutput()
	if err != nil || !strings.Contains(string(out), " OK ") {
		t.Errorf("systemd-analyze security: %v\n%s", err, out)
	}
	unit := read(t, "carillon.service")
	for _, line := range []string{"Type=notify", "WatchdogSec="} {
		if !strings.Contains(unit, "\n"+line) {
			t.Errorf("the unit has no %q", line)
		}
	}
}
