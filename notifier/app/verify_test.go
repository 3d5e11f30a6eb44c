package app_test

import (
	"crypto"
	"crypto/ecdsa"
	"crypto/ed25519"
	"crypto/elliptic"
	"crypto/rand"
	"crypto/rsa"
	"crypto/x509"
	"encoding/base64"
	"encoding/pem"
	"errors"
	"strings"
	"testing"
	"time"

	"github.com/go-jose/go-jose/v4"
	"github.com/google/go-cmp/cmp"

	"github.com/carillonhq/carillon/notifier"
)

func TestTokenSaysWhoIsAsking(t *testing.T) {
	t.Parallel()
	w := newWorld(t, nil)
	shop := w.add(t, notifier.App{Name: "shop", Roles: []string{"picker", "vip"}}, nil)
	kid, _, _ := strings.Cut(shop.TokenKey, ".")
	token := sign(t, jose.HS256, []byte(shop.TokenKey), kid, w.usual(
		"name", "Bob Müller", "locale", "de-CH", "email", "bob@example.com", "audience", "customer", "roles", []string{"vip", "picker", "vip"}, "scope", "read"))
	got, err := w.v.Verify(t.Context(), token)
	if err != nil {
		t.Fatal(err)
	}
	name, locale, email, audience, roles := "Bob Müller", "de-CH", "bob@example.com", notifier.Audience(3), []string{"picker", "vip"}
	want := notifier.UserToken{
		App: shop.App, KeyID: 1, Subject: "42", IssuedAt: got.IssuedAt, Expires: got.IssuedAt.Add(15 * time.Minute), ReadOnly: true,
		Profile: notifier.TokenProfile{
			Display: &name, Locale: &locale, Email: &email, Audience: &audience, Roles: &roles,
			Notes: notifier.ProfileNotes{Name: notifier.Kept, Email: notifier.Kept, Locale: notifier.Kept},
		},
	}
	if diff := cmp.Diff(want, got); diff != "" {
		t.Errorf("token (-want +got):\n%s", diff)
	}
	bare, err := w.v.Verify(t.Context(), sign(t, jose.HS256, []byte(shop.TokenKey), kid, w.usual()))
	if err != nil || bare.Profile != (notifier.TokenProfile{}) {
		t.Errorf("a token that says nothing about its user has the profile %+v, %v", bare.Profile, err)
	}
	cleared, err := w.v.Verify(t.Context(), sign(t, jose.HS256, []byte(shop.TokenKey), kid, w.usual("name", nil, "roles", nil, "audience", nil)))
	if p := cleared.Profile; err != nil || p.Display == nil || *p.Display != "" || p.Roles == nil || len(*p.Roles) > 0 || p.Audience == nil || *p.Audience != 0 {
		t.Errorf("null clears: %+v, %v", p, err)
	}
}

