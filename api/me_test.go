package api

import (
	"bytes"
	"encoding/json"
	"net/http"
	"net/http/httptest"
	"slices"
	"strconv"
	"strings"
	"testing"
	"time"

	"github.com/go-jose/go-jose/v4"

	"github.com/carillonhq/carillon/internal/testkit"
	"github.com/carillonhq/carillon/notifier"
	"github.com/carillonhq/carillon/notifier/app"
)

// addApps adds two apps, and a token of bob.
func (w *world) addApps(t testing.TB) {
	t.Helper()
	var err error
	w.apps, err = app.New(app.Config{Store: w.store, Audiences: testAudiences, ImageHosts: []string{"cdn.example.com"}, SessionKeys: appKeys})
	if err != nil {
		t.Fatal(err)
	}
	for _, a := range []notifier.App{
		{Name: "front", Origins: []string{"https://shop.example.com"}, Audience: 2, MaxLife: time.Hour},
		{Name: "blog", Origins: []string{"https://blog.example.com"}, Audience: 2, MaxLife: time.Hour},
	} {
		added, err := w.apps.Add(t.Context(), notifier.Actor{Ref: notifier.CommandRef("test")}, a, nil)
		if err != nil {
			t.Fatal(err)
		}
		if a.Name == "front" {
			w.front = added
		}
	}
	w.bob = w.token(t, "bob", nil)
}

var appKeys = [][]byte{bytes.Repeat([]byte{1}, 32)}

// newVerifier verifies the tokens of the world's apps.
func (w *world) newVerifier(t testing.TB) *app.Verifier {
	t.Helper()
	v, err := app.NewVerifier(app.VerifierConfig{Store: w.store, Audiences: testAudiences, SessionKeys: appKeys})
	if err != nil {
		t.Fatal(err)
	}
	return v
}

// token makes a token of the app; claims replace the usual ones.
func (w *world) token(t testing.TB, sub string, claims map[string]any) string {
	t.Helper()
	kid, _, _ := strings.Cut(w.front.TokenKey, ".")
	signer, err := jose.NewSigner(jose.SigningKey{Algorithm: jose.HS256, Key: []byte(w.front.TokenKey)}, (&jose.SignerOptions{}).WithHeader("kid", kid))
	if err != nil {
		t.Fatal(err)
	}
	now := time.Now().Unix()
	all := map[string]any{"sub": sub, "aud": "carillon", "iat": now, "exp": now + 900}
	for claim, value := range claims {
		all[claim] = value
	}
	payload, err := json.Marshal(all)
	if err != nil {
		t.Fatal(err)
	}
	signed, err := signer.Sign(payload)
	if err != nil {
		t.Fatal(err)
	}
	text, err := signed.CompactSerialize()
	if err != nil {
		t.Fatal(err)
	}
	return text
}

// codeOf is the member code of a problem.
func codeOf(t *testing.T, r reply) string {
	t.Helper()
	var p struct{ Code string }
	r.into(t, &p)
	return p.Code
}

