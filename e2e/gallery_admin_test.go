package e2e

import (
	"database/sql"
	"fmt"
	"os"
	"path/filepath"
	"strconv"
	"strings"
	"testing"
	"time"

	"github.com/chromedp/chromedp"
)

// TestEveryPageOfAdministrationIsSound opens each administration page in each of its states.
func TestEveryPageOfAdministrationIsSound(t *testing.T) {
	t.Parallel()
	openOffice(t).inspect(t, "administration", officeViews()...)
}

const longName = "a.rather.long.name.of-somebody-who-writes-it-out-and-does-not-stop-in-time@subsidiary.of.a.company.example"

// openOffice starts a site with many users, roles, keys and rules to administer.
func openOffice(t *testing.T) *gallery {
	t.Helper()
	s := alone(t)
	lines := []string{"vera staff;night", "none staff", longName + " picker", "山田太郎 picker", "محمد picker", "leaver picker"}
	for n := range 60 {
		lines = append(lines, fmt.Sprintf("picker%02d picker", n))
	}
	s.people(lines...)
	s.flags = append(s.flags, "--rules", s.rules(t))
	db := s.database(t)
	for name, display := range map[string]string{"picker03": "Taro Yamada", "picker04": "山田 太郎", "山田太郎": "Taro Yamada", longName: "Somebody with a Long Name, of the Subsidiary"} {
		if _, err := db.ExecContext(t.Context(), `UPDATE users SET display = $1, display_fold = lower($1) WHERE name = $2`, display, name); err != nil {
			t.Fatal(err)
		}
	}
	g := &gallery{instance: s.serve("--addr", "127.0.0.1:0"), people: map[string]*person{}}
	for _, name := range []string{"vera", "none"} {
		g.people[name] = g.person(t, name)
	}
	vera := g.people["vera"]
	vera.leads("/staff/types", "action", "save", "slug", "rep_notice", "names.en", "Replenishment", "names.ja", "補充のお願い", "expires_in", "72h", "no_mute", "1")
	vera.leads("/staff/types", "action", "add", "slug", "order.late", "names.en", "Late orders", "open", "1")
	for n := range 54 {
		vera.leads("/staff/subscriptions", "type", fmt.Sprintf("quality.check-%02d", n), "scope", strconv.Itoa(119200+n), "user", fmt.Sprintf("picker%02d", n))
		vera.leads("/staff/roles", "action", "create", "role", fmt.Sprintf("team %02d", n))
	}
	for _, name := range []string{longName, "山田太郎", "محمد", "leaver"} {
		vera.leads("/staff/subscriptions", "type", "order.late", "user", name)
	}
	vera.leads("/staff/subscriptions", "type", "rep_notice", "scope", "119240", "role", "picker")
	for _, name := range []string{"shop", "shop", "warehouse.of-a-company-with-a-long-name.example"} {
		if status, body := vera.post("/staff/keys", "name", name, "scope", "send"); status != 303 {
			t.Fatalf("create a key: status %d\n%s", status, body)
		}
	}
	vera.leads("/staff/keys", "action", "revoke", "id", "1")
	vera.leads("/staff/hooks", "name", "shop", "url", "https://8.8.8.8/hooks/carillon", "events", "notice.sent")
	vera.leads("/staff/apps", "name", "shop", "origins", "https://shop.example.com https://admin.shop.example.com", "audience", "customer", "roles", "picker,vip", "max_life", "1h0m0s")
	vera.leads("/staff/apps", "name", "warehouse.of-a-company-with-a-long-name.example", "audience", "user", "max_life", "15m0s", "key", "jwks",
		"jwks", "https://login.example.com/.well-known/jwks.json", "issuer", "https://login.example.com")
	vera.leads("/staff/apps", "name", "old shop", "audience", "user", "max_life", "15m0s")
	vera.leads("/staff/apps/3", "action", "revoke")
	vera.leads("/staff/apps/1", "action", "rotate")
	for _, rule := range []string{"negative-stock", "late-orders"} {
		vera.leads("/staff/rules", "name", rule)
	}
	return g
}

