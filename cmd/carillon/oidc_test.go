package main

import (
	"io"
	"net/http"
	"net/url"
	"strings"
	"testing"

	"github.com/carillonhq/carillon/internal/idptest"
	"github.com/carillonhq/carillon/internal/testkit"
)

// provided starts a server whose users sign in at a provider.
func provided(t *testing.T, p *idptest.Provider, c call, flags ...string) *running {
	t.Helper()
	addr := testkit.Address()
	return serve(t, c.with("CARILLON_OIDC_CLIENT_SECRET", idptest.ClientSecret), append([]string{
		"--addr", addr, "--public-url", "http://" + addr + "/notifications", "--oidc-issuer", p.URL, "--oidc-client-id", idptest.ClientID, "--oidc-staff-group", "notices",
	}, flags...)...)
}

// goes requests an address, follows redirects, and returns the response and its address.
func (b browser) goes(t *testing.T, method, address string) (status int, at *url.URL, body string, header http.Header) {
	t.Helper()
	r, err := http.NewRequestWithContext(t.Context(), method, address, http.NoBody)
	if err != nil {
		t.Fatal(err)
	}
	client := *b.Client
	client.CheckRedirect = nil
	res, err := client.Do(r)
	if err != nil {
		t.Fatal(err)
	}
	defer res.Body.Close()
	text, err := io.ReadAll(res.Body)
	if err != nil {
		t.Fatal(err)
	}
	return res.StatusCode, res.Request.URL, string(text), res.Header
}

func TestStaffSignInAtTheProviderAndNobodyBecomesStaffOtherwise(t *testing.T) {
	t.Parallel()
	p := idptest.Start(t, map[string]any{"sub": "jane", "name": "Jane Doe", "groups": []string{"notices"}})
	c := in(t.TempDir())
	s := provided(t, p, c)
	jane := visit(t, s.URL)
	signIn := s.URL + "/login/oidc?next=" + url.QueryEscape("/notifications/settings")
	staff := func(want int, what string) {
		t.Helper()
		if status, _, _, _ := jane.goes(t, http.MethodGet, s.URL+"/staff/send"); status != want {
			t.Errorf("%s: the form to send answers %d, want %d", what, status, want)
		}
	}
	status, at, body, _ := jane.goes(t, http.MethodGet, signIn)
	if status != http.StatusOK || at.Path != "/notifications/settings" || !strings.Contains(body, "jane") {
		t.Fatalf("signed in: %d at %s", status, at)
	}
	staff(http.StatusOK, "in the group")
	site, err := url.Parse(s.URL + "/")
	if err != nil {
		t.Fatal(err)
	}
	fixed := jane.Jar.Cookies(site)

	status, _, body, header := jane.goes(t, http.MethodPost, s.URL+"/logout")
	to, _ := strings.CutPrefix(header.Get("Refresh"), "0; url=")
	if status != http.StatusOK || !strings.HasPrefix(to, p.URL+"/logout?") || !strings.Contains(body, "Signed out") {
		t.Fatalf("signed out: %d, leads to %q", status, to)
	}
	jane.goes(t, http.MethodGet, to)
	if ended := p.Ended(); len(ended) != 1 || ended[0].Get("id_token_hint") == "" || ended[0].Get("post_logout_redirect_uri") != s.URL+"/login?done=signed-out" {
		t.Errorf("the provider was asked to sign out with %v", ended)
	}

	fixed[0].Path = site.Path
	jane.Jar.SetCookies(site, fixed) // an attacker has planted a session that has ended
	p.User(map[string]any{"sub": "jane", "groups": []string{"press"}})
	jane.goes(t, http.MethodGet, signIn)
	if now := jane.Jar.Cookies(site); len(now) != 1 || now[0].Value == fixed[0].Value {
		t.Errorf("the planted session continues: %v, %v", fixed, now)
	}
	staff(http.StatusNotFound, "out of the group")

	// A user with our staff role keeps it, whatever their groups are.
	must(t, c.run(t.Context(), "user", "role", "add", "jane", "staff"))
	jane.goes(t, http.MethodPost, s.URL+"/logout")
	jane.goes(t, http.MethodGet, signIn)
	staff(http.StatusOK, "by a role")
}

