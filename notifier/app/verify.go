package app

import (
	"context"
	"crypto/sha256"
	"encoding/base64"
	"encoding/json"
	"log/slog"
	"net/http"
	"strings"
	"time"

	"github.com/go-jose/go-jose/v4"
	"github.com/maypok86/otter/v2"

	"github.com/carillonhq/carillon/notifier"
	"github.com/carillonhq/carillon/store"
)

const (
	maxToken    = 8 << 10 // bytes
	maxVerified = 100_000 // tokens in the cache
)

// algorithms are the algorithms that a token may name. The algorithm of its key decides.
var algorithms = []jose.SignatureAlgorithm{jose.HS256, jose.ES256, jose.EdDSA, jose.RS256}

// VerifierConfig contains everything needed to verify tokens. Fields without a default are required.
type VerifierConfig struct {
	Store       *store.Store
	Audiences   map[notifier.Audience]string
	SessionKeys [][]byte
	PublicURL   string
	HTTP        *http.Client     // fetches the keys of apps; nil: one that reaches any address
	Now         func() time.Time // nil: time.Now
	Log         *slog.Logger     // nil: silent
}

// Verifier verifies tokens. It is safe for concurrent use.
type Verifier struct {
	cfg      VerifierConfig
	cache    cache
	sets     jwks
	verified *otter.Cache[[sha256.Size]byte, notifier.UserToken]
}

// NewVerifier returns a Verifier.
func NewVerifier(c VerifierConfig) (*Verifier, error) {
	sealer, err := newSealer(c.SessionKeys)
	if err != nil {
		return nil, err
	}
	if c.Now == nil {
		c.Now = time.Now
	}
	if c.Log == nil {
		c.Log = slog.New(slog.DiscardHandler)
	}
	if c.HTTP == nil {
		c.HTTP = &http.Client{Timeout: fetchTimeout}
	}
	client := *c.HTTP
	client.CheckRedirect = onlyHTTPS
	return &Verifier{
		cfg:      c,
		cache:    cache{store: c.Store, seal: sealer, now: c.Now, log: c.Log},
		sets:     jwks{client: &client, now: c.Now, log: c.Log, sets: map[int64]*keySet{}},
		verified: otter.Must(&otter.Options[[sha256.Size]byte, notifier.UserToken]{MaximumSize: maxVerified}),
	}, nil
}

// Verify returns the content of a token. It returns a *notifier.TokenError for a refused token, and
// notifier.ErrUnavailable if it cannot be checked because SQL is unavailable or the keys of the app have never been
// fetched. A token that was verified before remains valid while SQL is unavailable.
func (v *Verifier) Verify(ctx context.Context, token string) (notifier.UserToken, error) {
	if len(token) > maxToken {
		return notifier.UserToken{}, invalid()
	}
	apps, err := v.cache.get(ctx)
	sum := sha256.Sum256([]byte(token))
	if t, found := v.verified.GetIfPresent(sum); found {
		if err != nil {
			apps = v.cache.stale()
		}
		switch {
		case !apps.valid(t.App.ID, t.KeyID):
			v.verified.Invalidate(sum)
			return notifier.UserToken{}, invalid()
		case v.cfg.Now().Before(t.Expires.Add(leeway)):
			return t, nil
		}
	}
	if err != nil {
		return notifier.UserToken{}, err
	}
	t, err := v.verify(ctx, apps, token)
	if err == nil {
		v.verified.Set(sum, t)
	}
	return t, err
}

// App returns a valid app by its id. While SQL is unavailable it uses the last data read.
func (v *Verifier) App(ctx context.Context, id int64) (notifier.App, bool) {
	apps := v.cache.lately(ctx)
	if apps == nil || apps.apps[id] == nil {
		return notifier.App{}, false
	}
	return *apps.apps[id], true
}

// Named returns the valid app with this name; the zero App if there is none. While SQL is unavailable it uses the
// last data read.
func (v *Verifier) Named(ctx context.Context, name string) notifier.App {
	if name == "" {
		return notifier.App{}
	}
	apps := v.cache.lately(ctx)
	if apps == nil || apps.names[name] == nil {
		return notifier.App{}
	}
	return *apps.names[name]
}

// Look returns the app with this name as rows show it. While SQL is unavailable it uses the last data read.
func (v *Verifier) Look(ctx context.Context, name string) notifier.RowApp {
	return v.cache.lately(ctx).look(name)
}

