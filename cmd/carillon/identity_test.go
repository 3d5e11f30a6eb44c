package main

import (
	"io"
	"net/http"
	"net/http/httptest"
	"strings"
	"testing"
)

var proxied = []string{
	"--identity-header", "X-User", "--identity-from", "127.0.0.1", "--identity-groups-header", "X-Groups", "--identity-staff-group", "ops",
}

// guarded is a proxy to which ann has signed in. It replaces her header, or forwards the header that clients send.
func guarded(t *testing.T, to string, replaces bool) *httptest.Server {
	t.Helper()
	pass := passing(t, to)
	s := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		if replaces {
			r.Header.Set("X-User", "ann")
			r.Header.Set("X-Groups", r.Header.Get("Test-Groups"))
		}
		pass(w, r)
	}))
	t.Cleanup(s.Close)
	return s
}

func TestTheProxySignsPeopleIn(t *testing.T) {
	t.Parallel()
	c := in(t.TempDir())
	s := serve(t, c, proxied...)
	proxy := guarded(t, s.URL, true)
	get := func(path, groups string) (int, string) {
		t.Helper()
		r, err := http.NewRequestWithContext(t.Context(), http.MethodGet, proxy.URL+path, http.NoBody)
		if err != nil {
			t.Fatal(err)
		}
		r.Header.Set("Test-Groups", groups)
		r.Header.Set("X-User", "vera")
		res, err := http.DefaultClient.Do(r)
		if err != nil {
			t.Fatal(err)
		}
		defer res.Body.Close()
		body, err := io.ReadAll(res.Body)
		if err != nil {
			t.Fatal(err)
		}
		return res.StatusCode, string(body)
	}
	status, page := get("/inbox", "")
	if status != http.StatusOK || !strings.Contains(page, "ann") || strings.Contains(page, `action="/logout"`) {
		t.Errorf("her inbox: status %d, %s", status, page)
	}
	if status, _ := get("/staff", ""); status != http.StatusNotFound {
		t.Errorf("the staff page without the group: status %d", status)
	}
	if status, _ := get("/staff/send", "a, ops"); status != http.StatusOK {
		t.Errorf("the staff page with the group: status %d", status)
	}
	if users := must(t, c.run(t.Context(), "user", "list")).out; !strings.Contains(users, "ann") || strings.Contains(users, "vera") || strings.Contains(users, "staff") {
		t.Errorf("the users are\n%s", users)
	}
}

// doors contains one address of each kind that identifies the user.
var doors = []string{"/inbox", "/inbox/panel", "/events", "/login", "/staff/send", "/nowhere", "/embed/no/such", "/api/v1/me", "/api/v1/me/events"}

// says requests each door with identity headers.
func says(t *testing.T, at string, headers http.Header, each func(path string, status int, body string)) {
	t.Helper()
	client := http.Client{CheckRedirect: func(*http.Request, []*http.Request) error { return http.ErrUseLastResponse }}
	for _, path := range doors {
		r, err := http.NewRequestWithContext(t.Context(), http.MethodGet, at+path, http.NoBody)
		if err != nil {
			t.Fatal(err)
		}
		r.Header = headers.Clone()
		res, err := client.Do(r)
		if err != nil {
			t.Fatal(err)
		}
		body := []byte{}
		if res.Header.Get("Content-Type") != "text/event-stream" {
			body, err = io.ReadAll(res.Body)
		}
		if _ = res.Body.Close(); err != nil {
			t.Fatal(err)
		}
		each(path, res.StatusCode, string(body))
	}
}

func TestEveryDoorRefusesAnIdentityHeaderThatNamesNobody(t *testing.T) {
	t.Parallel()
	c := in(t.TempDir())
	s := serve(t, c, proxied...)
	for what, values := range map[string][]string{"two values": {"ann", "vera"}, "empty": {""}, "too long": {strings.Repeat("x", 201)}, "controls": {"a\tb"}} {
		says(t, s.URL, http.Header{"X-User": values}, func(path string, status int, _ string) {
			if status != http.StatusBadRequest {
				t.Errorf("%s, %s: %d, want 400", what, path, status)
			}
		})
	}
	if users := must(t, c.run(t.Context(), "user", "list")).out; strings.Contains(users, "ann") || strings.Contains(users, "vera") {
		t.Errorf("the users are\n%s", users)
	}
}

