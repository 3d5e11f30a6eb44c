package testkit

import (
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"strings"
	"testing"
	"time"
)

// Prometheus simulates scraping an instance. For the alerts of deploy/, scrapes are one interval apart, regardless of
// when the test makes them.
type Prometheus struct {
	every  time.Duration
	rules  string              // the file with the alerts
	used   map[string]bool     // names of the metrics in it
	series map[string][]string // values by name and labels
	n      int                 // scrapes
	checks strings.Builder
}

var (
	metricName = regexp.MustCompile(`\b(?:carillon|process)_\w+`)
	metric     = regexp.MustCompile(`(?m)^(\w+)(?:\{(.*)\})? (\S+)$`)
)

// NewPrometheus returns a Prometheus without scrapes.
func NewPrometheus(t testing.TB, every time.Duration) *Prometheus {
	t.Helper()
	p := &Prometheus{every: every, used: map[string]bool{}, series: map[string][]string{}}
	var err error
	if p.rules, err = filepath.Abs("../../deploy/prometheus/alerts.yml"); err != nil {
		t.Fatal(err)
	}
	text, err := os.ReadFile(p.rules)
	if err != nil {
		t.Fatal(err)
	}
	for _, name := range metricName.FindAllString(string(text), -1) {
		p.used[name] = true
	}
	return p
}

// Scrape records a page of metrics; an empty page represents an instance that does not respond.
func (p *Prometheus) Scrape(page string) {
	now := map[string]string{"up": "0"}
	if page != "" {
		now["up"] = "1"
	}
	for _, found := range metric.FindAllStringSubmatch(page, -1) {
		if name := found[1]; p.used[name] {
			now[name+","+found[2]] = found[3]
		}
	}
	for series := range now {
		if p.series[series] == nil {
			p.series[series] = missing(p.n)
		}
	}
	for series, values := range p.series {
		value, ok := now[series]
		if !ok {
			value = missing(1)[0]
		}
		p.series[series] = append(values, value)
	}
	p.n++
}

// missing returns the values of a series for scrapes that lack it.
func missing(n int) []string { return strings.Fields(strings.Repeat("_ ", n)) }

// Last returns the value of a metric with these labels, written as on the page, in the last scrape.
func (p *Prometheus) Last(t testing.TB, name, labels string) string {
	t.Helper()
	values := p.series[name+","+labels]
	if len(values) == 0 {
		t.Fatalf("%s{%s} was not scraped", name, labels)
	}
	return values[len(values)-1]
}

// Expect expects these samples from an expression at the time of the last scrape.
func (p *Prometheus) Expect(expr string, samples ...string) {
	fmt.Fprintf(&p.checks, "      - {expr: '%s', eval_time: %s, exp_samples: [%s]}\n", expr, p.every*time.Duration(p.n-1), strings.Join(samples, ", "))
}

// Silent expects that an alert does not fire at the time of the last scrape.
func (p *Prometheus) Silent(alert string) { p.Expect(firing(alert)) }

// Fires expects an alert to fire at the time of the last scrape.
func (p *Prometheus) Fires(alert string) { p.Expect(firing(alert), `{labels: "{}", value: 1}`) }

func firing(alert string) string {
	return fmt.Sprintf(`count(ALERTS{alertname=%q, alertstate="firing"}) > bool 0`, alert)
}

// Check fails the test unless all expectations hold.
func (p *Prometheus) Check(t testing.TB) {
	t.Helper()
	var b strings.Builder
	fmt.Fprintf(&b, "rule_files: [%q]\nevaluation_interval: %s\ntests:\n  - interval: %[2]s\n    input_series:\n", p.rules, p.every)
	for series, values := range p.series {
		name, labels, _ := strings.Cut(series, ",")
		fmt.Fprintf(&b, "      - {series: '%s{job=\"carillon\", instance=\"a\", %s}', values: '%s'}\n", name, labels, strings.Join(values, " "))
	}
	b.WriteString("    promql_expr_test:\n" + p.checks.String())
	file := filepath.Join(t.TempDir(), "scraped.yml")
	if err := os.WriteFile(file, []byte(b.String()), 0o600); err != nil {
		t.Fatal(err)
	}
	if out, err := exec.CommandContext(t.Context(), "promtool", "test", "rules", file).CombinedOutput(); err != nil {
		t.Errorf("promtool (scripts/setup.sh test installs it): %v\n%s", err, out)
	}
}
