package identity_test

import (
	"encoding/json"
	"errors"
	"fmt"
	"net/http"
	"net/http/httptest"
	"net/url"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"github.com/carillonhq/carillon/internal/identity"
	"github.com/carillonhq/carillon/internal/idptest"
	"github.com/carillonhq/carillon/notifier"
)

// bench is a provider and a Carillon that asks it.
type bench struct {
	*idptest.Provider
	cfg identity.ProviderConfig
	now time.Time
}

func setUp(t *testing.T) *bench {
	t.Helper()
	b := &bench{Provider: idptest.Start(t, map[string]any{"sub": "248289761001", "name": "Jane Doe", "groups": []string{"press", "notices"}}), now: time.Now()}
	b.cfg = identity.ProviderConfig{
		Issuer: b.URL, ClientID: idptest.ClientID, ClientSecret: idptest.ClientSecret, UserClaim: "sub", GroupsClaim: "groups", StaffGroup: "notices",
		PublicURL: "https://notices.example.com", SessionKeys: [][]byte{make([]byte, 32)}, Now: func() time.Time { return b.now },
	}
	return b
}

func (b *bench) open(t *testing.T) *identity.Provider {
	t.Helper()
	p, err := identity.NewProvider(b.cfg)
	if err != nil {
		t.Fatal(err)
	}
	return p
}

// asked follows the browser to the provider and returns what it brings back.
func asked(t *testing.T, to string) url.Values {
	t.Helper()
	client := http.Client{CheckRedirect: func(*http.Request, []*http.Request) error { return http.ErrUseLastResponse }}
	res, err := client.Get(to)
	if err != nil {
		t.Fatal(err)
	}
	defer res.Body.Close()
	back, err := res.Location()
	if err != nil || back.Scheme+"://"+back.Host+back.Path != "https://notices.example.com/login/oidc/callback" {
		t.Fatalf("%s leads to %v, %v", res.Status, back, err)
	}
	return back.Query()
}

func begin(t *testing.T, p *identity.Provider) (answer url.Values, cookie *http.Cookie) {
	t.Helper()
	to, cookie, err := p.Begin(t.Context(), "/inbox?filter=unread")
	if err != nil {
		t.Fatal(err)
	}
	return asked(t, to), cookie
}

// finish has the browser return with an answer.
func finish(t *testing.T, p *identity.Provider, cookie *http.Cookie, answer url.Values) (identity.ProviderUser, string, error) {
	t.Helper()
	r := httptest.NewRequestWithContext(t.Context(), http.MethodGet, "/login/oidc/callback?"+answer.Encode(), nil)
	if cookie != nil {
		r.AddCookie(cookie)
	}
	return p.Finish(r)
}

func TestAUserSignsInAtTheProvider(t *testing.T) {
	t.Parallel()
	b := setUp(t)
	p, other := b.open(t), b.open(t) // another instance gets the answer
	answer, cookie := begin(t, p)
	if cookie.Name != "__Host-carillon-oidc" || cookie.Path != "/" || !cookie.HttpOnly || !cookie.Secure || cookie.SameSite != http.SameSiteLaxMode || strings.Contains(cookie.Value, "inbox") {
		t.Errorf("the cookie is %v", cookie)
	}
	u, next, err := finish(t, other, cookie, answer)
	if err != nil || next != "/inbox?filter=unread" || u.IDToken == "" {
		t.Fatalf("%+v, %q, %v", u, next, err)
	}
	to, err := b.open(t).Leave(t.Context(), u.IDToken) // an instance that the provider has not answered yet
	leave, err2 := url.Parse(to)
	if err != nil || err2 != nil || leave.Query().Get("id_token_hint") != u.IDToken || leave.Query().Get("post_logout_redirect_uri") != "https://notices.example.com/login?done=signed-out" {
		t.Errorf("sign out at %v, %v", leave, err)
	}
	u.IDToken = ""
	name := "Jane Doe"
	if diff := cmp.Diff(identity.ProviderUser{Name: "248289761001", Display: &name, Notes: notifier.ProfileNotes{Name: notifier.Kept}, Staff: true}, u); diff != "" {
		t.Error(diff)
	}
	if _, _, err := finish(t, other, cookie, answer); !errors.Is(err, identity.ErrRefused) {
		t.Errorf("the same code again: %v", err)
	}
}

