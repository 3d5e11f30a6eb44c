package app_test

import (
	"bytes"
	"crypto/sha256"
	"encoding/json"
	"errors"
	"log/slog"
	"net/http"
	"sync/atomic"
	"testing"
	"time"

	"github.com/go-jose/go-jose/v4"

	"github.com/carillonhq/carillon/internal/testkit"
	"github.com/carillonhq/carillon/notifier"
	"github.com/carillonhq/carillon/notifier/app"
	"github.com/carillonhq/carillon/store"
)

var audiences = map[notifier.Audience]string{1: "operator", 2: "user", 3: "customer"}

// world is a database with apps, and a verifier that uses it.
type world struct {
	apps *app.Apps
	v    *app.Verifier
	dir  string // of the database
	db   *store.Store
	logs *testkit.Buffer

	offset  atomic.Int64 // of the clock of the verifier, in ns
	changed func()       // called after each change; a no-op simulates changes by another process
}

func (w *world) now() time.Time { return time.Now().Add(time.Duration(w.offset.Load())) }

func (w *world) pass(d time.Duration) { w.offset.Add(int64(d)) }

func newWorld(t testing.TB, client *http.Client) *world {
	t.Helper()
	dir := t.TempDir()
	db, err := store.Open(t.Context(), store.Config{DataDir: dir})
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = db.Close() })
	w := &world{dir: dir, db: db, logs: &testkit.Buffer{}, changed: func() {}}
	keys := [][]byte{bytes.Repeat([]byte{7}, 32)}
	w.apps, err = app.New(app.Config{Store: db, Audiences: audiences, SessionKeys: keys, NewAPIKey: apiKey, Changed: func() { w.changed() }})
	if err != nil {
		t.Fatal(err)
	}
	w.v, err = app.NewVerifier(app.VerifierConfig{
		Store: w.db, Audiences: audiences, SessionKeys: keys, PublicURL: "https://notices.example.com", HTTP: client, Now: w.now,
		Log: slog.New(slog.NewTextHandler(w.logs, nil)),
	})
	if err != nil {
		t.Fatal(err)
	}
	return w
}

var apiKeys atomic.Int64

func apiKey() (string, []byte) {
	sum := sha256.Sum256([]byte{byte(apiKeys.Add(1))})
	return "ck_test", sum[:]
}

// add adds an app, with its own secret unless publicKey or a JWKS is given.
func (w *world) add(t testing.TB, a notifier.App, publicKey []byte) notifier.AddedApp {
	t.Helper()
	a.Audience = 2
	if a.MaxLife == 0 {
		a.MaxLife = time.Hour
	}
	added, err := w.apps.Add(t.Context(), notifier.Actor{Ref: notifier.CommandRef("test")}, a, publicKey)
	if err != nil {
		t.Fatal(err)
	}
	return added
}

// sign makes a token as the library of an app would.
func sign(t testing.TB, alg jose.SignatureAlgorithm, key any, kid string, claims map[string]any) string {
	t.Helper()
	options := (&jose.SignerOptions{}).WithType("JWT")
	if kid != "" {
		options = options.WithHeader("kid", kid)
	}
	signer, err := jose.NewSigner(jose.SigningKey{Algorithm: alg, Key: key}, options)
	if err != nil {
		t.Fatal(err)
	}
	payload, err := json.Marshal(claims)
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

// usual returns the claims of a good token, changed by pairs of a claim and its value; the value
// absent removes the claim.
func (w *world) usual(changes ...any) map[string]any {
	now := w.now().Unix()
	c := map[string]any{"sub": "42", "aud": "carillon", "iat": now, "exp": now + 900}
	for i := 0; i < len(changes); i += 2 {
		if changes[i+1] == absent {
			delete(c, changes[i].(string))
		} else {
			c[changes[i].(string)] = changes[i+1]
		}
	}
	return c
}

type nothing struct{}

var absent = nothing{}

// codeOf returns the code with which a token was refused; empty if it was not refused.
func codeOf(t testing.TB, err error) notifier.TokenCode {
	t.Helper()
	var refusal *notifier.TokenError
	switch {
	case err == nil:
		return ""
	case errors.As(err, &refusal):
		return refusal.Code
	}
	t.Fatalf("neither verified nor refused: %v", err)
	return ""
}