func TestEachClaimIsChecked(t *testing.T) {
	t.Parallel()
	w := newWorld(t, nil)
	shop := w.add(t, notifier.App{Name: "shop", Roles: []string{"picker"}, Issuer: "https://shop.example.com"}, nil)
	kid, _, _ := strings.Cut(shop.TokenKey, ".")
	now := w.now().Unix()
	for _, c := range []struct {
		code    notifier.TokenCode
		says    string
		changes []any
	}{
		{"", "", nil},
		{"", "", []any{"aud", "https://notices.example.com/"}},
		{"", "", []any{"aud", []string{"billing", "https://notices.example.com"}}},
		{"", "", []any{"exp", float64(now) + 900.5}},
		{"", "", []any{"iat", now + 55}},
		{"", "", []any{"iat", now - 1000, "exp", now - 55}},
		{"", "", []any{"iat", now, "exp", now + 3600}},
		{"token_claim", "sub is required", []any{"sub", absent}},
		{"", "", []any{"email", "bob@example.com, eve@example.com"}},
		{"", "", []any{"email", 7}},
		{"token_claim", "sub is required", []any{"sub", ""}},
		{"token_claim", "sub must be a string", []any{"sub", 42}},
		{"token_claim", "sub must have at most 200 bytes and no control characters", []any{"sub", "a\x00b"}},
		{"token_claim", "sub must have at most 200 bytes and no control characters", []any{"sub", strings.Repeat("a", 201)}},
		{"token_claim", "aud is required", []any{"aud", absent}},
		{"token_audience", "aud must be carillon or https://notices.example.com", []any{"aud", "https://elsewhere.example.com"}},
		{"token_audience", "aud must be carillon or https://notices.example.com", []any{"aud", []string{}}},
		{"token_claim", "aud must be a string or a list of strings", []any{"aud", 7}},
		{"token_claim", "iat is required", []any{"iat", absent}},
		{"token_claim", "exp is required", []any{"exp", absent}},
		{"token_claim", "exp must be a number of seconds since 1970", []any{"exp", "soon"}},
		{"token_claim", "exp must be a number of seconds since 1970", []any{"exp", 1e300}},
		{"token_claim", "exp must be after iat", []any{"iat", now, "exp", now}},
		{"token_lifetime", "exp is 1h0m1s after iat, and the app allows at most 1h0m0s", []any{"exp", now + 3601}},
		{"token_expired", "it expired", []any{"iat", now - 1000, "exp", now - 61}},
		{"token_early", "your clock is", []any{"iat", now + 300, "exp", now + 900}},
		{"token_early", "your clock is", []any{"nbf", now + 300}},
		{"token_claim", `iss must be "https://shop.example.com"`, []any{"iss", "https://other.example.com"}},
		{"token_claim", `iss must be "https://shop.example.com"`, []any{"iss", absent}},
		{"token_claim", `scope must be "read" or absent`, []any{"scope", "write"}},
		{"token_claim", `scope must be "read" or absent`, []any{"scope", []string{"read"}}},
		{"", "", []any{"name", "a\u202eb"}},
		{"", "", []any{"locale", "klingonese!"}},
		{"audience_unknown", `unknown audience "robots"`, []any{"audience", "robots"}},
		{"role_refused", `the app may not give the role "vip"`, []any{"roles", []string{"picker", "vip"}}},
		{"role_refused", `the app may not give the role "staff"`, []any{"roles", []string{"staff"}}},
		{"token_claim", "roles must be a list of strings", []any{"roles", "picker"}},
	} {
		claims := w.usual(append([]any{"iss", "https://shop.example.com", "iat", now}, c.changes...)...) // issued at the moment to which the cases are relative
		_, err := w.v.Verify(t.Context(), sign(t, jose.HS256, []byte(shop.TokenKey), kid, claims))
		var refusal *notifier.TokenError
		if got := codeOf(t, err); got != c.code || errors.As(err, &refusal) && !strings.HasPrefix(refusal.Detail, c.says) {
			t.Errorf("%v: %v, want %s: %s", c.changes, err, c.code, c.says)
		}
		forbidden := c.code == notifier.TokenRoleRefused || c.code == notifier.TokenAudienceUnknown
		if c.code != "" && (errors.Is(err, notifier.ErrForbidden) != forbidden || errors.Is(err, notifier.ErrUnauthenticated) == forbidden) {
			t.Errorf("%s is of the wrong kind", c.code)
		}
	}
}

// pair is a key pair that an app may have.
type pair struct {
	alg     jose.SignatureAlgorithm
	private crypto.Signer
	pem     []byte
}

func pairs(t testing.TB) map[notifier.KeyAlg]pair {
	t.Helper()
	ec, err1 := ecdsa.GenerateKey(elliptic.P256(), rand.Reader)
	_, ed, err2 := ed25519.GenerateKey(rand.Reader)
	rs, err3 := rsa.GenerateKey(rand.Reader, 2048)
	if err := errors.Join(err1, err2, err3); err != nil {
		t.Fatal(err)
	}
	all := map[notifier.KeyAlg]pair{}
	for alg, key := range map[notifier.KeyAlg]crypto.Signer{"ES256": ec, "EdDSA": ed, "RS256": rs} {
		all[alg] = pair{jose.SignatureAlgorithm(alg), key, publicPEM(t, key.Public())}
	}
	return all
}

func publicPEM(t testing.TB, key any) []byte {
	t.Helper()
	der, err := x509.MarshalPKIXPublicKey(key)
	if err != nil {
		t.Fatal(err)
	}
	return pem.EncodeToMemory(&pem.Block{Type: "PUBLIC KEY", Bytes: der})
}

