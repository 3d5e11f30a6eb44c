package api

import (
	"context"
	"errors"
	"log/slog"
	"sync"
	"time"

	"github.com/carillonhq/carillon/notifier"
	"github.com/carillonhq/carillon/notifier/app"
)

const (
	freshFor   = 2 * time.Second // a key is looked up again after this
	keyLife    = 4 * time.Second // and not accepted after this, if no lookup succeeded
	touchEvery = time.Minute     // interval between writes of a key's last use
	maxHeld    = 10_000          // keys in the cache
)

// keyStore stores keys by the SHA-256 of their text.
type keyStore interface {
	// KeyByHash returns a key, even if it is revoked, or notifier.ErrNotFound.
	KeyByHash(ctx context.Context, hash []byte) (notifier.APIKey, error)
	// TouchKeys stores the times, by key ID, at which keys were last used.
	TouchKeys(ctx context.Context, used map[int64]time.Time) error
}

// keyring caches keys for a few seconds, so that most requests need no SQL query.
type keyring struct {
	keys keyStore
	log  *slog.Logger
	now  func() time.Time
	// changes counts what this process has changed of apps and keys: what was read before a change is not believed.
	changes func() int64

	mu   sync.Mutex
	held map[string]*heldKey // by hash
}

type heldKey struct {
	key     notifier.APIKey
	seen    time.Time // last found in SQL
	changes int64     // that had been made before it was read
	asking  bool      // a lookup is under way
	touched time.Time
}

// find returns the valid key with this text. It returns notifier.ErrUnauthenticated for a
// key that is unknown or revoked.
func (k *keyring) find(ctx context.Context, token string) (notifier.APIKey, error) {
	hash, ok := app.HashAPIKey(token)
	if !ok {
		return notifier.APIKey{}, notifier.ErrUnauthenticated
	}
	if key, ok := k.remembered(string(hash)); ok {
		return key, nil
	}
	changes := k.changes()
	key, err := k.keys.KeyByHash(ctx, hash)
	switch {
	case errors.Is(err, notifier.ErrNotFound), err == nil && key.Revoked(k.now()):
		k.forget(string(hash))
		return key, notifier.ErrUnauthenticated
	case err != nil:
		k.giveUp(string(hash))
		return key, err
	}
	if k.remember(string(hash), key, changes) {
		if err := k.keys.TouchKeys(ctx, map[int64]time.Time{key.ID: k.now()}); err != nil {
			k.log.WarnContext(ctx, "could not store the last use of a key", "err", err)
		}
	}
	return key, nil
}

// remembered returns false if the caller has to read the key from SQL. When many callers ask for a
// key that is no longer fresh, one of them reads it and the others get the cached one.
func (k *keyring) remembered(hash string) (notifier.APIKey, bool) {
	k.mu.Lock()
	defer k.mu.Unlock()
	h := k.held[hash]
	if h == nil {
		return notifier.APIKey{}, false
	}
	age := k.now().Sub(h.seen)
	if age < 0 || age >= keyLife || h.changes != k.changes() || age >= freshFor && !h.asking {
		h.asking = true
		return notifier.APIKey{}, false
	}
	return h.key, true
}

// remember stores a key that was looked up and reports whether its last use is to be
// written now.
func (k *keyring) remember(hash string, key notifier.APIKey, changes int64) (touch bool) {
	k.mu.Lock()
	defer k.mu.Unlock()
	now := k.now()
	h := k.held[hash]
	if h == nil {
		if len(k.held) >= maxHeld {
			clear(k.held)
		}
		h = &heldKey{touched: key.UsedAt}
		k.held[hash] = h
	}
	h.key, h.seen, h.changes, h.asking = key, now, changes, false
	if touch = now.Sub(h.touched) >= touchEvery; touch {
		h.touched = now
	}
	return touch
}

func (k *keyring) forget(hash string) {
	k.mu.Lock()
	defer k.mu.Unlock()
	delete(k.held, hash)
}

// giveUp ends a lookup that failed, so that the next caller tries again.
func (k *keyring) giveUp(hash string) {
	k.mu.Lock()
	defer k.mu.Unlock()
	if h := k.held[hash]; h != nil {
		h.asking = false
	}
}
