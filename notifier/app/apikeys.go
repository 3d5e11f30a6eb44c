package app

import (
	"context"
	"crypto/rand"
	"crypto/sha256"
	"encoding/base64"
	"strings"

	"github.com/carillonhq/carillon/notifier"
	"github.com/carillonhq/carillon/store"
)

// An API key consists of apiKeyPrefix and 32 random bytes in URL-safe base64.
const (
	apiKeyPrefix = "ck_"
	apiKeyBytes  = 32
)

// NewAPIKey returns the text of a new API key, which only its application stores, and its hash, which Carillon
// stores.
func NewAPIKey() (token string, hash []byte) {
	var b [apiKeyBytes]byte
	_, _ = rand.Read(b[:]) // never fails
	token = apiKeyPrefix + base64.RawURLEncoding.EncodeToString(b[:])
	hash, _ = HashAPIKey(token)
	return token, hash
}

// HashAPIKey returns false for a text that cannot be an API key.
func HashAPIKey(token string) (hash []byte, ok bool) {
	text, found := strings.CutPrefix(token, apiKeyPrefix)
	if !found || len(text) != base64.RawURLEncoding.EncodedLen(apiKeyBytes) {
		return nil, false
	}
	sum := sha256.Sum256([]byte(token))
	return sum[:], true
}

// APIKeys adds and revokes the keys with which applications call the API, for pages and commands. The keys of apps
// are added and revoked with them: see Apps.
type APIKeys struct {
	Store   *store.Store
	New     func() (token string, hash []byte) // nil: NewAPIKey
	Changed func()                             // called after a key is revoked, so that this takes effect here at once; nil: the API is not served here
}

// Add adds a key and returns its text, which is not stored. repeated reports that the same form added a key before;
// added is then that key, without its text. An empty form is always new. It returns a *notifier.InvalidError.
func (s APIKeys) Add(ctx context.Context, by notifier.Actor, k notifier.APIKey, form string) (added notifier.APIKey, token string, repeated bool, err error) {
	generate := s.New
	if generate == nil {
		generate = NewAPIKey
	}
	token, hash := generate()
	if added, repeated, err = s.Store.AddKeyOnce(ctx, by, k, hash, form); err != nil || repeated {
		return added, "", repeated, err
	}
	return added, token, false, nil
}

// Revoke permanently invalidates a key and returns it. Revoking a revoked key changes nothing. It returns
// notifier.ErrNotFound for an unknown key.
func (s APIKeys) Revoke(ctx context.Context, by notifier.Actor, id int64) (notifier.APIKey, error) {
	k, err := s.Store.RevokeKey(ctx, by, id)
	if err == nil && s.Changed != nil {
		s.Changed()
	}
	return k, err
}