func TestAUserOfAnAppHasAnInboxOnFirstSight(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	token := w.token(t, "4711", map[string]any{"name": "Bob Müller", "locale": "de"})
	// The first notice of the app adds its user, and so does the first token.
	w.call(t, w.front.APIKey, "POST", "/notices", `{"target":{"users":["4711"]},"type":"order","subject":"6","title":"Order 6 is late"}`).is(t, http.StatusAccepted)
	w.call(t, w.send, "POST", "/notices", `{"target":{"users":["4712"]},"type":"order","title":"Order 6 is late"}`).is(t, http.StatusUnprocessableEntity)
	testkit.Eventually(t, "the notice is there", func() bool {
		var badge badgeAnswer
		w.call(t, token, "GET", "/me/badge", nil).is(t, http.StatusOK).into(t, &badge)
		return badge.Unread == 1
	})
	w.call(t, token, "POST", "/me/delete", `{"keys":["a`+strconv.FormatInt(w.front.ID, 10)+`/order:6"]}`).is(t, http.StatusOK)
	var who meAnswer
	w.call(t, token, "GET", "/me", nil).is(t, http.StatusOK).into(t, &who)
	if who.ID != "4711" || who.Name == nil || *who.Name != "Bob Müller" || who.Audience != "user" || who.Settings.Locale != "de" {
		t.Errorf("the user is %+v", who)
	}
	w.call(t, w.admin, "POST", "/notices", `{"target":{"users":["4711"]},"type":"order","subject":"7","title":"Order 7 is late","link":"/orders/7"}`).is(t, http.StatusAccepted)
	w.call(t, w.admin, "POST", "/notices", `{"target":{"users":["4711"]},"type":"order","subject":"8","title":"Order 8 is late"}`).is(t, http.StatusAccepted)
	var badge badgeAnswer
	testkit.Eventually(t, "both notices are there", func() bool {
		w.call(t, token, "GET", "/me/badge", nil).is(t, http.StatusOK).into(t, &badge)
		return badge.Unread == 2
	})
	res := w.call(t, token, "GET", "/me/badge", nil).is(t, http.StatusOK)
	w.call(t, token, "GET", "/me/badge", nil, "If-None-Match", res.Header.Get("ETag")).is(t, http.StatusNotModified)

	var page meNotices
	w.call(t, token, "GET", "/me/notices?limit=1", nil).is(t, http.StatusOK).into(t, &page)
	if len(page.Notices) != 1 || page.Notices[0].Key != "order:8" || page.Notices[0].Read || page.Next == nil || page.Badge.Unread != 2 {
		t.Fatalf("the first page is %+v", page)
	}
	w.call(t, token, "GET", "/me/notices?before="+strconv.FormatInt(*page.Next, 10), nil).is(t, http.StatusOK).into(t, &page)
	if len(page.Notices) != 1 || page.Notices[0].Key != "order:7" || page.Notices[0].Link != "/orders/7" || page.Next != nil {
		t.Errorf("the second page is %+v", page)
	}
	first := w.call(t, token, "GET", "/me/notices", nil).is(t, http.StatusOK)
	w.call(t, token, "GET", "/me/notices", nil, "If-None-Match", first.Header.Get("ETag")).is(t, http.StatusNotModified)
	w.call(t, token, "POST", "/me/read", `{"keys":["order:7"]}`).is(t, http.StatusOK).into(t, &badge)
	if badge.Unread != 1 {
		t.Errorf("after reading one the badge is %+v", badge)
	}
	w.call(t, token, "GET", "/me/notices?filter=unread", nil).is(t, http.StatusOK).into(t, &page)
	if len(page.Notices) != 1 || page.Notices[0].Key != "order:8" {
		t.Errorf("unread are %+v", page)
	}
	w.call(t, token, "POST", "/me/unread", `{"keys":["order:7"]}`).is(t, http.StatusOK)
	w.call(t, token, "POST", "/me/open", nil).is(t, http.StatusOK).into(t, &page)
	if page.Badge.Unread != 1 || !page.Notices[0].New || !page.Notices[0].Read || page.Notices[1].New || page.Notices[1].Read {
		t.Errorf("opened, the page is %+v: what was marked as unread stays so", page)
	}
	w.call(t, token, "POST", "/me/delete", `{"keys":["order:7","order:9"]}`).is(t, http.StatusOK).into(t, &badge)
	if badge.Unread != 0 {
		t.Errorf("after deleting the badge is %+v", badge)
	}
	w.call(t, token, "POST", "/me/delete", `{"keys":["order:7"]}`).is(t, http.StatusNotFound)
	w.call(t, w.token(t, "4712", nil), "POST", "/me/delete", `{"keys":["order:8"]}`).is(t, http.StatusNotFound)
	w.call(t, w.token(t, "4712", nil), "POST", "/me/restore", `{"keys":["order:7"]}`).is(t, http.StatusNotFound)
	w.call(t, token, "POST", "/me/restore", `{"keys":["order:7"]}`).is(t, http.StatusOK).into(t, &badge)
	if badge.Unread != 1 {
		t.Errorf("after the deletion was undone the badge is %+v", badge)
	}
}