func TestAlgorithmBelongsToTheKey(t *testing.T) {
	t.Parallel()
	w := newWorld(t, nil)
	all := pairs(t)
	shop := w.add(t, notifier.App{Name: "shop"}, nil)
	secret, shopKid, _ := []byte(shop.TokenKey), "tk_1", 0
	kids := map[notifier.KeyAlg]string{}
	for alg, p := range all {
		added := w.add(t, notifier.App{Name: string(alg)}, p.pem)
		kids[alg] = added.TokenKey
		w.pass(time.Second / 2) // less than the cache time of apps: an unknown key is looked up
		if got, err := w.v.Verify(t.Context(), sign(t, p.alg, p.private, added.TokenKey, w.usual())); err != nil || got.App.Name != string(alg) {
			t.Errorf("%s: %v, %v", alg, got.App.Name, err)
		}
	}
	none := base64.RawURLEncoding.EncodeToString([]byte(`{"alg":"none","kid":"tk_1"}`))
	_, payload, _ := strings.Cut(sign(t, jose.HS256, secret, shopKid, w.usual()), ".")
	payload, signature, _ := strings.Cut(payload, ".")
	good := sign(t, jose.HS256, secret, shopKid, w.usual())
	der, _ := pem.Decode(all["RS256"].pem)
	for what, token := range map[string]string{
		"a secret made of a public key in PEM form": sign(t, jose.HS256, all["RS256"].pem, kids["RS256"], w.usual()),
		"a secret made of a public key in DER form": sign(t, jose.HS256, der.Bytes, kids["RS256"], w.usual()),
		"the key of another app":                    sign(t, jose.ES256, all["ES256"].private, shopKid, w.usual()),
		"the kid of another app":                    sign(t, jose.HS256, secret, kids["ES256"], w.usual()),
		"PS256":                                     sign(t, jose.PS256, all["RS256"].private, kids["RS256"], w.usual()),
		"HS384":                                     sign(t, jose.HS384, secret, shopKid, w.usual()),
		"a part of the secret":                      sign(t, jose.HS256, secret[5:], shopKid, w.usual()),
		"no kid":                                    sign(t, jose.HS256, secret, "", w.usual()),
		"an unknown kid":                            sign(t, jose.HS256, secret, "tk_99", w.usual()),
		"a kid that looks like a path":              sign(t, jose.HS256, secret, "../../tk_1", w.usual()),
		"a kid with a leading zero":                 sign(t, jose.HS256, secret, "tk_01", w.usual()),
		"alg none":                                  none + "." + payload + ".",
		"alg none with the signature":               none + "." + payload + "." + signature,
		"no signature":                              strings.TrimSuffix(good, signature),
		"a changed payload":                         strings.Replace(good, payload, payload[:len(payload)-4]+"AAAA", 1),
		"two parts":                                 payload + "." + signature,
		"nothing":                                   "",
		"8 KiB":                                     good + strings.Repeat("A", 8<<10),
	} {
		if _, err := w.v.Verify(t.Context(), token); codeOf(t, err) != notifier.TokenInvalid || err.Error() != "token_invalid" {
			t.Errorf("%s: %v", what, err)
		}
	}
	// A key inside the token is not one of our keys.
	options := (&jose.SignerOptions{EmbedJWK: true}).WithHeader("kid", kids["ES256"]).WithHeader("jku", "https://evil.example.com/keys")
	other, _ := ecdsa.GenerateKey(elliptic.P256(), rand.Reader)
	signer, err := jose.NewSigner(jose.SigningKey{Algorithm: jose.ES256, Key: other}, options)
	if err != nil {
		t.Fatal(err)
	}
	signed, _ := signer.Sign([]byte(`{"sub":"42"}`))
	text, _ := signed.CompactSerialize()
	if _, err := w.v.Verify(t.Context(), text); codeOf(t, err) != notifier.TokenInvalid {
		t.Errorf("an embedded key: %v", err)
	}
}

func TestARevocationCountsAtOnceWhereItIsMade(t *testing.T) {
	t.Parallel()
	w := newWorld(t, nil)
	w.changed = w.v.Changed
	by := notifier.Actor{Ref: notifier.CommandRef("test")}
	shop := w.add(t, notifier.App{Name: "shop"}, nil)
	text := sign(t, jose.HS256, []byte(shop.TokenKey), "tk_1", w.usual())
	for range 2 {
		if _, err := w.v.Verify(t.Context(), text); err != nil {
			t.Fatal(err)
		}
	}
	if _, err := w.apps.Revoke(t.Context(), by, "shop"); err != nil {
		t.Fatal(err)
	}
	if _, err := w.v.Verify(t.Context(), text); codeOf(t, err) != notifier.TokenInvalid {
		t.Errorf("after the app was revoked: %v", err)
	}
}

func TestAnEmptyPublicKeyMakesNoSecret(t *testing.T) {
	t.Parallel()
	w := newWorld(t, nil)
	by := notifier.Actor{Ref: notifier.CommandRef("test")}
	w.add(t, notifier.App{Name: "shop"}, nil)
	for _, key := range []string{"", " \n", "-----BEGIN PRIVATE KEY-----\nMC4CAQAwBQYDK2VwBCIEIA==\n-----END PRIVATE KEY-----\n"} {
		var bad *notifier.InvalidError
		if _, err := w.apps.Rotate(t.Context(), by, "shop", []byte(key)); !errors.As(err, &bad) {
			t.Errorf("%q: %v", key, err)
		}
	}
}

