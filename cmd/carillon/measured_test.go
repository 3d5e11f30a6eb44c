package main

import (
	"net/http"
	"net/url"
	"os"
	"path/filepath"
	"regexp"
	"strconv"
	"strings"
	"testing"
	"time"

	"github.com/carillonhq/carillon/internal/faulty"
	"github.com/carillonhq/carillon/internal/redistest"
	"github.com/carillonhq/carillon/internal/testkit"
)

var (
	counted    = regexp.MustCompile(`(?m)^((?:carillon_\w+_seconds)_count\{.*\}) 0$`)
	documented = regexp.MustCompile("`(carillon_\\w+)")
)

// busy starts a server with an outbox, delivers a notice to a user with an open stream, and writes the user's inbox to SQL. It
// returns the page of metrics after each histogram has counted something.
func busy(t *testing.T) (s *running, page string) {
	t.Helper()
	dir := t.TempDir()
	rules := filepath.Join(dir, "rules.toml")
	if err := os.WriteFile(rules, []byte("[[outbox]]\nname = \"shop\"\nsource = \"SHOP\"\n"), 0o600); err != nil {
		t.Fatal(err)
	}
	c := in(dir).with("CARILLON_RULE_SOURCE_SHOP", "sqlite:"+filepath.Join(dir, "shop.db"))
	must(t, c.typing("alice-secret").run(t.Context(), "user", "add", "alice", "--password-stdin", "--role", "staff"))
	s = serve(t, c, "--admin-addr", "127.0.0.1:0", "--admin-pprof", "--rules", rules)
	alice := visit(t, s.URL)
	alice.signIn(t, "alice", "alice-secret")
	events := alice.following(t)
	alice.post(t, "/staff/send", url.Values{"target": {"user"}, "to": {"alice"}, "type": {"note"}, "title": {"Hello"}})
	waitFor(t, events, "the notice", func(e string) bool { return strings.HasPrefix(e, "notice ") })
	testkit.Eventually(t, "everything is measured", func() bool {
		_, page = text(t, s.Admin+"/metrics")
		return !counted.MatchString(page) && !strings.Contains(page, "carillon_flush_users_total 0")
	})
	return s, page
}

func TestWhatTakesTimeIsMeasured(t *testing.T) {
	t.Parallel()
	s, page := busy(t)
	wantWords(t, page,
		`carillon_http_request_seconds_count{code="3xx",method="POST",route="/staff/send"} 1`,
		`carillon_http_request_seconds_count{code="2xx",method="GET",route="/events"} 1`,
		`carillon_delivery_seconds_count{stage="accepted"} 1`,
		`carillon_delivery_seconds_count{stage="written"} 1`,
		`carillon_delivery_seconds_count{stage="published"} `,
		`carillon_sql_seconds_count{call="transaction"} `,
		`carillon_redis_seconds_count{call="script"} `,
		`go_sql_open_connections{db_name="writer"} 1`,
		"carillon_redis_connections ", "carillon_build_info{",
	)
	for _, path := range []string{"/nobody/knows/1", "/nobody/knows/2", "/api/v1/unknown", "/static/a.css"} {
		text(t, s.URL+path)
	}
	req, err := http.NewRequestWithContext(t.Context(), "BREW", s.URL+"/inbox", nil)
	if err != nil {
		t.Fatal(err)
	}
	if res, err := http.DefaultClient.Do(req); err != nil {
		t.Error(err)
	} else {
		_ = res.Body.Close()
	}
	_, page = text(t, s.Admin+"/metrics")
	for _, named := range []string{"nobody", "unknown", "a.css", "BREW"} {
		if strings.Contains(page, named) {
			t.Errorf("a client can add series: %q is in\n%s", named, page)
		}
	}
	if status, body := text(t, s.Admin+"/debug/pprof/goroutine?debug=1"); status != 200 || !strings.Contains(body, "goroutine profile") {
		t.Errorf("profiles: %d %.80s", status, body)
	}
	if status, _ := text(t, s.URL+"/debug/pprof/"); status != 404 {
		t.Errorf("profiles on the public address: %d", status)
	}
}

