package e2e

import (
	"context"
	"database/sql"
	"encoding/xml"
	"fmt"
	"io"
	"net/http"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/chromedp/chromedp"

	"github.com/carillonhq/carillon/internal/sqltest"
	"github.com/carillonhq/carillon/internal/testkit"
)

// stockRules sends a notice about a location with negative stock, until that is corrected, and one
// about an empty location, for some seconds.
const stockRules = `
[[rule]]
name = "negative-stock"
every = "1s"
source = "WAREHOUSE"
query = "SELECT location, warehouse, units FROM stock WHERE units < 0 ORDER BY location"
type = "rep_notice"
scope_column = "warehouse"
subject = "location:{{.location}}"
title = "{{.location}} has {{.units}}"
withdraw = true

[[rule]]
name = "empty-location"
every = "1s"
source = "WAREHOUSE"
query = "SELECT location, warehouse FROM stock WHERE units = 0"
type = "rep_notice"
scope_column = "warehouse"
subject = "empty:{{.location}}"
title = "{{.location}} is empty"
expires_in = "6s"
`

// warehouse is a business database that the rules of a site watch.
type warehouse struct {
	t  *testing.T
	db *sql.DB
}

// watching creates a warehouse with two locations and configures the instances of the site to watch
// it.
func (s *site) watching(driver, dsn, source string) *warehouse {
	s.t.Helper()
	db, err := sql.Open(driver, dsn)
	if err != nil {
		s.t.Fatal(err)
	}
	s.t.Cleanup(func() { _ = db.Close() })
	w := &warehouse{s.t, db}
	w.exec(`CREATE TABLE stock (location TEXT PRIMARY KEY, warehouse TEXT NOT NULL, units INTEGER NOT NULL)`)
	w.exec(`INSERT INTO stock VALUES ('A-07-3', '119240', 4), ('B-02-1', '119240', 9), ('C-12-1', '220115', -1)`)
	rules := filepath.Join(s.t.TempDir(), "rules.toml")
	if err := os.WriteFile(rules, []byte(stockRules), 0o600); err != nil {
		s.t.Fatal(err)
	}
	s.flags = append(s.flags, "--rules", rules)
	s.env = append(s.env, "CARILLON_RULE_SOURCE_WAREHOUSE="+source)
	return w
}

func (w *warehouse) exec(statement string, args ...any) {
	w.t.Helper()
	if _, err := w.db.ExecContext(w.t.Context(), statement, args...); err != nil {
		w.t.Fatalf("%s: %v", statement, err)
	}
}

func (w *warehouse) set(location string, units int) {
	w.t.Helper()
	w.exec(`UPDATE stock SET units = $1 WHERE location = $2`, units, location)
}

// polled is the response to a poll in XML.
type polled struct {
	Unread  int64 `xml:"unread"`
	Notices []struct {
		Title  string `xml:"title"`
		Reason string `xml:"reason"`
	} `xml:"notices>notice"`
}

func (p polled) String() string {
	lines := []string{fmt.Sprint(p.Unread, " unread")}
	for _, n := range p.Notices {
		lines = append(lines, n.Title+" because of "+n.Reason)
	}
	return strings.Join(lines, "; ")
}

// application is a client of the API of an instance.
type application struct {
	t        *testing.T
	url, key string
}

// call sends a request and returns the body of the response.
func (a *application) call(method, path, body string) []byte {
	a.t.Helper()
	ctx, cancel := context.WithTimeout(a.t.Context(), patience)
	defer cancel()
	r, err := http.NewRequestWithContext(ctx, method, a.url+"/api/v1"+path, strings.NewReader(body))
	if err != nil {
		a.t.Fatal(err)
	}
	r.Header.Set("Authorization", "Bearer "+a.key)
	r.Header.Set("Accept", "application/xml")
	r.Header.Set("Content-Type", "application/json")
	answer, err := http.DefaultClient.Do(r)
	if err != nil {
		a.t.Fatal(err)
	}
	defer func() { _ = answer.Body.Close() }()
	got, err := io.ReadAll(answer.Body)
	if err != nil || answer.StatusCode >= http.StatusBadRequest {
		a.t.Fatalf("%s %s answers %s, %v\n%s", method, path, answer.Status, err, got)
	}
	return got
}