func TestRotatedKeyStaysUntilItIsRevoked(t *testing.T) {
	t.Parallel()
	w := newWorld(t, nil)
	by := notifier.Actor{Ref: notifier.CommandRef("test")}
	shop := w.add(t, notifier.App{Name: "shop"}, nil)
	next, err := w.apps.Rotate(t.Context(), by, "shop", nil)
	if err != nil {
		t.Fatal(err)
	}
	first := sign(t, jose.HS256, []byte(shop.TokenKey), "tk_1", w.usual())
	second := sign(t, jose.HS256, []byte(next), "tk_2", w.usual())
	verify := func(token string, want notifier.TokenCode) {
		t.Helper()
		if _, err := w.v.Verify(t.Context(), token); codeOf(t, err) != want {
			t.Errorf("%v, want %q", err, want)
		}
	}
	verify(first, "")
	verify(second, "")
	if _, err := w.apps.RevokeKey(t.Context(), by, "shop", 1); err != nil {
		t.Fatal(err)
	}
	w.pass(5 * time.Second)
	verify(first, notifier.TokenInvalid)
	verify(second, "")
	if _, err := w.apps.Revoke(t.Context(), by, "shop"); err != nil {
		t.Fatal(err)
	}
	w.pass(5 * time.Second)
	verify(second, notifier.TokenInvalid)
}

func TestVerifiedTokenGoesOnWhileSQLIsAway(t *testing.T) {
	t.Parallel()
	w := newWorld(t, nil)
	shop := w.add(t, notifier.App{Name: "shop"}, nil)
	seen := sign(t, jose.HS256, []byte(shop.TokenKey), "tk_1", w.usual())
	if _, err := w.v.Verify(t.Context(), seen); err != nil {
		t.Fatal(err)
	}
	if err := w.db.Close(); err != nil {
		t.Fatal(err)
	}
	w.pass(5 * time.Minute)
	if _, err := w.v.Verify(t.Context(), seen); err != nil {
		t.Errorf("a verified token: %v", err)
	}
	if _, err := w.v.Verify(t.Context(), sign(t, jose.HS256, []byte(shop.TokenKey), "tk_1", w.usual())); !errors.Is(err, notifier.ErrUnavailable) {
		t.Errorf("another token: %v, want %v", err, notifier.ErrUnavailable)
	}
	w.pass(11 * time.Minute)
	if _, err := w.v.Verify(t.Context(), seen); err == nil {
		t.Error("a token outlived its exp because SQL was away")
	}
}

func TestSecretsAreOnlySealedInSQL(t *testing.T) {
	t.Parallel()
	w := newWorld(t, nil)
	shop := w.add(t, notifier.App{Name: "shop"}, nil)
	_, keys, err := w.db.Apps(t.Context())
	if err != nil || len(keys) != 1 {
		t.Fatal(keys, err)
	}
	_, secret, _ := strings.Cut(shop.TokenKey, ".")
	if len(secret) != 43 || strings.Contains(string(keys[0].Material), secret) {
		t.Errorf("the stored key contains the secret %q", secret)
	}
	_, listed, err := w.apps.List(t.Context())
	if err != nil || listed[0].Material != nil {
		t.Errorf("the list has key material: %v", err)
	}
}

// FuzzVerify: no text makes the verifier panic or accept a token that no app has signed.
func FuzzVerify(f *testing.F) {
	w := newWorld(f, nil)
	shop := w.add(f, notifier.App{Name: "shop"}, nil)
	f.Add(sign(f, jose.HS256, []byte("tk_1.a guess that is long enough for HS256"), "tk_1", w.usual()))
	f.Add("a.b.c")
	f.Add(strings.Repeat(".", 9000))
	good := sign(f, jose.HS256, []byte(shop.TokenKey), "tk_1", w.usual())
	f.Fuzz(func(t *testing.T, token string) {
		if _, err := w.v.Verify(t.Context(), token); err == nil && token != good {
			t.Errorf("accepted %q", token)
		}
	})
}

// BenchmarkVerifyWarm measures a token that was verified before: the documented rate is 100,000 a second on one core.
func BenchmarkVerifyWarm(b *testing.B) {
	w := newWorld(b, nil)
	shop := w.add(b, notifier.App{Name: "shop"}, nil)
	token := sign(b, jose.HS256, []byte(shop.TokenKey), "tk_1", w.usual())
	for b.Loop() {
		if _, err := w.v.Verify(b.Context(), token); err != nil {
			b.Fatal(err)
		}
	}
}
