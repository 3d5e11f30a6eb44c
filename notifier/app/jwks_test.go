package app_test

import (
	"crypto"
	"encoding/json"
	"errors"
	"fmt"
	"net/http"
	"net/http/httptest"
	"strings"
	"sync/atomic"
	"testing"
	"time"

	"github.com/go-jose/go-jose/v4"

	"github.com/carillonhq/carillon/notifier"
	"github.com/carillonhq/carillon/notifier/app"
)

// provider serves an app's keys. Its response may be replaced at any time.
type provider struct {
	*httptest.Server
	answer atomic.Pointer[http.HandlerFunc]
	asked  atomic.Int64
}

func newProvider(t *testing.T) *provider {
	t.Helper()
	p := &provider{}
	p.Server = httptest.NewTLSServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		p.asked.Add(1)
		(*p.answer.Load())(w, r)
	}))
	t.Cleanup(p.Close)
	return p
}

func (p *provider) answers(h http.HandlerFunc) { p.answer.Store(&h) }

func (p *provider) has(t *testing.T, keys ...jose.JSONWebKey) {
	t.Helper()
	text, err := json.Marshal(jose.JSONWebKeySet{Keys: keys})
	if err != nil {
		t.Fatal(err)
	}
	p.answers(func(w http.ResponseWriter, _ *http.Request) { _, _ = w.Write(text) })
}

func public(kid string, key crypto.Signer) jose.JSONWebKey {
	return jose.JSONWebKey{Key: key.Public(), KeyID: kid, Use: "sig"}
}

func TestKeysComeFromTheAppsAddress(t *testing.T) {
	t.Parallel()
	p := newProvider(t)
	w := newWorld(t, p.Client())
	all := pairs(t)
	es, rs := all["ES256"].private, all["RS256"].private
	secret := []byte(strings.Repeat("s", 32))
	p.has(t, public("one", es), jose.JSONWebKey{Key: secret, KeyID: "oct"}, jose.JSONWebKey{Key: rs.Public(), KeyID: "enc", Use: "enc"})
	added := w.add(t, notifier.App{Name: "shop", JWKS: p.URL, Issuer: "https://shop.example.com"}, nil)
	if added.TokenKey != "" {
		t.Errorf("an app with a JWKS has the key %q", added.TokenKey)
	}
	verify := func(token string, want notifier.TokenCode) {
		t.Helper()
		got, err := w.v.Verify(t.Context(), token)
		if code := codeOf(t, err); code != want || want == "" && got.App.Name != "shop" {
			t.Errorf("%v, want %q", err, want)
		}
	}
	claims := func() map[string]any { return w.usual("iss", "https://shop.example.com") }
	verify(sign(t, jose.ES256, es, "one", claims()), "")
	verify(sign(t, jose.ES256, es, "", claims()), "") // the set has only one usable key
	verify(sign(t, jose.ES256, es, "one", w.usual("iss", "https://other.example.com")), notifier.TokenInvalid)
	verify(sign(t, jose.HS256, secret, "oct", claims()), notifier.TokenInvalid)
	verify(sign(t, jose.RS256, rs, "enc", claims()), notifier.TokenInvalid)
	if n := p.asked.Load(); n != 1 {
		t.Errorf("the keys were fetched %d times within a minute", n)
	}

	p.has(t, public("two", rs))
	verify(sign(t, jose.RS256, rs, "two", claims()), notifier.TokenInvalid)
	w.pass(61 * time.Second)
	verify(sign(t, jose.RS256, rs, "two", claims()), "")
	verify(sign(t, jose.ES256, es, "one", claims()), notifier.TokenInvalid)
	if n := p.asked.Load(); n != 2 {
		t.Errorf("the keys were fetched %d times, want once more", n)
	}
}

func TestOperatorsLearnWhichSetsCanBeFetched(t *testing.T) {
	t.Parallel()
	p := newProvider(t)
	w := newWorld(t, p.Client())
	p.has(t, public("one", pairs(t)["ES256"].private), public("two", pairs(t)["RS256"].private))
	w.add(t, notifier.App{Name: "shop", JWKS: p.URL, Issuer: "shop"}, nil)
	w.add(t, notifier.App{Name: "blog", JWKS: "https://127.0.0.1:1/keys", Issuer: "blog"}, nil)
	w.add(t, notifier.App{Name: "crm"}, nil)
	sets, err := w.v.KeySets(t.Context())
	if err != nil || len(sets) != 2 || sets[0].App != "blog" || sets[0].Err == nil || sets[1] != (app.KeySet{App: "shop", URL: p.URL, Keys: 2}) {
		t.Errorf("%+v, %v", sets, err)
	}
}

func TestLastGoodSetStays(t *testing.T) {
	t.Parallel()
	p := newProvider(t)
	client := p.Client()
	client.Timeout = 2 * time.Second
	w := newWorld(t, client)
	es := pairs(t)["ES256"].private
	w.add(t, notifier.App{Name: "shop", JWKS: p.URL, Issuer: "shop"}, nil)
	token := func() string { return sign(t, jose.ES256, es, "one", w.usual("iss", "shop")) }
	bad := map[string]http.HandlerFunc{
		"an error":  func(w http.ResponseWriter, _ *http.Request) { w.WriteHeader(http.StatusInternalServerError) },
		"no keys":   func(w http.ResponseWriter, _ *http.Request) { _, _ = w.Write([]byte(`{"keys":[]}`)) },
		"no JSON":   func(w http.ResponseWriter, _ *http.Request) { _, _ = w.Write([]byte(`<html>`)) },
		"no answer": func(_ http.ResponseWriter, r *http.Request) { <-r.Context().Done() },
		"65 KiB": func(w http.ResponseWriter, _ *http.Request) {
			_, _ = fmt.Fprintf(w, `{"keys":[],"x":%q}`, strings.Repeat("x", 65<<10))
		},
		"a redirect to http": func(w http.ResponseWriter, r *http.Request) {
			http.Redirect(w, r, "http://127.0.0.1:1/", http.StatusFound)
		},
	}
	for what, answer := range bad {
		p.answers(answer)
		if _, err := w.v.Verify(t.Context(), token()); !errors.Is(err, notifier.ErrUnavailable) {
			t.Errorf("%s, and no keys before: %v, want %v", what, err, notifier.ErrUnavailable)
		}
		w.pass(time.Minute)
	}
	p.has(t, public("one", es))
	if _, err := w.v.Verify(t.Context(), token()); err != nil {
		t.Fatal(err)
	}
	for what, answer := range bad {
		p.answers(answer)
		w.pass(11 * time.Minute)
		if _, err := w.v.Verify(t.Context(), token()); err != nil {
			t.Errorf("%s after a good set: %v", what, err)
		}
	}
	if strings.Contains(w.logs.String(), "eyJ") {
		t.Errorf("the log has a token:\n%s", w.logs)
	}
}