func TestOnlyTheGroupMakesStaff(t *testing.T) {
	t.Parallel()
	b := setUp(t)
	for _, test := range []struct {
		claims map[string]any
		group  string
		want   bool
	}{
		{map[string]any{"groups": []string{"notices"}}, "notices", true},
		{map[string]any{"groups": "notices"}, "notices", true},
		{map[string]any{"groups": []string{"Notices", "notices2", " notices"}}, "notices", false},
		{map[string]any{"groups": map[string]any{"notices": true}}, "notices", false},
		{map[string]any{"roles": []string{"notices"}}, "notices", false},
		{map[string]any{"groups": []string{""}}, "", false},
	} {
		b.cfg.StaffGroup = test.group
		test.claims["sub"] = "jane"
		b.User(test.claims)
		p := b.open(t)
		answer, cookie := begin(t, p)
		if u, _, err := finish(t, p, cookie, answer); err != nil || u.Staff != test.want {
			t.Errorf("%v with the group %q: staff %v, %v", test.claims, test.group, u.Staff, err)
		}
	}
}

func TestEveryFalseAnswerIsRefused(t *testing.T) {
	t.Parallel()
	b := setUp(t)
	p := b.open(t)
	_, stranger := begin(t, p)
	lie := func(claim string, v any) func(url.Values) {
		return func(url.Values) { b.Lie(func(claims map[string]any) { claims[claim] = v }) }
	}
	for what, test := range map[string]struct {
		change func(answer url.Values)
		cookie *http.Cookie
		want   error
	}{
		"another state":       {change: func(v url.Values) { v.Set("state", "x") }, want: identity.ErrStale},
		"no state":            {change: func(v url.Values) { v.Del("state") }, want: identity.ErrStale},
		"another browser":     {cookie: stranger, want: identity.ErrStale},
		"no cookie":           {cookie: &http.Cookie{Name: "other", Value: stranger.Value}, want: identity.ErrStale},
		"a forged cookie":     {cookie: &http.Cookie{Name: stranger.Name, Value: strings.Repeat("A", 200)}, want: identity.ErrStale},
		"too late":            {change: func(url.Values) { b.now = b.now.Add(11 * time.Minute) }, want: identity.ErrStale},
		"another issuer":      {change: func(v url.Values) { v.Set("iss", "https://evil.example.com") }, want: identity.ErrToken},
		"an error":            {change: func(v url.Values) { v.Del("code"); v.Set("error", "access_denied") }, want: identity.ErrRefused},
		"too busy":            {change: func(v url.Values) { v.Del("code"); v.Set("error", "temporarily_unavailable") }, want: identity.ErrAway},
		"no code":             {change: func(v url.Values) { v.Del("code") }, want: identity.ErrRefused},
		"an unknown code":     {change: func(v url.Values) { v.Set("code", "x") }, want: identity.ErrRefused},
		"an expired code":     {change: func(url.Values) { b.Forget() }, want: identity.ErrRefused},
		"a broken provider":   {change: func(url.Values) { b.Break("/token", http.StatusBadGateway) }, want: identity.ErrAway},
		"a token's nonce":     {change: lie("nonce", "x"), want: identity.ErrToken},
		"a token's issuer":    {change: lie("iss", "https://evil.example.com"), want: identity.ErrToken},
		"a token's audience":  {change: lie("aud", "another"), want: identity.ErrToken},
		"an expired token":    {change: lie("exp", 1), want: identity.ErrToken},
		"no name":             {change: lie("sub", nil), want: identity.ErrName},
		"an empty name":       {change: lie("sub", ""), want: identity.ErrName},
		"a name with a break": {change: lie("sub", "a\nb"), want: identity.ErrName},
		"a number as name":    {change: lie("sub", 7), want: identity.ErrToken},
		"a huge token":        {change: lie("more", strings.Repeat("x", 70_000)), want: identity.ErrToken},
	} {
		b.Lie(nil)
		b.Break("/token", 0)
		b.Break("/keys", 0)
		b.now = time.Now()
		answer, cookie := begin(t, p)
		if test.cookie != nil {
			cookie = test.cookie
		}
		if test.change != nil {
			test.change(answer)
		}
		u, _, err := finish(t, p, cookie, answer)
		if !errors.Is(err, test.want) || u != (identity.ProviderUser{}) {
			t.Errorf("%s: %+v, %v; want %v", what, u, err, test.want)
		}
		if text := fmt.Sprint(err); len(text) > 1000 || strings.Contains(text, answer.Get("code")) && len(answer.Get("code")) > 1 {
			t.Errorf("%s: the log would say %s", what, text)
		}
	}
}