// LastLook is Look with the last data read: it never waits for SQL. Watch keeps the data fresh.
func (v *Verifier) LastLook(name string) notifier.RowApp { return v.cache.stale().look(name) }

// look returns the app with this name as rows show it; of a revoked or unknown app only the name. s may be nil.
func (s *snapshot) look(name string) notifier.RowApp {
	if s == nil || s.names[name] == nil {
		return notifier.NamedApp(name)
	}
	return s.names[name].Shown()
}

// Sites returns the origins of the pages of all valid apps. While SQL is unavailable it uses the last data read.
func (v *Verifier) Sites(ctx context.Context) []string {
	apps := v.cache.lately(ctx)
	if apps == nil {
		return nil
	}
	return apps.sites
}

// Sender returns the app of an API key. An app that is not in the cache is read from SQL: it may have just been
// added. It returns notifier.ErrNotFound for a revoked app.
func (v *Verifier) Sender(ctx context.Context, id int64) (notifier.App, error) {
	last := v.cache.last.Load()
	if a, found := v.App(ctx, id); found {
		return a, nil
	}
	v.cache.reading.Lock()
	defer v.cache.reading.Unlock()
	apps, err := v.cache.readAfter(ctx, last)
	switch {
	case err != nil:
		return notifier.App{}, err
	case apps.apps[id] == nil:
		return notifier.App{}, notifier.ErrNotFound
	}
	return *apps.apps[id], nil
}

// Changed must be called after this process has changed an app: apps are read again before the next token is
// verified.
func (v *Verifier) Changed() { v.cache.changes.Add(1) }

// Changes returns how often Changed was called, for other holders of key copies.
func (v *Verifier) Changes() int64 { return v.cache.changes.Load() }

// KnowsOrigin reports whether pages of any app are at this origin. While SQL is unavailable it uses the last data
// read.
func (v *Verifier) KnowsOrigin(ctx context.Context, origin string) bool {
	apps := v.cache.lately(ctx)
	return apps != nil && apps.origins[origin]
}

func (v *Verifier) verify(ctx context.Context, apps *snapshot, token string) (notifier.UserToken, error) {
	signed, err := jose.ParseSignedCompact(token, algorithms)
	if err != nil || len(signed.Signatures) != 1 {
		return notifier.UserToken{}, invalid()
	}
	head := signed.Signatures[0].Protected
	id, own := notifier.ParseKid(head.KeyID)
	if own && apps.keys[id].app == nil {
		if apps, err = v.cache.newer(ctx, apps); err != nil {
			return notifier.UserToken{}, err
		}
	}
	key := apps.keys[id]
	if key.app == nil {
		id = 0
		if key, err = v.foreign(ctx, apps, token, head.KeyID, head.Algorithm); err != nil {
			return notifier.UserToken{}, err
		}
	}
	if key.app == nil || head.Algorithm != string(key.alg) {
		return notifier.UserToken{}, invalid()
	}
	payload, err := signed.Verify(key.key)
	if err != nil {
		return notifier.UserToken{}, invalid()
	}
	r := rules{app: key.app, publicURL: v.cfg.PublicURL, audiences: v.cfg.Audiences, now: v.cfg.Now()}
	t, err := r.read(payload)
	t.KeyID = id
	return t, err
}

// foreign finds the key of a token whose app has a JWKS. The issuer is read before the signature is
// verified: it only chooses the set in which the key must be.
func (v *Verifier) foreign(ctx context.Context, apps *snapshot, token, kid, alg string) (verifyKey, error) {
	if len(apps.issuers) == 0 {
		return verifyKey{}, nil
	}
	_, rest, _ := strings.Cut(token, ".")
	middle, _, _ := strings.Cut(rest, ".")
	payload, err := base64.RawURLEncoding.DecodeString(middle)
	if err != nil {
		return verifyKey{}, invalid()
	}
	var c claims
	if err := json.Unmarshal(payload, &c); err != nil {
		return verifyKey{}, invalid()
	}
	iss, err := c.text("iss")
	if err != nil || iss == nil || apps.issuers[*iss] == nil {
		return verifyKey{}, invalid()
	}
	return v.sets.find(ctx, apps.issuers[*iss], kid, alg)
}

func invalid() error { return &notifier.TokenError{Code: notifier.TokenInvalid} }