// rules writes a rules file with a rule in each lasting state, and returns its path.
func (s *site) rules(t *testing.T) string {
	t.Helper()
	dir := t.TempDir()
	source := filepath.Join(dir, "warehouse.db")
	db, err := sql.Open("sqlite", "file:"+source)
	if err != nil {
		t.Fatal(err)
	}
	defer db.Close()
	if _, err := db.Exec(`CREATE TABLE stock (location TEXT, warehouse TEXT, units INTEGER); INSERT INTO stock VALUES ('A-07-3', '119240', -4)`); err != nil {
		t.Fatal(err)
	}
	s.env = append(s.env, "CARILLON_RULE_SOURCE_WAREHOUSE=sqlite://"+source)
	const rule = `
[[rule]]
name = "%s"
%s
source = "%s"
query = "SELECT * FROM %s WHERE units < 0"
type = "rep_notice"
scope_column = "warehouse"
subject = "location:{{.location}}"
title = "{{.location}} has {{.units}}"
`
	file := filepath.Join(dir, "rules.toml")
	text := fmt.Sprintf(rule, "negative-stock", `every = "1d"`, "WAREHOUSE", "stock") + fmt.Sprintf(rule, "late-orders", `every = "1d"`, "WAREHOUSE", "orders") +
		fmt.Sprintf(rule, "licences", `cron = "0 4 1 1 *"`, "WAREHOUSE", "stock") + fmt.Sprintf(rule, "no-source", `every = "5m"`, "ELSEWHERE", "stock")
	if err := os.WriteFile(file, []byte(text), 0o600); err != nil {
		t.Fatal(err)
	}
	return file
}