// polls polls in XML until the response equals want.
func (a *application) polls(user, want string) {
	a.t.Helper()
	testkit.Until(a.t, fmt.Sprintf("a poll for %s answers %q", user, want), func() (p polled, ok bool) {
		if err := xml.Unmarshal(a.call("GET", "/users/"+user+"/notices?scope=119240", ""), &p); err != nil {
			a.t.Fatalf("poll for %s: %v", user, err)
		}
		return p, p.String() == want
	})
}

// When stock in the table of a warehouse system turns negative, the users responsible for
// replenishment are notified, by name or by role, until it is corrected.
func TestNegativeStockNotifiesTheResponsibleUsers(t *testing.T) {
	t.Parallel()
	t.Run("SQLite", func(t *testing.T) {
		t.Parallel()
		s := alone(t)
		file := filepath.Join(t.TempDir(), "warehouse.db")
		stockStory(t, s, s.watching("sqlite", file+"?_pragma=busy_timeout(5000)&_pragma=journal_mode(WAL)", "sqlite:"+file))
	})
	t.Run("PostgreSQL", func(t *testing.T) {
		t.Parallel()
		s, url := many(t), sqltest.URL(t)
		stockStory(t, s, s.watching("pgx", url, url))
	})
}

func stockStory(t *testing.T, s *site, stock *warehouse) {
	t.Helper()
	s.user("bob")
	s.user("carol", "picker")
	s.user("dave")
	i := s.serve()
	app := &application{t, i.url, strings.TrimSpace(s.carillon("", "key", "add", "warehouse", "--scope", "admin"))}
	for _, subscriber := range []string{`"user": "bob"`, `"role": "picker"`, `"user": "carol"`} {
		app.call("PUT", "/subscriptions", `{"type": "rep_notice", "scope": "119240", `+subscriber+`}`)
	}
	app.call("DELETE", "/subscriptions", `{"type": "rep_notice", "scope": "119240", "user": "carol"}`)

	windows := map[string]*window{}
	for _, name := range []string{"bob", "carol", "dave"} {
		windows[name] = open(t, i).signIn(name).goTo("/inbox?filter=unread").badge("")
	}
	bob, carol, dave := windows["bob"], windows["carol"], windows["dave"]

	stock.set("A-07-3", -3)
	bob.badge("1")
	carol.badge("1")
	app.polls("bob", "1 unread; A-07-3 has -3 because of topic:rep_notice:119240")
	app.polls("carol", "1 unread; A-07-3 has -3 because of role:picker")
	stock.set("A-07-3", -5) // the same row shows it
	app.polls("bob", "1 unread; A-07-3 has -5 because of topic:rep_notice:119240")

	carol.goTo("/inbox")
	carol.do(chromedp.WaitVisible(entry("rep_notice:location:A-07-3")))
	carol.shot("negative-stock-" + slices.Collect(strings.SplitSeq(t.Name(), "/"))[1])
	carol.until(`document.querySelector('[data-testid=entry]').textContent.includes('picker')`)
	carol.badge("")
	bob.badge("1")

	stock.set("B-02-1", 0)
	bob.badge("2")
	carol.badge("1")
	stock.set("B-02-1", 9)
	bob.badge("1") // when the notice expires
	carol.badge("")
	app.polls("carol", "0 unread; A-07-3 has -5 because of role:picker")

	stock.set("A-07-3", 12)
	bob.badge("")
	app.polls("bob", "0 unread")
	dave.badge("")
	app.polls("dave", "0 unread")
}

func TestTheWarehouseExampleHolds(t *testing.T) {
	t.Parallel()
	example := filepath.Join(t.TempDir(), "warehouse")
	ctx, cancel := context.WithTimeout(t.Context(), patience)
	defer cancel()
	for _, args := range [][]string{
		{"go", "build", "-o", example, "../examples/warehouse"},
		{example, "-carillon", program, "-dir", "../examples/warehouse", "-once", "-addr", "127.0.0.1:0"},
	} {
		if out, err := exec.CommandContext(ctx, args[0], args[1:]...).CombinedOutput(); err != nil {
			t.Fatalf("%s: %v\n%s", strings.Join(args, " "), err, out)
		}
	}
}
