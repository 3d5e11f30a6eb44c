package api

import (
	"net/http"
	"testing"
	"time"

	"github.com/carillonhq/carillon/internal/identity"
	"github.com/carillonhq/carillon/internal/redistest"
	"github.com/carillonhq/carillon/internal/sqltest"
	"github.com/carillonhq/carillon/internal/testkit"
	"github.com/carillonhq/carillon/notifier"
)

func TestNoticesAreAcceptedWhileRedisIsUnavailable(t *testing.T) {
	t.Parallel()
	server := redistest.Own(t)
	w := newWorldOn(t, "", server.Client(t))
	server.Crash(t)
	id := w.accepted(t, w.send, `{"target":{"users":["alice"]},"type":"like","title":"Kept"}`)
	if n, err := w.store.Notice(t.Context(), id); err != nil || n.Title != "Kept" {
		t.Fatalf("%+v, %v", n, err)
	}
	if n := w.notice(t, id); n.Counts.Delivered != nil || n.Counts.Targeted == nil {
		t.Errorf("counts that cannot be known: %+v", n.Counts)
	}
	res := w.call(t, w.read, "GET", "/users/alice/notices", nil).is(t, http.StatusServiceUnavailable)
	if res.Header.Get("Retry-After") == "" {
		t.Errorf("%v", res.Header)
	}
	server.Restart(t)
	alice, err := w.store.UserByName(t.Context(), "alice")
	if err != nil {
		t.Fatal(err)
	}
	testkit.Eventually(t, "alice has it", func() bool {
		page, err := w.inbox.Look(t.Context(), alice.Seq, notifier.Query{})
		return err == nil && len(page.Entries) == 1 && page.Entries[0].Title == "Kept"
	})
}

// A user who was known a moment ago goes on with what Redis alone answers.
func TestKnownTokensGoOnWhileSQLIsUnavailable(t *testing.T) {
	t.Parallel()
	address := sqltest.OwnURL(t)
	var c watch
	w := newWorldOn(t, address, redistest.Client(t), func(cfg *Config) { cfg.Now = c.now })
	w.call(t, w.send, "POST", "/notices", `{"target":{"users":["bob"]},"type":"like","subject":"1","title":"Kept"}`).is(t, http.StatusAccepted)
	w.has(t, "bob", "Kept")
	bob, stranger := w.token(t, "bob", map[string]any{"exp": time.Now().Unix() + 900}), w.token(t, "unheard-of", nil)
	w.call(t, bob, "GET", "/me/badge", nil).is(t, http.StatusOK)
	sqltest.Cut(t, address)
	c.advance(2 * identity.UserFresh)
	for _, call := range []struct{ method, path, body string }{
		{"GET", "/me/badge", ""}, {"GET", "/me/notices", ""}, {"POST", "/me/unread", `{"keys":["like:1"]}`}, {"POST", "/me/read", `{"keys":["like:1"]}`}, {"POST", "/me/open", ""},
	} {
		if res := w.call(t, bob, call.method, call.path, call.body); res.StatusCode != http.StatusOK {
			t.Errorf("%s %s: status %d, %s", call.method, call.path, res.StatusCode, res.text)
		}
	}
	if e := w.follow(t, bob, "/me/events").next(t); e.name != "badge" {
		t.Errorf("the stream begins with %+v", e)
	}
	for _, path := range []string{"/me", "/me/settings"} {
		if res := w.call(t, stranger, "GET", path, nil).is(t, http.StatusServiceUnavailable); res.Header.Get("Retry-After") == "" {
			t.Errorf("%v", res.Header)
		}
	}
	w.call(t, bob, "PATCH", "/me/settings", `{"theme":"dark"}`).is(t, http.StatusServiceUnavailable)
	sqltest.Mend(t, address)
	testkit.Eventually(t, "an unknown user is added", func() bool {
		return w.call(t, stranger, "GET", "/me/badge", nil).StatusCode == http.StatusOK
	})
}

func TestUsersAreToldToComeBackWhileRedisIsUnavailable(t *testing.T) {
	t.Parallel()
	server := redistest.Own(t)
	w := newWorldOn(t, "", server.Client(t))
	w.call(t, w.bob, "GET", "/me/badge", nil).is(t, http.StatusOK)
	server.Crash(t)
	for path, method := range map[string]string{"/me/badge": "GET", "/me/notices": "GET", "/me/open": "POST", "/me/announcements": "GET"} {
		if res := w.call(t, w.bob, method, path, nil).is(t, http.StatusServiceUnavailable); res.Header.Get("Retry-After") == "" {
			t.Errorf("%s: %v", path, res.Header)
		}
	}
	server.Restart(t)
	testkit.Eventually(t, "the badge is back", func() bool { return w.call(t, w.bob, "GET", "/me/badge", nil).StatusCode == http.StatusOK })
}

func TestNothingIsAcceptedWhileSQLIsUnavailable(t *testing.T) {
	t.Parallel()
	address := sqltest.OwnURL(t)
	w := newWorldOn(t, address, redistest.Client(t))
	w.call(t, w.send, "GET", "/notices/1", nil).is(t, http.StatusNotFound) // caches the key
	sqltest.Cut(t, address)
	body := `{"target":{"users":["alice"]},"type":"like","title":"Lost"}`
	for path, body := range map[string]string{"/notices": body, "/notices/batch": `{"notices":[` + body + "," + body + `]}`} {
		res := w.call(t, w.send, "POST", path, body).is(t, http.StatusServiceUnavailable)
		if res.Header.Get("Retry-After") == "" {
			t.Errorf("%v", res.Header)
		}
	}
	sqltest.Mend(t, address)
	testkit.Eventually(t, "a notice is accepted again", func() bool {
		return w.call(t, w.send, "POST", "/notices", `{"target":{"users":["alice"]},"type":"like","title":"Kept"}`).StatusCode == http.StatusAccepted
	})
	w.has(t, "alice", "Kept")
	if sent, err := w.store.Notices(t.Context(), notifier.NoticeQuery{}); err != nil || len(sent) != 1 {
		t.Errorf("%d notices were sent, %v", len(sent), err)
	}
}
