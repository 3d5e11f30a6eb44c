package e2e

import (
	"testing"
)

// TestEverySettingIsSound opens Settings in each of its states.
func TestEverySettingIsSound(t *testing.T) {
	t.Parallel()
	openSettings(t).inspect(t, "settings", settingsViews()...)
}

// browsers are the browsers in which a user of the gallery is signed in, first the one that shows the page.
var browsers = []string{
	"Mozilla/5.0 (X11; Linux x86_64; rv:140.0) Gecko/20100101 Firefox/140.0",
	"Mozilla/5.0 (Windows NT 10.0; Win64; x64) AppleWebKit/537.36 (KHTML, like Gecko) Chrome/142.0.0.0 Safari/537.36 Edg/142.0.0.0",
	"Mozilla/5.0 (iPhone; CPU iPhone OS 18_5 like Mac OS X) AppleWebKit/605.1.15 (KHTML, like Gecko) Version/18.5 Mobile/15E148 Safari/604.1",
	"curl/8.14.1",
}

// openSettings starts a site without mail, where one user has several sessions, and others have one.
func openSettings(t *testing.T) *gallery {
	t.Helper()
	s := alone(t)
	s.people("several", "single", "changer")
	g := &gallery{instance: s.serve("--addr", "127.0.0.1:0"), people: map[string]*person{}}
	for _, name := range []string{"several", "single", "changer"} {
		g.people[name] = g.person(t, name)
	}
	db := s.database(t)
	for n, agent := range browsers {
		if n > 0 {
			g.person(t, "several")
		}
		if _, err := db.ExecContext(t.Context(), `UPDATE sessions SET agent = $1 WHERE agent LIKE 'Go-http%' AND seq = (SELECT seq FROM users WHERE name = 'several')`, agent); err != nil {
			t.Fatal(err)
		}
	}
	return g
}

func settingsViews() []view {
	changes := func(current, password string) func(*window) {
		return func(w *window) {
			w.fill("current", current)
			w.fill("password", password)
			w.press("#password-form button")
		}
	}
	return []view{
		{name: "sessions", as: "several", path: "/settings?tab=account"},
		{name: "session-ended", as: "several", path: "/settings?tab=account", then: func(w *window) {
			w.press("[data-testid=sessions] li button")
			w.at("/settings?done=session-ended&tab=account")
		}},
		{name: "single", as: "single", path: "/settings?tab=account"},
		{name: "password-wrong", as: "single", path: "/settings?tab=account", status: 422, then: changes("not the password", "another good password")},
		{name: "password-short", as: "single", path: "/settings?tab=account", status: 422, then: changes(password, "short")},
		{name: "password-changed", as: "changer", path: "/settings?tab=account", then: func(w *window) {
			changes(password, "another good password")(w)
			w.at("/settings?done=password-changed&tab=account")
		}},
	}
}