func TestASignInThatFailsSaysWhyAndBeginsNoSession(t *testing.T) {
	t.Parallel()
	p := idptest.Start(t, map[string]any{"sub": "jane"})
	s := provided(t, p, in(t.TempDir()), "--password-login=false")
	if status, _, body, _ := visit(t, s.URL).goes(t, http.MethodGet, s.URL+"/inbox"); status != http.StatusOK || !strings.Contains(body, `href="/notifications/login/oidc?next=%2Finbox"`) || strings.Contains(body, "password") {
		t.Errorf("the page to sign in, %d:\n%s", status, body)
	}
	if status, _, _, _ := visit(t, s.URL).goes(t, http.MethodPost, s.URL+"/login"); status != http.StatusNotFound {
		t.Errorf("signing in with a password answers %d", status)
	}
	for what, test := range map[string]struct {
		change func()
		status int
		words  string
	}{
		"refused": {func() { p.Fail("access_denied") }, http.StatusForbidden, "sign you in. Try again"},
		"away":    {func() { p.Break("/token", http.StatusBadGateway) }, http.StatusServiceUnavailable, "answering right now"},
		"false":   {func() { p.Lie(func(claims map[string]any) { claims["aud"] = "another" }) }, http.StatusForbidden, "be verified"},
		"no name": {func() { p.User(map[string]any{"sub": ""}) }, http.StatusForbidden, "send a name"},
	} {
		p.Fail("")
		p.Break("/token", 0)
		p.Lie(nil)
		test.change()
		jane := visit(t, s.URL)
		status, at, body, _ := jane.goes(t, http.MethodGet, s.URL+"/login/oidc")
		if status != test.status || at.Path != "/notifications/login/oidc/callback" || !strings.Contains(body, test.words) || strings.Contains(body, "<b>No</b>") {
			t.Errorf("%s: %d at %s:\n%s", what, status, at, body)
		}
		if _, at, _, _ := jane.goes(t, http.MethodGet, s.URL+"/inbox"); at.Path != "/notifications/login" {
			t.Errorf("%s: a session has begun, %s", what, at)
		}
	}
	status, _, body, _ := visit(t, s.URL).goes(t, http.MethodGet, s.URL+"/login/oidc/callback?code=x&state=y")
	if status != http.StatusBadRequest || !strings.Contains(body, "took too long") {
		t.Errorf("an unrequested answer: %d", status)
	}
}

// steps returns the target of a redirect without following it.
func (b browser) steps(t *testing.T, address string) (status int, to, body string) {
	t.Helper()
	r, err := http.NewRequestWithContext(t.Context(), http.MethodGet, address, http.NoBody)
	if err != nil {
		t.Fatal(err)
	}
	client := *b.Client
	client.CheckRedirect = func(*http.Request, []*http.Request) error { return http.ErrUseLastResponse }
	res, err := client.Do(r)
	if err != nil {
		t.Fatal(err)
	}
	defer res.Body.Close()
	text, err := io.ReadAll(res.Body)
	if err != nil {
		t.Fatal(err)
	}
	return res.StatusCode, res.Header.Get("Location"), string(text)
}

func TestAProviderThatHangsIsSaidInWordsBeforeThePageGivesUp(t *testing.T) {
	t.Parallel()
	for what, known := range map[string]bool{"at the first sign-in": false, "after a user was there": true} {
		t.Run(what, func(t *testing.T) {
			t.Parallel()
			p := idptest.Start(t, map[string]any{"sub": "jane"})
			s := provided(t, p, in(t.TempDir()))
			jane, at := visit(t, s.URL), s.URL+"/login/oidc"
			if known {
				_, at, _ = jane.steps(t, at)
				_, at, _ = jane.steps(t, at)
			}
			p.Hang()
			if status, _, body := jane.steps(t, at); status != http.StatusServiceUnavailable || !strings.Contains(body, `data-testid="provider-fault"`) || !strings.Contains(body, "answering right now") {
				t.Errorf("%d:\n%s", status, body)
			}
			p.Answer()
			if status, at, _, _ := jane.goes(t, http.MethodGet, s.URL+"/login/oidc"); status != http.StatusOK || at.Path != "/notifications/inbox" {
				t.Errorf("when it is back: %d at %s", status, at)
			}
		})
	}
}

// An attacker who can plant cookies plants their own session before the provider's answer arrives.
func TestTheAnswerNeverGoesOnWithASessionThatTheBrowserBrings(t *testing.T) {
	t.Parallel()
	p := idptest.Start(t, map[string]any{"sub": "mallory"})
	s := provided(t, p, in(t.TempDir()))
	site, err := url.Parse(s.URL + "/")
	if err != nil {
		t.Fatal(err)
	}
	mallory, jane := visit(t, s.URL), visit(t, s.URL)
	mallory.goes(t, http.MethodGet, s.URL+"/login/oidc")
	planted := mallory.Jar.Cookies(site)[0]

	p.User(map[string]any{"sub": "jane"})
	_, to, _ := jane.steps(t, s.URL+"/login/oidc")
	_, to, _ = jane.steps(t, to)
	jane.Jar.SetCookies(site, []*http.Cookie{{Name: planted.Name, Value: planted.Value, Path: site.Path}})
	if status, _, _ := jane.steps(t, to); status != http.StatusSeeOther {
		t.Fatalf("jane signs in: %d", status)
	}
	if now := jane.Jar.Cookies(site); len(now) != 1 || now[0].Value == planted.Value {
		t.Errorf("she continues with %v", now)
	}
	if _, _, body := jane.steps(t, s.URL+"/settings"); !strings.Contains(body, "jane") {
		t.Error("she is not signed in")
	}
	if status, _, body := mallory.steps(t, s.URL+"/settings"); status != http.StatusSeeOther {
		t.Errorf("the planted session is still open: %d\n%s", status, body)
	}
}
