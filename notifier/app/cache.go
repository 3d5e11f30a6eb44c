package app

import (
	"context"
	"crypto/x509"
	"errors"
	"log/slog"
	"sync"
	"sync/atomic"
	"time"

	"github.com/carillonhq/carillon/notifier"
	"github.com/carillonhq/carillon/store"
)

const (
	freshFor = 2 * time.Second // apps are read again from SQL after this
	lastFor  = 4 * time.Second // and after this not used by requests that need the state of SQL
	newFor   = time.Second / 4 // an unknown key, which may have been added since, does not cause a read within this
)

// cache holds all valid apps and their keys, as recently read from SQL.
type cache struct {
	store *store.Store
	seal  Sealer
	now   func() time.Time
	log   *slog.Logger

	last    atomic.Pointer[snapshot]
	changes atomic.Int64 // made by this process: a snapshot from before the last one is too old for all requests
	reading sync.Mutex   // held by the request that reads SQL
}

// snapshot is immutable.
type snapshot struct {
	at      time.Time
	changes int64
	keys    map[int64]verifyKey
	issuers map[string]*notifier.App // apps with a JWKS, by issuer
	apps    map[int64]*notifier.App
	names   map[string]*notifier.App
	sites   []string        // of all apps
	origins map[string]bool // of any app
}

// verifyKey is a key ready for use. A secret is the text that the app signs with.
type verifyKey struct {
	app *notifier.App
	alg notifier.KeyAlg
	key any // []byte, *ecdsa.PublicKey, ed25519.PublicKey or *rsa.PublicKey
}

// get returns the apps as of at most lastFor ago, or notifier.ErrUnavailable. Requests use the last snapshot while
// one of them reads the next.
func (c *cache) get(ctx context.Context) (*snapshot, error) {
	last := c.last.Load()
	if last != nil && c.age(last) < freshFor {
		return last, nil
	}
	if last == nil || c.age(last) >= lastFor {
		c.reading.Lock()
	} else if !c.reading.TryLock() {
		return last, nil
	}
	defer c.reading.Unlock()
	return c.readAfter(ctx, last)
}

// newer returns the apps as they are now, for a key that last does not have.
func (c *cache) newer(ctx context.Context, last *snapshot) (*snapshot, error) {
	if c.age(last) < newFor {
		return last, nil
	}
	c.reading.Lock()
	defer c.reading.Unlock()
	return c.readAfter(ctx, last)
}

// readAfter reads the apps unless another request has replaced last in the meantime. The caller holds
// reading.
func (c *cache) readAfter(ctx context.Context, last *snapshot) (*snapshot, error) {
	if now := c.last.Load(); now != last && c.age(now) < freshFor {
		return now, nil
	}
	next, err := c.read(ctx)
	if err != nil {
		return nil, err
	}
	c.last.Store(next)
	return next, nil
}

// lately returns the apps like get, or the last snapshot while SQL is unavailable; nil: they were never read.
func (c *cache) lately(ctx context.Context) *snapshot {
	apps, err := c.get(ctx)
	if err != nil {
		return c.stale()
	}
	return apps
}

// stale returns the last snapshot, however old: a verified token stays valid while SQL is unavailable.
func (c *cache) stale() *snapshot { return c.last.Load() }

// age is how old a snapshot is, or lastFor if an app has changed here since.
func (c *cache) age(s *snapshot) time.Duration {
	if s.changes != c.changes.Load() {
		return lastFor
	}
	return c.now().Sub(s.at).Abs()
}

func (c *cache) read(ctx context.Context) (*snapshot, error) {
	at, changes := c.now(), c.changes.Load()
	apps, keys, err := c.store.Apps(ctx)
	if err != nil {
		return nil, err
	}
	s := &snapshot{at: at, changes: changes, keys: map[int64]verifyKey{}, issuers: map[string]*notifier.App{}, apps: map[int64]*notifier.App{}, names: map[string]*notifier.App{}, origins: map[string]bool{}}
	for _, a := range apps {
		if a.RevokedAt.IsZero() {
			s.apps[a.ID], s.names[a.Name], s.sites = &a, &a, append(s.sites, a.Sites()...)
			for _, origin := range a.Origins {
				s.origins[origin] = true
			}
			if a.JWKS != "" {
				s.issuers[a.Issuer] = &a
			}
		}
	}
	for _, key := range keys {
		a := s.apps[key.AppID]
		if a == nil || !key.RevokedAt.IsZero() {
			continue
		}
		ready, err := c.open(&key, a)
		if err != nil {
			c.log.ErrorContext(ctx, "a key of an app cannot be used", "app", a.Name, "key", key.Kid(), "err", err)
			continue
		}
		s.keys[key.ID] = ready
	}
	return s, nil
}

var errKind = errors.New("the stored key is of another kind than its algorithm")

func (c *cache) open(key *notifier.AppKey, a *notifier.App) (verifyKey, error) {
	if key.Alg == notifier.AlgHS256 {
		secret, _, err := c.seal.Open(key.Material, a.Name)
		if err != nil {
			return verifyKey{}, err
		}
		return verifyKey{app: a, alg: key.Alg, key: []byte(tokenKey(key, secret))}, nil
	}
	public, err := x509.ParsePKIXPublicKey(key.Material)
	if err != nil {
		return verifyKey{}, err
	}
	if alg, ok := algOf(public); !ok || alg != key.Alg {
		return verifyKey{}, errKind
	}
	return verifyKey{app: a, alg: key.Alg, key: public}, nil
}