func TestBadTokensAreRefusedWithTheirReason(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	now := time.Now().Unix()
	reading := w.token(t, "bob", map[string]any{"scope": "read"})
	for what, c := range map[string]struct {
		token, method, path string
		headers             []string
		status              int
		code                string
	}{
		"none":                       {"", "GET", "/me/badge", nil, 401, "unauthenticated"},
		"another scheme":             {"", "GET", "/me/badge", []string{"Authorization", "Basic Ym9iOmJvYg=="}, 401, "token_invalid"},
		"an API key":                 {w.admin, "GET", "/me/badge", nil, 401, "key_not_token"},
		"a changed signature":        {w.bob[:len(w.bob)-4] + "AAAA", "GET", "/me/badge", nil, 401, "token_invalid"},
		"over 8 KiB":                 {strings.Repeat("A", 9000), "GET", "/me/badge", nil, 401, "token_invalid"},
		"expired":                    {w.token(t, "bob", map[string]any{"iat": now - 900, "exp": now - 100}), "GET", "/me/badge", nil, 401, "token_expired"},
		"no aud":                     {w.token(t, "bob", map[string]any{"aud": nil}), "GET", "/me/badge", nil, 401, "token_claim"},
		"a role":                     {w.token(t, "bob", map[string]any{"roles": []string{"staff"}}), "GET", "/me/badge", nil, 403, "role_refused"},
		"an audience":                {w.token(t, "bob", map[string]any{"audience": "robots"}), "GET", "/me/badge", nil, 403, "audience_unknown"},
		"reading":                    {reading, "GET", "/me/badge", nil, 200, ""},
		"opening by reading":         {reading, "POST", "/me/open", nil, 403, "scope_read"},
		"reading of nobody":          {w.token(t, "nobody", map[string]any{"scope": "read"}), "GET", "/me/badge", nil, 404, "not_found"},
		"the app's origin":           {w.bob, "GET", "/me/badge", []string{"Origin", "https://shop.example.com"}, 200, ""},
		"our own origin":             {w.bob, "GET", "/me/badge", []string{"Origin", "http://example.com"}, 200, ""},
		"the origin of another app":  {w.bob, "GET", "/me/badge", []string{"Origin", "https://blog.example.com"}, 403, "origin_refused"},
		"an origin that is no app's": {w.bob, "GET", "/me/badge", []string{"Origin", "https://evil.example.com"}, 403, "origin_refused"},
		"the origin null":            {w.bob, "GET", "/me/badge", []string{"Origin", "null"}, 403, "origin_refused"},
		"an API key in a page":       {w.admin, "GET", "/users/bob/badge", []string{"Origin", "https://shop.example.com"}, 403, "key_in_browser"},
	} {
		res := w.call(t, c.token, c.method, c.path, nil, c.headers...)
		if res.StatusCode != c.status || c.status >= 400 && codeOf(t, res) != c.code {
			t.Errorf("%s: %d %s; want %d %s", what, res.StatusCode, res.text, c.status, c.code)
		}
	}
	twice := httptest.NewRequestWithContext(t.Context(), http.MethodGet, prefix+"/me/badge", http.NoBody)
	twice.Header["Authorization"] = []string{"Bearer " + w.bob, "Bearer " + w.bob}
	if res := w.answer(t, twice); res.StatusCode != http.StatusBadRequest {
		t.Errorf("two Authorization headers: %d %s", res.StatusCode, res.text)
	}
}

func TestAKeyInAPageIsAuditedOnce(t *testing.T) {
	t.Parallel()
	d := &diary{}
	w := newWorld(t, func(c *Config) { c.Audit = d })
	for _, origin := range []string{"https://shop.example.com", "https://evil.example.com"} {
		w.call(t, w.send, "GET", "/notices/1", nil, "Origin", origin).is(t, http.StatusForbidden)
	}
	if got := d.taken(); !slices.Equal(got, []string{`key shop | key.in_browser | key shop | "https://shop.example.com" | 192.0.2.1`}) {
		t.Errorf("the audit log has %q", got)
	}
}

func TestPagesOfAppsMayAsk(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	ask := func(origin, path string) http.Header {
		t.Helper()
		return w.call(t, "", "OPTIONS", path, nil, "Origin", origin, "Access-Control-Request-Method", "POST", "Access-Control-Request-Headers", "authorization,content-type").Header
	}
	head := ask("https://shop.example.com", "/me/read")
	if head.Get("Access-Control-Allow-Origin") != "https://shop.example.com" || head.Get("Access-Control-Max-Age") != "7200" ||
		head.Get("Access-Control-Allow-Credentials") != "" || !strings.Contains(head.Get("Access-Control-Allow-Headers"), "authorization") {
		t.Errorf("a page of the app: %v", head)
	}
	for origin, path := range map[string]string{"https://evil.example.com": "/me/read", "null": "/me/read", "https://shop.example.com": "/notices"} {
		if head := ask(origin, path); head.Get("Access-Control-Allow-Origin") != "" {
			t.Errorf("%s may ask %s: %v", origin, path, head)
		}
	}
	if res := w.call(t, w.bob, "GET", "/me", nil, "Origin", "https://evil.example.com").is(t, http.StatusForbidden); codeOf(t, res) != "origin_refused" {
		t.Errorf("a page of no app is refused by %s", res.text)
	}
	res := w.call(t, "", "GET", "/me/badge", nil, "Origin", "https://shop.example.com").is(t, http.StatusUnauthorized)
	if got := res.Header.Get("Access-Control-Allow-Origin"); got != "https://shop.example.com" {
		t.Errorf("a 401 allows %q: the page cannot see that it needs a token", got)
	}
}

func TestSigningOutRefusesOlderTokens(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	old := w.token(t, "bob", map[string]any{"iat": time.Now().Unix() - 30})
	w.call(t, old, "GET", "/me/badge", nil).is(t, http.StatusOK)
	w.call(t, w.admin, "POST", "/users/bob/sign-out", nil).is(t, http.StatusNoContent)
	testkit.Eventually(t, "the old token is refused", func() bool {
		res := w.call(t, old, "GET", "/me/badge", nil)
		return res.StatusCode == http.StatusUnauthorized && codeOf(t, res) == "token_revoked"
	})
	w.call(t, w.token(t, "bob", map[string]any{"iat": time.Now().Unix() + 2}), "GET", "/me/badge", nil).is(t, http.StatusOK)
	w.call(t, w.admin, "POST", "/users/nobody/sign-out", nil).is(t, http.StatusNotFound)
}
