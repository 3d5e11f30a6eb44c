package main

import (
	"net/http"
	"net/url"
	"os"
	"regexp"
	"strings"
	"testing"

	"github.com/carillonhq/carillon/internal/testkit"
)

var (
	counted    = regexp.MustCompile(`(?m)^((?:carillon_\w+_seconds)_count\{.*\}) 0$`)
	documented = regexp.MustCompile("`(carillon_\\w+)")
)

// busy starts a server, has it deliver a notice to a user with an open stream, and write her inbox to
// SQL. It returns the page of metrics on which each histogram has counted something.
func busy(t *testing.T) (s *running, page string) {
	t.Helper()
	c := in(t.TempDir())
	must(t, c.typing("alice-secret").run(t.Context(), "user", "add", "alice", "--password-stdin", "--role", "staff"))
	s = serve(t, c, "--admin-addr", "127.0.0.1:0")
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