func TestWhoseKeysAreAwayIsAway(t *testing.T) {
	t.Parallel()
	b := setUp(t)
	p := b.open(t)
	b.Break("/keys", http.StatusBadGateway)
	answer, cookie := begin(t, p)
	if _, _, err := finish(t, p, cookie, answer); !errors.Is(err, identity.ErrAway) {
		t.Errorf("without keys: %v", err)
	}
}

func TestAProviderThatNamesItselfIsNamedInEveryAnswer(t *testing.T) {
	t.Parallel()
	b := setUp(t)
	b.Says(func(document map[string]any) { document["authorization_response_iss_parameter_supported"] = true })
	p := b.open(t)
	answer, cookie := begin(t, p)
	answer.Del("iss")
	if _, _, err := finish(t, p, cookie, answer); !errors.Is(err, identity.ErrToken) {
		t.Errorf("an answer of nobody: %v", err)
	}
}

// With a path the cookie cannot have the prefix that keeps neighbors out: theirs are passed over.
func TestCookiesThatANeighborHasPlantedDoNotHideTheRealOne(t *testing.T) {
	t.Parallel()
	b := setUp(t)
	b.cfg.PublicURL = "https://notices.example.com/n"
	p := b.open(t)
	to, cookie, err := p.Begin(t.Context(), "/inbox")
	_, other, err2 := p.Begin(t.Context(), "/inbox")
	if err = errors.Join(err, err2); err != nil || cookie.Name != "__Secure-carillon-oidc" || cookie.Path != "/n/login/oidc/callback" || !cookie.Secure {
		t.Fatalf("the cookie is %v, %v", cookie, err)
	}
	u, err := url.Parse(to)
	if err != nil || u.Query().Get("redirect_uri") != "https://notices.example.com/n/login/oidc/callback" {
		t.Fatalf("the browser goes to %s, %v", to, err)
	}
	r := httptest.NewRequestWithContext(t.Context(), http.MethodGet, "/login/oidc/callback?code=x&error=access_denied&state="+u.Query().Get("state"), nil)
	for _, value := range []string{"x", other.Value, cookie.Value} {
		r.AddCookie(&http.Cookie{Name: cookie.Name, Value: value})
	}
	if _, next, err := p.Finish(r); !errors.Is(err, identity.ErrRefused) || next != "/inbox" {
		t.Errorf("%q, %v; want the error of the answer", next, err)
	}
}

func TestALongAddressFitsOrIsLeftOut(t *testing.T) {
	t.Parallel()
	p := setUp(t).open(t)
	for next, want := range map[string]bool{"/inbox?q=" + strings.Repeat("x", 1900): true, "/inbox?q=" + strings.Repeat("&", 1900): false} {
		to, cookie, err := p.Begin(t.Context(), next)
		if err != nil || len(cookie.String()) > 4000 {
			t.Fatalf("the cookie has %d bytes, %v", len(cookie.String()), err)
		}
		if _, back, err := finish(t, p, cookie, asked(t, to)); err != nil || (back == next) != want {
			t.Errorf("%.20s leads to %.20s, %v", next, back, err)
		}
	}
}

