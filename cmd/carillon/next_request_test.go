package main

import (
	"fmt"
	"io"
	"net/http"
	"net/url"
	"strings"
	"testing"
	"time"
)

// identities returns the ways to make requests as one user: with a session, with a token of an app and through a
// proxy.
func identities(t *testing.T, c call, at string) map[string]func(*http.Request) {
	t.Helper()
	must(t, c.typing("user-secret").run(t.Context(), "user", "add", "42", "--password-stdin"))
	var added addedApp
	decode(t, must(t, c.run(t.Context(), "app", "add", "shop", "--json")).out, &added)
	now := time.Now().Unix()
	token := signedToken(t, added.TokenKey, now, now+900)
	session := visit(t, at)
	session.signIn(t, "42", "user-secret")
	u, err := url.Parse(at)
	if err != nil {
		t.Fatal(err)
	}
	return map[string]func(*http.Request){
		"session": func(r *http.Request) {
			for _, cookie := range session.Jar.Cookies(u) {
				r.AddCookie(cookie)
			}
		},
		"token":  bearer(token),
		"header": func(r *http.Request) { r.Header.Set("X-User", "42") },
	}
}

// asks makes one request as a user.
func asks(t *testing.T, as func(*http.Request), method, address, body string) (status int, text string) {
	t.Helper()
	r, err := http.NewRequestWithContext(t.Context(), method, address, strings.NewReader(body))
	if err != nil {
		t.Fatal(err)
	}
	r.Header.Set("Content-Type", "application/json")
	if !strings.Contains(address, "/api/") {
		r.Header.Set("Content-Type", "application/x-www-form-urlencoded")
	}
	as(r)
	client := visit(t, "")
	client.Jar = nil
	client.CheckRedirect = func(*http.Request, []*http.Request) error { return http.ErrUseLastResponse }
	res, err := client.Do(r)
	if err != nil {
		t.Fatal(err)
	}
	defer res.Body.Close()
	b, err := io.ReadAll(res.Body)
	if err != nil {
		t.Fatal(err)
	}
	return res.StatusCode, string(b)
}

// A change confirmed by one instance applies to the next request at the other, whatever made it and however the user
// is identified, even if the other has just returned the old state.
func TestEveryChangeCountsAtTheNextRequestByEveryIdentity(t *testing.T) {
	t.Parallel()
	c := shared(t)
	one, two := serve(t, c, proxied...), serve(t, c.with("CARILLON_DATA_DIR", t.TempDir()), proxied...)
	who := identities(t, c, one.URL)
	key := strings.TrimSpace(must(t, c.run(t.Context(), "key", "add", "ops", "--scope", "admin")).out)
	admin := bearer(key)
	n := 0
	check := func(door string, as func(*http.Request), method, path, body string, want func(n int) string) {
		n++
		for _, reads := range who {
			asks(t, reads, http.MethodGet, two.URL+"/api/v1/me", "")
		}
		if strings.Contains(body, "%") {
			body = fmt.Sprintf(body, want(n))
		}
		if status, text := asks(t, as, method, one.URL+path, body); status >= http.StatusBadRequest {
			t.Fatalf("%s: %d %s", door, status, text)
		}
		for identity, reads := range who {
			if status, text := asks(t, reads, http.MethodGet, two.URL+"/api/v1/me", ""); status != http.StatusOK || !strings.Contains(text, `"`+want(n)+`"`) {
				t.Errorf("after a change by %s the %s reads at the other instance: %d %s; want %s", door, identity, status, text, want(n))
			}
		}
	}
	// One round of all doors stays below the call limit of a user.
	theme := func(n int) string { return []string{"light", "dark"}[n%2] }
	for identity, as := range who {
		check("API as "+identity, as, http.MethodPatch, "/api/v1/me/settings", `{"theme":%q}`, theme)
		if identity != "token" { // pages do not accept tokens
			check("page as "+identity, as, http.MethodPost, "/settings", "theme=%s", theme)
		}
	}
	check("API of administrators", admin, http.MethodPut, "/api/v1/users/42", `{"locale":%q}`, func(int) string { return "ja" })
	check("API of administrators", admin, http.MethodPut, "/api/v1/users/42", `{"audience":%q}`, func(int) string { return "customer" })
	if status, text := asks(t, admin, http.MethodPost, one.URL+"/api/v1/users/42/sign-out", ""); status != http.StatusNoContent {
		t.Fatalf("sign-out: %d %s", status, text)
	}
	for identity, reads := range who {
		want := http.StatusUnauthorized
		if identity == "header" { // the proxy has signed them in
			want = http.StatusOK
		}
		if status, _ := asks(t, reads, http.MethodPost, two.URL+"/api/v1/me/open", ""); status != want {
			t.Errorf("after a sign-out everywhere the %s opens the inbox: %d", identity, status)
		}
	}
}
