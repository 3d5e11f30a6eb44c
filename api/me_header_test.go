package api

import (
	"net/http"
	"net/http/httptest"
	"strings"
	"testing"
)

// A page behind a service worker makes addresses new. Other unknown parameters are refused as everywhere.
func TestAUserMayMakeAnAddressNew(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	for address, want := range map[string]int{
		"/me?_=0.5&": http.StatusOK, "/me/notices?filter=unread&limit=1&_=0.5": http.StatusOK, "/me/notices?_=0.5&filter=new": http.StatusUnprocessableEntity,
		"/me?_=0.5&other=1": http.StatusUnprocessableEntity,
	} {
		w.call(t, w.bob, "GET", address, nil).is(t, want)
	}
	w.call(t, w.admin, "GET", "/types?_=0.5", nil).is(t, http.StatusUnprocessableEntity)
}

// from answers a GET of a peer with this address.
func (w *world) from(t *testing.T, peer, path string, headers ...string) *httptest.ResponseRecorder {
	t.Helper()
	r, rec := httptest.NewRequestWithContext(t.Context(), http.MethodGet, "/api/v1"+path, http.NoBody), httptest.NewRecorder()
	r.RemoteAddr = peer
	for i := 0; i+1 < len(headers); i += 2 {
		r.Header.Add(headers[i], headers[i+1])
	}
	w.handler.ServeHTTP(rec, r)
	return rec
}

func TestATrustedProxySaysWhoIsAsking(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	var who meAnswer
	w.call(t, "", "GET", "/me", nil, "X-Forwarded-User", "4711", "X-Forwarded-Name", "Ann Lee").is(t, http.StatusOK).into(t, &who)
	if who.ID != "4711" || who.Name == nil || *who.Name != "Ann Lee" || who.Audience != "customer" {
		t.Errorf("a new user is %+v", who)
	}
	w.call(t, "", "GET", "/me", nil, "X-Forwarded-User", "4711").is(t, http.StatusOK).into(t, &who)
	if who.Name == nil || *who.Name != "Ann Lee" {
		t.Error("a proxy that does not say the name takes it away")
	}
	w.call(t, "", "GET", "/me", nil, "X-Forwarded-User", "4711", "X-Forwarded-Name", "Ann Ray").is(t, http.StatusOK).into(t, &who)
	if who.Name == nil || *who.Name != "Ann Ray" {
		t.Error("the proxy did not change the name")
	}
	w.call(t, "", "POST", "/me/open", nil, "X-Forwarded-User", "4711", "Origin", "https://shop.example.com").is(t, http.StatusForbidden)
	cookie := w.signIn(t, "erin")
	w.call(t, "", "GET", "/me", nil, "X-Forwarded-User", "4711", "Cookie", cookie).is(t, http.StatusOK).into(t, &who)
	if who.ID != "4711" {
		t.Errorf("beside a session the header says %q", who.ID)
	}
	w.call(t, w.bob, "GET", "/me", nil, "X-Forwarded-User", "4711").is(t, http.StatusOK).into(t, &who)
	if who.ID != "bob" {
		t.Errorf("beside a token the header says %q", who.ID)
	}
	for name, headers := range map[string][]string{
		"two values": {"X-Forwarded-User", "bob", "X-Forwarded-User", "carol"},
		"empty":      {"X-Forwarded-User", ""},
		"too long":   {"X-Forwarded-User", strings.Repeat("x", 201)},
		"controls":   {"X-Forwarded-User", "bo\tb"},
	} {
		if rec := w.from(t, "192.0.2.1:1234", "/me", append(headers, "Cookie", cookie)...); rec.Code != http.StatusBadRequest || !strings.Contains(rec.Body.String(), `"identity_invalid"`) {
			t.Errorf("%s: status %d, %s", name, rec.Code, rec.Body)
		}
	}
	for name, headers := range map[string][]string{
		"two names":          {"X-Forwarded-Name", "a", "X-Forwarded-Name", "b"},
		"controls in a name": {"X-Forwarded-Name", "a\u0085b"},
		"a name in Latin-1":  {"X-Forwarded-Name", "Zo\xeb"},
	} {
		if rec := w.from(t, "192.0.2.1:1234", "/me", append(headers, "X-Forwarded-User", "bob")...); rec.Code != http.StatusOK {
			t.Errorf("%s: status %d, %s: what people are called keeps nobody out", name, rec.Code, rec.Body)
		}
	}
}

// Whoever is not a listed peer says nothing about users, whatever other headers claim.
func TestAForgedIdentityHeaderIsNotBelieved(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	forged := []string{"X-Forwarded-User", "bob", "X-Forwarded-For", "192.0.2.1"}
	for _, peer := range []string{"192.0.3.1:1234", "[2001:db8::1]:1234", "10.0.0.1:80", "@", ""} {
		if rec := w.from(t, peer, "/me", forged...); rec.Code != http.StatusUnauthorized {
			t.Errorf("peer %q: status %d", peer, rec.Code)
		}
	}
	if rec := w.from(t, "192.0.3.1:1234", "/me", append(forged, "Cookie", w.signIn(t, "erin"))...); !strings.Contains(rec.Body.String(), `"erin"`) {
		t.Errorf("beside a session a forged header answers %d, %s", rec.Code, rec.Body)
	}
	if rec := w.from(t, "[::ffff:192.0.2.1]:1234", "/me", forged...); rec.Code != http.StatusOK {
		t.Errorf("the proxy over IPv6: status %d", rec.Code)
	}
}