func TestNoDoorBelievesAHeaderFromAPeerThatIsNotListed(t *testing.T) {
	t.Parallel()
	c := in(t.TempDir())
	args := append([]string{"--trusted-proxies", "127.0.0.1"}, proxied...)
	for i, a := range args {
		if a == "--identity-from" {
			args[i+1] = "192.0.2.1"
		}
	}
	s := serve(t, c, args...)
	says(t, s.URL, http.Header{"X-User": {"vera"}, "X-Groups": {"ops"}, "X-Forwarded-For": {"192.0.2.1"}, "X-Real-Ip": {"192.0.2.1"}, "Forwarded": {"for=192.0.2.1"}},
		func(path string, status int, body string) {
			if strings.Contains(body, "vera") || status < 300 && path != "/login" {
				t.Errorf("%s: %d\n%s", path, status, body)
			}
		})
	if users := must(t, c.run(t.Context(), "user", "list")).out; strings.Contains(users, "vera") {
		t.Errorf("a forged header has added a user:\n%s", users)
	}
}

func TestTheDoctorForgesTheIdentityHeader(t *testing.T) {
	t.Parallel()
	c := in(t.TempDir())
	s := serve(t, c, proxied...)
	doctor := append([]string{"doctor"}, proxied...)
	r := c.run(t.Context(), append(doctor, "--silence", "0", "--public-url", guarded(t, s.URL, true).URL)...)
	wantWords(t, r.out, "ok    identity     a forged X-User does not come through")
	r = c.run(t.Context(), append(doctor, "--silence", "0", "--public-url", guarded(t, s.URL, false).URL)...)
	wantWords(t, r.out, "FAIL  identity", "a forged X-User comes through", "→ have the proxy replace the header")
	if r.status != exitFailed {
		t.Errorf("status %d", r.status)
	}
	if users := must(t, c.run(t.Context(), "user", "list")).out; strings.Contains(users, "xxx") {
		t.Errorf("the doctor has added a user:\n%s", users)
	}
}

func TestAnIdentityHeaderThatAnybodyMaySendIsRefused(t *testing.T) {
	t.Parallel()
	c := in(t.TempDir())
	for _, test := range []struct {
		args []string
		want string
	}{
		{[]string{"--identity-header", "X-User"}, "--identity-from: must list the addresses"},
		{[]string{"--identity-header", "X-User", "--identity-from", "0.0.0.0/0"}, "includes every client"},
		{[]string{"--identity-header", "X-User", "--identity-from", "10.0.0.1,::/0"}, "includes every client"},
		{[]string{"--identity-header", "X-User", "--identity-from", "::ffff:0:0/96"}, "includes every client"},
		{[]string{"--identity-header", "X-User", "--identity-from", "0.0.0.0/1,128.0.0.0/1"}, "128.0.0.0/1 includes every client"},
		{[]string{"--identity-from", "10.0.0.1"}, "--identity-from: needs --identity-header"},
		{[]string{"--identity-header", "Cookie", "--identity-from", "10.0.0.1"}, "has another meaning"},
		{[]string{"--identity-header", "X User", "--identity-from", "10.0.0.1"}, "is not the name of a header"},
		{[]string{"--identity-header", "X-User", "--identity-from", "10.0.0.1", "--identity-staff-group", "ops"}, "needs --identity-groups-header"},
		{[]string{"--identity-header", "X-User", "--identity-from", "10.0.0.1", "--identity-audience", "guest"}, "none of the audiences"},
	} {
		r := c.run(t.Context(), append([]string{"serve"}, test.args...)...)
		if r.status != exitUsage {
			t.Errorf("%v: status %d", test.args, r.status)
		}
		wantWords(t, r.errors, test.want)
	}
}