func officeViews() []view {
	unfold := func(sel string) func(*window) {
		return func(w *window) { w.do(chromedp.Click(css(sel + " summary"))) }
	}
	return []view{
		{name: "types", as: "vera", path: "/staff/types"},
		{name: "types-searched", as: "vera", path: "/staff/types?q=late"},
		{name: "types-nothing", as: "vera", path: "/staff/types?q=qqqq"},
		{name: "type", as: "vera", path: "/staff/types?type=rep_notice", then: unfold("[data-testid=delete]")},
		{name: "type-new", as: "vera", path: "/staff/types?type="},
		{name: "type-faults", as: "vera", path: "/staff/types?type=", status: 422, then: func(w *window) {
			w.fill("slug", "Not A Slug")
			w.do(chromedp.SendKeys(css("#name-en"), strings.Repeat("long ", 20)))
			w.answered("[data-testid=type-form] .primary")
		}},
		{name: "type-in-use", as: "vera", path: "/staff/types?type=rep_notice", status: 409, then: func(w *window) {
			w.do(chromedp.Click(css("[data-testid=delete] summary")))
			w.press("[data-testid=delete] button")
		}},
		{name: "subscriptions", as: "vera", path: "/staff/subscriptions"},
		{name: "subscriptions-narrow", as: "vera", path: "/staff/subscriptions?type=order.late"},
		{name: "subscriptions-nothing", as: "vera", path: "/staff/subscriptions?q=qqqq"},
		{name: "subscriptions-add", as: "vera", path: "/staff/subscriptions", then: unfold(".adding")},
		{name: "subscriptions-names", as: "vera", path: "/staff/subscriptions?add", then: func(w *window) {
			w.do(chromedp.SendKeys(css("[name=user]"), "picker0"))
			w.until(`document.querySelector("#user-names").checkVisibility()`)
		}},
		{name: "subscriptions-faults", as: "vera", path: "/staff/subscriptions?add", status: 422, then: func(w *window) {
			w.fill("type", "Not A Type")
			w.fill("user", "nobody-of-this-name")
			w.picks("role", "picker")
			w.answered(".adding button.primary")
		}},
		{name: "subscriptions-undo", as: "vera", path: "/staff/subscriptions?q=leaver", then: func(w *window) {
			w.do(chromedp.Click(css("[data-testid=subscription] button")))
			w.until(`document.querySelector("#done.floating form")`)
			w.do(chromedp.Click(css("#done form button")))
			w.until(`document.querySelector("[data-testid=subscription]")`)
		}},
		{name: "roles", as: "vera", path: "/staff/roles"},
		{name: "roles-fault", as: "vera", path: "/staff/roles", status: 422, then: func(w *window) {
			w.clickOn(".adding summary").fill("role", "picker")
			w.answered("[data-testid=role-form] button")
		}},
		{name: "roles-nothing", as: "vera", path: "/staff/roles?q=qqqq"},
		{name: "role", as: "vera", path: "/staff/roles/picker", then: unfold("[data-testid=delete]")},
		{name: "role-staff", as: "vera", path: "/staff/roles/staff"},
		{name: "role-empty", as: "vera", path: "/staff/roles/team%2000"},
		{name: "role-fault", as: "vera", path: "/staff/roles/picker", status: 422, then: func(w *window) {
			w.fill("user", "nobody-of-this-name")
			w.answered("[data-testid=member-form] button")
		}},
		{name: "own-role", as: "vera", path: "/staff/roles/staff", status: 409, then: func(w *window) {
			ask[bool](w, `(f => (f.elements.user.value = "vera", f.removeAttribute("hx-boost"), f.submit(), true))(document.querySelector("[data-testid=member] form"))`)
			w.until(`document.querySelector("[data-testid=failure]")`)
		}},
		{name: "hooks", as: "vera", path: "/staff/hooks"},
		{name: "hooks-add", as: "vera", path: "/staff/hooks", then: unfold(".adding")},
		{name: "hook", as: "vera", path: "/staff/hooks/1"},
		{name: "keys", as: "vera", path: "/staff/keys"},
		{name: "keys-add", as: "vera", path: "/staff/keys", then: unfold(".adding")},
		{name: "keys-faults", as: "vera", path: "/staff/keys", status: 422, then: func(w *window) {
			w.do(chromedp.Click(css(".adding summary")))
			w.answered(".adding button.primary")
		}},
		{name: "keys-revoke", as: "vera", path: "/staff/keys?revoke=2"},
		{name: "keys-made", as: "vera", path: "/staff/keys", then: func(w *window) {
			w.do(chromedp.Click(css(".adding summary")))
			w.fill("name", "billing")
			w.do(chromedp.Click(css("[name=scope][value=read]")))
			w.press(".adding button.primary")
		}},
		{name: "apps", as: "vera", path: "/staff/apps"},
		{name: "apps-add", as: "vera", path: "/staff/apps", then: unfold(".adding")},
		{name: "apps-faults", as: "vera", path: "/staff/apps", status: 422, then: func(w *window) {
			w.do(chromedp.Click(css(".adding summary")))
			w.fill("origins", "shop.example.com")
			w.do(chromedp.Click(css("[name=key][value=jwks]")))
			w.answered(".adding button.primary")
		}},
		{name: "apps-nothing", as: "vera", path: "/staff/apps?q=qqqq"},
		{name: "apps-made", as: "vera", path: "/staff/apps", then: func(w *window) {
			w.do(chromedp.Click(css(".adding summary")))
			w.fill("name", "billing"+strconv.FormatInt(time.Now().UnixNano(), 36))
			w.press(".adding button.primary")
			w.until(`document.querySelector("[data-testid=token-key]")`)
		}},
		{name: "app", as: "vera", path: "/staff/apps/1", then: unfold("[data-testid=revoke-app]")},
		{name: "app-snippet", as: "vera", path: "/staff/apps/1", then: unfold("[data-testid=snippets]")},
		{name: "app-rotate", as: "vera", path: "/staff/apps/1", then: unfold(".adding")},
		{name: "app-rotate-api", as: "vera", path: "/staff/apps/1", then: unfold(".adding:has([data-testid=rotate-api-form])")},
		{name: "app-revoke-key", as: "vera", path: "/staff/apps/1?revoke=1"},
		{name: "app-jwks", as: "vera", path: "/staff/apps/2"},
		{name: "app-revoked", as: "vera", path: "/staff/apps/3"},
		{name: "api", path: "/api/v1/docs"},
		{name: "api-contents", path: "/api/v1/docs", then: func(w *window) {
			ask[bool](w, `(document.querySelector("details.contents").open = true)`)
		}},
		{name: "rules", as: "vera", path: "/staff/rules"},
		{name: "people-by-display", as: "vera", path: "/staff/users?q=yamada"},
		{name: "people-all", as: "vera", path: "/staff/users"},
		{name: "people-of-roles", as: "vera", path: "/staff/users?q=vera"},
	}
}