func TestTheDocumentedMetricsAreThoseThatAreServed(t *testing.T) {
	t.Parallel()
	_, page := busy(t)
	doc, err := os.ReadFile("../../docs/operations.md")
	if err != nil {
		t.Fatal(err)
	}
	served := map[string]bool{}
	for _, found := range regexp.MustCompile(`(?m)^# TYPE (carillon_\w+) `).FindAllStringSubmatch(page, -1) {
		served[found[1]] = true
		if !strings.Contains(string(doc), "`"+found[1]) {
			t.Errorf("docs/operations.md does not list %s", found[1])
		}
	}
	for _, found := range documented.FindAllStringSubmatch(string(doc), -1) {
		if name := found[1]; !served[name] && name != "carillon_device" { // a cookie
			t.Errorf("docs/operations.md lists %s, which is not served", name)
		}
	}
}

// Operators find a slow connection to Redis by comparing these: see "Why are badges late?" in docs/operations.md.
func TestASlowWayToRedisShowsInItsCallsAndInTheStepsBehindIt(t *testing.T) {
	t.Parallel()
	const delay = 40 * time.Millisecond // in each direction
	proxy := faulty.Listen(t, "unix", redistest.Own(t).Socket)
	c := in(t.TempDir()).with("CARILLON_REDIS_URL", proxy.URL("redis"))
	must(t, c.typing("alice-secret").run(t.Context(), "user", "add", "alice", "--password-stdin", "--role", "staff"))
	s := serve(t, c, "--admin-addr", "127.0.0.1:0", "--admin-pprof")
	alice := visit(t, s.URL)
	alice.signIn(t, "alice", "alice-secret")
	proxy.Delay(delay)
	_, before := text(t, s.Admin+"/metrics")
	alice.post(t, "/staff/send", url.Values{"target": {"user"}, "to": {"alice"}, "type": {"note"}, "title": {"Hello"}})
	var after string
	rose := func(series string) (count, mean float64) {
		count = histogram(t, after, series, "count") - histogram(t, before, series, "count")
		return count, (histogram(t, after, series, "sum") - histogram(t, before, series, "sum")) / max(count, 1)
	}
	testkit.Eventually(t, "it is delivered", func() bool {
		_, after = text(t, s.Admin+"/metrics")
		n, _ := rose(`carillon_delivery_seconds{stage="written"}`)
		return n == 1
	})
	// A call in progress when the delay began takes less than both delays.
	for _, series := range []string{`carillon_delivery_seconds{stage="written"}`, `carillon_redis_seconds{call="pipeline"}`} {
		if n, mean := rose(series); n == 0 || mean < delay.Seconds() {
			t.Errorf("%s: %g calls of %g s on average, want at least %v", series, n, mean, delay)
		}
	}
}

// histogram returns the sum or count of a histogram; 0 if it has counted nothing yet.
func histogram(t *testing.T, page, series, part string) float64 {
	t.Helper()
	name, labels, _ := strings.Cut(series, "{")
	_, rest, found := strings.Cut(page, "\n"+name+"_"+part+"{"+labels+" ")
	if !found {
		return 0
	}
	value, _, _ := strings.Cut(rest, "\n")
	n, err := strconv.ParseFloat(value, 64)
	if err != nil {
		t.Fatal(err)
	}
	return n
}

// The rules and the dashboard for operators break silently if a metric is renamed.
func TestAlertsAndDashboardUseMetricsThatAreServed(t *testing.T) {
	t.Parallel()
	_, page := busy(t)
	for _, file := range []string{"../../deploy/prometheus/alerts.yml", "../../deploy/grafana/carillon.json"} {
		text, err := os.ReadFile(file)
		if err != nil {
			t.Fatal(err)
		}
		names := regexp.MustCompile(`\b(?:carillon|process|go)_[a-z0-9_]+`).FindAllString(string(text), -1)
		if len(names) < 10 {
			t.Errorf("%s names %d metrics", file, len(names))
		}
		for _, name := range names {
			if !strings.Contains(page, "\n"+name+" ") && !strings.Contains(page, "\n"+name+"{") {
				t.Errorf("%s uses %s, which is not served", file, name)
			}
		}
		for _, stage := range regexp.MustCompile(`(?:stage|call|step|code|kind)=\\?"([a-z0-9]+)\\?"`).FindAllStringSubmatch(string(text), -1) {
			if stage[1] != "5xx" && !strings.Contains(page, `="`+stage[1]+`"`) {
				t.Errorf("%s uses the label %s, which is not served", file, stage[1])
			}
		}
	}
}
