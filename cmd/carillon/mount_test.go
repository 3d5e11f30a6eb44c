package main

import (
	"net/http"
	"net/url"
	"slices"
	"strings"
	"testing"

	"github.com/PuerkitoBio/goquery"
)

const below = "/notifications"

// mounted starts a demonstration below a path, and returns the address of its listener.
func mounted(t *testing.T, c call, args ...string) string {
	t.Helper()
	return "http://" + serve(t, c, append(args, "--public-url", "http://127.0.0.1"+below+"/")...).Addr
}

func TestEveryAddressOfEveryPageIsBelowThePathOfThePublicURL(t *testing.T) {
	t.Parallel()
	at := mounted(t, in(t.TempDir()), "--demo")
	b := visit(t, at+below)
	b.signIn(t, "alice", "alice-demo")
	next := []string{below + "/inbox", below + "/inbox/panel", below + "/keys", below + "/api/v1/docs", below + "/nowhere"}
	seen := map[string]bool{}
	for len(next) > 0 {
		page := next[0]
		next = next[1:]
		path, _, _ := strings.Cut(page, "?")
		if seen[path] || len(seen) > 150 {
			continue
		}
		seen[path] = true
		r, err := http.NewRequestWithContext(t.Context(), http.MethodGet, at+page, http.NoBody)
		if err != nil {
			t.Fatal(err)
		}
		res, err := b.Do(r)
		if err != nil {
			t.Fatal(err)
		}
		if !strings.HasPrefix(res.Request.URL.Path, below+"/") {
			t.Errorf("%s leads to %s", page, res.Request.URL.Path)
		}
		doc, err := goquery.NewDocumentFromReader(res.Body)
		_ = res.Body.Close()
		if err != nil {
			t.Fatal(err)
		}
		if res.StatusCode != http.StatusOK && !strings.HasSuffix(page, "/nowhere") {
			t.Errorf("%s: %s", page, res.Status)
		}
		next = append(next, addresses(t, page, doc)...)
	}
	for _, page := range []string{"/inbox", "/settings", "/announcements", "/staff/send", "/staff/users", "/staff/apps", "/api/v1/openapi.json"} {
		if !seen[below+page] {
			t.Errorf("no page links to %s", page)
		}
	}
}

// addresses returns the targets of a page's links, and checks all its addresses.
func addresses(t *testing.T, page string, doc *goquery.Document) (links []string) {
	t.Helper()
	for _, name := range []string{"href", "src", "action", "formaction", "hx-get", "hx-post", "data-address"} {
		doc.Find("[" + name + "]").Each(func(_ int, s *goquery.Selection) {
			address := s.AttrOr(name, "")
			switch {
			case !strings.HasPrefix(address, "/"):
			case !strings.HasPrefix(address, below+"/"):
				t.Errorf("%s has %s=%q", page, name, address)
			case name == "href" || name == "src" || name == "hx-get":
				path, _, _ := strings.Cut(address, "#")
				links = append(links, path)
			}
		})
	}
	return links
}

func TestBesideThePathNothingAnswersButTheHealthChecks(t *testing.T) {
	t.Parallel()
	at := mounted(t, in(t.TempDir()))
	for path, want := range map[string]int{
		"/healthz": 200, "/readyz": 200, below + "/healthz": 200, below + "/readyz": 200, below + "/login": 200, below + "/embed/v1.js": 200,
		"/": 404, "/login": 404, "/inbox": 404, "/api/v1/openapi.json": 404, "/embed/v1.js": 404, "/notificationsx/login": 404,
		below + "//login": 404, below + "/%2e%2e/login": 404, below + "/%2e%2e" + below + "/login": 404, below + "/api/v1/%2e%2e/%2e%2e/login": 404,
		"/" + below + "/login": 404,
	} {
		if status, _ := text(t, at+path); status != want {
			t.Errorf("%s: %d, want %d", path, status, want)
		}
	}
}

func TestTheDoctorAsksBelowThePath(t *testing.T) {
	t.Parallel()
	c := in(t.TempDir())
	at := mounted(t, c, proxied...)
	r := c.run(t.Context(), append([]string{"doctor", "--silence", "0", "--public-url", at + below + "/"}, proxied...)...)
	wantWords(t, r.out, "ok    proxy        a stream through "+at+below+" arrives line by line", "FAIL  identity     a forged X-User comes through "+at+below)
}

func TestCookiesAndRedirectsAreBelowThePath(t *testing.T) {
	t.Parallel()
	c := in(t.TempDir())
	must(t, c.typing("secret password\n").run(t.Context(), "user", "add", "ann", "--password-stdin"))
	at := mounted(t, c)
	b := visit(t, at+below)
	b.CheckRedirect = func(*http.Request, []*http.Request) error { return http.ErrUseLastResponse }
	ask := func(method, path string, form url.Values) (location string, cookies []*http.Cookie) {
		t.Helper()
		r, err := http.NewRequestWithContext(t.Context(), method, at+path, strings.NewReader(form.Encode()))
		if err != nil {
			t.Fatal(err)
		}
		r.Header.Set("Content-Type", "application/x-www-form-urlencoded")
		res, err := b.Do(r)
		if err != nil {
			t.Fatal(err)
		}
		_ = res.Body.Close()
		return res.Header.Get("Location"), res.Cookies()
	}
	for path, want := range map[string]string{
		below: below + "/", below + "/": below + "/inbox", below + "/api/v1/": below + "/api/v1/docs",
		below + "/settings?x=1": below + "/login?next=" + url.QueryEscape(below+"/settings?x=1"),
	} {
		if to, _ := ask(http.MethodGet, path, nil); to != want {
			t.Errorf("%s leads to %q, want %q", path, to, want)
		}
	}
	if _, document := text(t, at+below+"/api/v1/openapi.json"); !strings.Contains(document, `"servers":[{"url":"/notifications"}]`) {
		t.Error("the OpenAPI document names another server")
	}
	to, cookies := ask(http.MethodPost, below+"/login", url.Values{"username": {"ann"}, "password": {"secret password"}, "next": {below + "/settings?x=1"}})
	if to != below+"/settings?x=1" {
		t.Errorf("signing in leads to %q", to)
	}
	var names []string
	for _, cookie := range cookies {
		names = append(names, cookie.Name)
		if cookie.Path != below+"/" {
			t.Errorf("the cookie %s is for %q", cookie.Name, cookie.Path)
		}
	}
	if !slices.Contains(names, "carillon") {
		t.Errorf("the cookies are %q", names)
	}
}
