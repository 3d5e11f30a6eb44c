package app_test

import (
	"net/http"
	"strings"
	"sync/atomic"
	"testing"
	"time"

	"github.com/go-jose/go-jose/v4"

	"github.com/carillonhq/carillon/notifier"
)

// While the host of the keys hangs, tokens with known keys are verified at once, whatever keys forged tokens name.
func TestAForgedKidDelaysNoValidToken(t *testing.T) {
	t.Parallel()
	p := newProvider(t)
	w := newWorld(t, p.Client())
	es := pairs(t)["ES256"].private
	p.has(t, public("one", es))
	w.add(t, notifier.App{Name: "shop", JWKS: p.URL, Issuer: "shop"}, nil)
	valid := func(n int) string { return sign(t, jose.ES256, es, "one", w.usual("iss", "shop", "n", n)) }
	if _, err := w.v.Verify(t.Context(), valid(0)); err != nil {
		t.Fatal(err)
	}
	release, began, now := make(chan struct{}), make(chan struct{}, 10), atomic.Int64{}
	p.answers(func(http.ResponseWriter, *http.Request) {
		now.Add(1)
		began <- struct{}{}
		<-release
	})
	w.pass(2 * time.Minute)
	forged := make(chan error, 3)
	for range cap(forged) {
		token := sign(t, jose.ES256, es, "forged", w.usual("iss", "shop"))
		go func() {
			_, err := w.v.Verify(t.Context(), token)
			forged <- err
		}()
	}
	<-began
	for n := range 5 {
		if _, err := w.v.Verify(t.Context(), valid(n+1)); err != nil {
			t.Errorf("a valid token while the host hangs: %v", err)
		}
	}
	if len(forged) == cap(forged) {
		t.Error("the forged tokens did not wait, so this proves nothing")
	}
	close(release)
	for range cap(forged) {
		if code := codeOf(t, <-forged); code != notifier.TokenInvalid {
			t.Errorf("a forged token is %q", code)
		}
	}
	if now.Load() != 1 {
		t.Errorf("%d fetches at a time", now.Load())
	}
}

// TestSetsAsProvidersServeThem contains what key sets of real providers include besides the signing key:
//   - x5c, x5t (Auth0: auth0.com/docs/secure/tokens/json-web-tokens/json-web-key-set-properties) and members of their own (Entra
//     ID: cloud_instance_name, see AadTokenValidationParametersExtension at learn.microsoft.com/dotnet/api/microsoft.identitymodel.validators)
//   - a key for encryption: Keycloak publishes RSA-OAEP with use "enc" beside RS256 (github.com/jpadilla/pyjwt/issues/722)
//   - one kid for keys of several types, and keys without kid, use or alg (RFC 7517, sections 4.2, 4.4 and 4.5)
//   - keys of unsupported types, which must be ignored (RFC 7517, section 5): AKP is the type of ML-DSA keys
func TestSetsAsProvidersServeThem(t *testing.T) {
	t.Parallel()
	all := pairs(t)
	es, rs := all["ES256"].private, all["RS256"].private
	text := func(k jose.JSONWebKey, members string) string {
		b, err := k.MarshalJSON()
		if err != nil {
			t.Fatal(err)
		}
		return strings.TrimSuffix(string(b), "}") + members + "}"
	}
	p384 := `{"kty":"EC","crv":"P-384","kid":"one","x":"AAAA","y":"AAAA","alg":"ES384"}`
	ours := public("one", es)
	bare := jose.JSONWebKey{Key: es.Public()}
	for what, c := range map[string]struct{ set, kid string }{
		"extra members":             {text(ours, `,"cloud_instance_name":"x","issuer":"https://x","key_ops":["verify"]`), "one"},
		"a certificate of another":  {text(ours, `,"x5c":["AAAA"],"x5t":"AAAA","x5t#S256":"AAAA"`), "one"},
		"P-384 of the same name":    {p384 + "," + text(ours, ""), "one"},
		"one name, two algorithms":  {text(ours, "") + "," + text(public("one", rs), ""), "one"},
		"no kid and no use":         {text(bare, ""), ""},
		"no kid, two algorithms":    {text(bare, "") + "," + text(jose.JSONWebKey{Key: rs.Public()}, ""), ""},
		"encryption beside signing": {text(jose.JSONWebKey{Key: rs.Public(), KeyID: "e", Use: "enc", Algorithm: "RSA-OAEP"}, "") + "," + text(ours, ""), "one"},
		"a key of an unknown type":  {`{"kty":"AKP","kid":"pq","alg":"ML-DSA-44","pub":"AAAA"},` + text(ours, ""), "one"},
		"a key that is no key":      {`{"kid":7},` + text(ours, ""), "one"},
	} {
		p := newProvider(t)
		p.answers(func(w http.ResponseWriter, _ *http.Request) {
			w.Header().Set("Cache-Control", "public, max-age=15, stale-while-revalidate=15")
			_, _ = w.Write([]byte(`{"keys":[` + c.set + `]}`))
		})
		w := newWorld(t, p.Client())
		w.add(t, notifier.App{Name: "shop", JWKS: p.URL, Issuer: "shop"}, nil)
		if _, err := w.v.Verify(t.Context(), sign(t, jose.ES256, es, c.kid, w.usual("iss", "shop"))); err != nil {
			t.Errorf("%s: %v\n%s", what, err, w.logs)
		}
	}
}