func TestTheSecretTravelsAsTheProviderWantsIt(t *testing.T) {
	t.Parallel()
	for what, methods := range map[string][]string{"unsaid": nil, "header": {"client_secret_basic"}, "form": {"client_secret_post"}, "none": {"none"}} {
		b := setUp(t)
		b.Says(func(document map[string]any) { document["token_endpoint_auth_methods_supported"] = methods })
		if what == "none" {
			b.Public()
			b.cfg.ClientSecret = ""
		}
		p := b.open(t)
		answer, cookie := begin(t, p)
		if u, _, err := finish(t, p, cookie, answer); err != nil || u.Name != "248289761001" {
			t.Errorf("%s: %+v, %v", what, u, err)
		}
	}
}

// A gateway in front of the provider may redirect, or quote what it was asked in its answer.
func TestTheSecretGoesNowhereElse(t *testing.T) {
	t.Parallel()
	elsewhere := false
	gateway := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		switch r.URL.Path {
		case "/redirects":
			http.Redirect(w, r, "/elsewhere", http.StatusTemporaryRedirect)
		case "/elsewhere":
			elsewhere = true
		default:
			w.WriteHeader(http.StatusBadRequest)
			_, _ = fmt.Fprint(w, r.Header.Get("Authorization"), r.FormValue("code"), r.FormValue("client_secret"))
		}
	}))
	defer gateway.Close()
	for _, path := range []string{"/redirects", "/quotes"} {
		b := setUp(t)
		b.Says(func(document map[string]any) { document["token_endpoint"] = gateway.URL + path })
		p := b.open(t)
		answer, cookie := begin(t, p)
		_, _, err := finish(t, p, cookie, answer)
		if text := fmt.Sprint(err); err == nil || elsewhere || strings.Contains(text, answer.Get("code")) || strings.Contains(text, "hunter2") || strings.Contains(text, "Basic") {
			t.Errorf("%s: %v, asked elsewhere: %v", path, err, elsewhere)
		}
	}
}

func TestAnHTTPSProviderIsAskedByHTTPSAlone(t *testing.T) {
	t.Parallel()
	var document map[string]string
	s := httptest.NewTLSServer(http.HandlerFunc(func(w http.ResponseWriter, _ *http.Request) {
		w.Header().Set("Content-Type", "application/json")
		_ = json.NewEncoder(w).Encode(document)
	}))
	defer s.Close()
	for changed, want := range map[string]error{"authorization_endpoint": identity.ErrAway, "token_endpoint": identity.ErrAway, "jwks_uri": identity.ErrAway, "": nil} {
		document = map[string]string{"issuer": s.URL, "authorization_endpoint": s.URL + "/a", "token_endpoint": s.URL + "/t", "jwks_uri": s.URL + "/k", "end_session_endpoint": "http://login.example.com/"}
		document[changed] = "http://login.example.com/"
		p, err := identity.NewProvider(identity.ProviderConfig{Issuer: s.URL, ClientID: "carillon", PublicURL: "https://notices.example.com", SessionKeys: [][]byte{make([]byte, 32)}, Client: s.Client()})
		if err != nil {
			t.Fatal(err)
		}
		if _, err := p.Check(t.Context()); !errors.Is(err, want) {
			t.Errorf("%s by http: %v, want %v", changed, err, want)
		}
		if to, _ := p.Leave(t.Context(), "x"); to != "" {
			t.Errorf("users sign out at %s", to)
		}
	}
}

func TestAProviderThatIsAwayIsAskedAgain(t *testing.T) {
	t.Parallel()
	b := setUp(t)
	b.cfg.Client = &http.Client{Timeout: 50 * time.Millisecond}
	p := b.open(t)
	b.Hang()
	if _, _, err := p.Begin(t.Context(), "/"); !errors.Is(err, identity.ErrAway) {
		t.Errorf("while it hangs: %v", err)
	}
	if to, err := p.Leave(t.Context(), "x"); to != "" || !errors.Is(err, identity.ErrAway) {
		t.Errorf("sign out at %q, %v", to, err)
	}
	b.Answer()
	b.cfg.Client.Timeout = 10 * time.Second
	answer, cookie := begin(t, p)
	if _, _, err := finish(t, p, cookie, answer); err != nil {
		t.Errorf("when it is back: %v", err)
	}
}
