package main

import (
	"net/http"
	"net/url"
	"regexp"
	"strings"
	"testing"
)

const secret = "correct horse battery"

// behind starts Carillon with the public URL of a recipe. Its user is ann.
func behind(t *testing.T, publicURL string, args ...string) (c call, addr string) {
	t.Helper()
	c = in(t.TempDir())
	must(t, c.typing(secret+"\n").run(t.Context(), "user", "add", "ann", "--password-stdin"))
	return c, serve(t, c, append(args, "--public-url", publicURL, "--trusted-proxies", "127.0.0.1")...).Addr
}

func notify(t *testing.T, c call, to string) func() {
	t.Helper()
	return func() {
		must(t, c.run(t.Context(), "send", "--to", to, "--type", "order", "--title", "Through the proxy"))
	}
}

// identityOf returns the settings that a recipe lists, and the headers with the user and their groups.
func identityOf(t *testing.T, name string) (settings []string, users, groups string) {
	t.Helper()
	headers := map[string]string{}
	for _, line := range regexp.MustCompile(`(?m)^#   CARILLON_(IDENTITY_\w+)=(\S+)`).FindAllStringSubmatch(recipe(t, name), -1) {
		flag := strings.ToLower(strings.ReplaceAll(line[1], "_", "-"))
		settings, headers[flag] = append(settings, "--"+flag, line[2]), line[2]
	}
	return settings, headers["identity-header"], headers["identity-groups-header"]
}

// signsIn signs ann in, and returns the Location and the cookies of the response.
func (b browser) signsIn(t *testing.T, site string) (location string, cookies []*http.Cookie) {
	t.Helper()
	r, err := http.NewRequestWithContext(t.Context(), http.MethodPost, site+"/login",
		strings.NewReader(url.Values{"username": {"ann"}, "password": {secret}}.Encode()))
	if err != nil {
		t.Fatal(err)
	}
	r.Header.Set("Content-Type", "application/x-www-form-urlencoded")
	r.Header.Set("Origin", site[:strings.Index(site, ".com")+len(".com")])
	res, err := b.Do(r)
	if err != nil {
		t.Fatal(err)
	}
	_ = res.Body.Close()
	if res.StatusCode != http.StatusSeeOther {
		t.Fatalf("ann signs in: %s", res.Status)
	}
	return res.Header.Get("Location"), res.Cookies()
}

func TestBehindEachProxyCarillonHasAHostOrAPathOfItsOwn(t *testing.T) {
	t.Parallel()
	for kind, site := range map[string]string{"host": "https://notices.example.com", "path": "https://app.example.com" + below} {
		for program, name := range proxies(kind) {
			t.Run(program+" "+kind, func(t *testing.T) {
				t.Parallel()
				c, addr := behind(t, site)
				b := front(t, program, name, hostApplication(t), addr)
				to, cookies := b.signsIn(t, site)
				path, session := "", "__Host-carillon"
				if kind == "path" {
					path, session = below, "__Secure-carillon"
					if status, _, body := b.ask(t, "https://app.example.com/inbox"); status != http.StatusOK || body != "the application at /inbox" {
						t.Errorf("beside the path: %d %q", status, body)
					}
					if _, to, _ := b.ask(t, "https://app.example.com"+below); strings.TrimPrefix(to, "https://app.example.com") != below+"/" {
						t.Errorf("the path without its slash leads to %q", to)
					}
				}
				if to != path+"/inbox" {
					t.Errorf("signing in leads to %q", to)
				}
				for _, cookie := range cookies {
					if !strings.HasPrefix(cookie.Name, session) || cookie.Path != path+"/" || !cookie.Secure {
						t.Errorf("the cookie %s is for %q", cookie.Name, cookie.Path)
					}
				}
				b.streams(t, site+"/events?visible=1", notify(t, c, "ann"))
				if status, _, body := b.ask(t, site+"/inbox"); status != http.StatusOK || !strings.Contains(body, "Through the proxy") {
					t.Errorf("the inbox: %d", status)
				}
			})
		}
	}
}

func TestBehindAProxyThatSignsPeopleInNobodySignsInTwice(t *testing.T) {
	t.Parallel()
	const site = "https://app.example.com" + below
	for program, name := range proxies("forward-auth") {
		t.Run(program, func(t *testing.T) {
			t.Parallel()
			settings, users, groups := identityOf(t, name)
			c, addr := behind(t, site, settings...)
			b := front(t, program, name, hostApplication(t), addr)
			const ann, vic = "app=ann", "app=vic"
			b.streams(t, site+"/events?visible=1", notify(t, c, "ann"), "Cookie", ann)
			if status, _, body := b.ask(t, site+"/inbox", "Cookie", ann, users, "vera", groups, "support"); status != http.StatusOK ||
				!strings.Contains(body, "Through the proxy") || strings.Contains(body, below+"/staff") {
				t.Errorf("the inbox of ann: %d\n%s", status, body)
			}
			if status, _, body := b.ask(t, site+"/api/v1/me", "Cookie", ann, users, "vera"); status != http.StatusOK || !strings.Contains(body, `"id":"ann"`) {
				t.Errorf("the API returns %d %s for ann", status, body)
			}
			if status, _, _ := b.ask(t, site+"/staff/send", "Cookie", vic); status != http.StatusOK {
				t.Errorf("the staff page for vic: %d", status)
			}
			if status, _, _ := b.ask(t, site+"/staff/send", "Cookie", ann, groups, "support"); status != http.StatusNotFound {
				t.Errorf("the staff page for ann with a forged group: %d", status)
			}
			for _, path := range []string{"/inbox", "/api/v1/me", "/events", "/staff/send"} {
				status, to, body := b.ask(t, site+path, users, "vera", groups, "support")
				if status < 300 || status == http.StatusBadRequest || strings.Contains(body, "vera") {
					t.Errorf("a forged header comes through at %s: %d %s", path, status, body)
				}
				if status == http.StatusFound && to != "/login?next="+below+path {
					t.Errorf("%s leads to %q", path, to)
				}
			}
			if status, _, body := b.ask(t, "https://app.example.com/whoami", "Cookie", ann); program == "nginx" && status != http.StatusNotFound {
				t.Errorf("who is signed in can be asked from outside: %d %s", status, body)
			}
			if known := must(t, c.run(t.Context(), "user", "list")).out; strings.Contains(known, "vera") {
				t.Errorf("a forged header has added a user:\n%s", known)
			}
		})
	}
}
