package api

import (
	"net/http"
	"net/http/httptest"
	"testing"

	"github.com/carillonhq/carillon/notifier"
)

// signIn returns the cookie of a new session.
func (w *world) signIn(t *testing.T, name string) string {
	t.Helper()
	user, err := w.store.UserByName(t.Context(), name)
	if err != nil {
		t.Fatal(err)
	}
	r, rec := httptest.NewRequestWithContext(t.Context(), http.MethodPost, "/login", http.NoBody), httptest.NewRecorder()
	session, err := w.sessions().New(r, "carillon")
	if err == nil {
		session.Values[notifier.SessionUser] = notifier.Signed{User: user}
		err = session.Save(r, rec)
	}
	if err != nil {
		t.Fatal(err)
	}
	cookie := rec.Result().Cookies()[0]
	return cookie.Name + "=" + cookie.Value
}

// Pages of Carillon's own host may ask as the user who is signed in there; no other page may.
func TestASessionCountsOnPagesOfThisHostOnly(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	cookie := w.signIn(t, "erin")
	var who meAnswer
	w.call(t, "", "GET", "/me", nil, "Cookie", cookie).is(t, http.StatusOK).into(t, &who)
	if who.ID != "erin" {
		t.Errorf("the session is that of %q", who.ID)
	}
	own := []string{"Cookie", cookie, "Origin", "http://example.com", "Sec-Fetch-Site", "same-origin"}
	w.call(t, "", "POST", "/me/open", nil, own...).is(t, http.StatusOK)
	for name, headers := range map[string][]string{
		"a page of an app":              {"Origin", "https://shop.example.com", "Sec-Fetch-Site", "cross-site"},
		"a page of a neighboring host":  {"Origin", "http://other.example.com", "Sec-Fetch-Site", "same-site"},
		"a request without its origin":  {"Sec-Fetch-Site", "cross-site"},
		"a page without an own address": {"Origin", "null"},
	} {
		if res := w.call(t, "", "POST", "/me/open", nil, append(headers, "Cookie", cookie)...); res.StatusCode != http.StatusForbidden {
			t.Errorf("%s: status %d", name, res.StatusCode)
		}
	}
	if res := w.call(t, "", "GET", "/me", nil, "Cookie", cookie, "Origin", "https://shop.example.com").is(t, http.StatusForbidden); codeOf(t, res) != "origin_refused" {
		t.Errorf("the refusal is %s", res.text)
	}
}

// A proxy may pass on another host than the one that browsers ask for.
func TestPagesAtThePublicURLAreOwnPagesWhateverHostIsAsked(t *testing.T) {
	t.Parallel()
	w := newWorld(t, func(c *Config) { c.PublicURL = "https://notices.example/inbox" })
	cookie := w.signIn(t, "erin")
	w.call(t, "", "POST", "/me/open", nil, "Cookie", cookie, "Origin", "https://notices.example").is(t, http.StatusOK)
	w.call(t, w.bob, "GET", "/me", nil, "Origin", "https://notices.example").is(t, http.StatusOK)
	for _, origin := range []string{"http://notices.example", "https://notices.example:8443", "https://notices.example.evil.example"} {
		w.call(t, "", "POST", "/me/open", nil, "Cookie", cookie, "Origin", origin).is(t, http.StatusForbidden)
		w.call(t, w.bob, "GET", "/me", nil, "Origin", origin).is(t, http.StatusForbidden)
	}
}

func TestTheTokenDecidesBesideASession(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	cookie := w.signIn(t, "erin")
	var who meAnswer
	w.call(t, w.bob, "GET", "/me", nil, "Cookie", cookie).is(t, http.StatusOK).into(t, &who)
	if who.ID != "bob" {
		t.Errorf("%q asks", who.ID)
	}
	if res := w.call(t, w.bob+"x", "GET", "/me", nil, "Cookie", cookie).is(t, http.StatusUnauthorized); codeOf(t, res) != "token_invalid" {
		t.Errorf("a bad token beside a session: %s", res.text)
	}
	w.call(t, "", "GET", "/me", nil, "Cookie", cookie+"x").is(t, http.StatusUnauthorized)
	w.call(t, w.admin, "POST", "/users/erin/sign-out", nil).is(t, http.StatusNoContent)
	w.call(t, "", "GET", "/me", nil, "Cookie", cookie).is(t, http.StatusUnauthorized)
}
