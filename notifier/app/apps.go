// Package app manages the host applications: their keys, and the tokens with which they identify the user who makes a
// request.
//
// A token is a JSON Web Token (RFC 7519) signed by the app (RFC 7515). Its header names the key by
// `kid`; the algorithm belongs to the key, so a token cannot choose a weaker one (RFC 8725).
package app

import (
	"context"
	"errors"
	"fmt"
	"time"

	"github.com/carillonhq/carillon/notifier"
	"github.com/carillonhq/carillon/store"
)

// Config contains everything that changes of apps need. Fields without a default are required.
type Config struct {
	Store       *store.Store
	Audiences   map[notifier.Audience]string
	ImageHosts  []string                           // hosts of icons, with the hosts below them; none: no icons
	SessionKeys [][]byte                           // secrets are sealed under keys derived from them
	NewAPIKey   func() (token string, hash []byte) // nil: NewAPIKey
	Changed     func()                             // called after each change, so that it takes effect here at once; nil: no tokens are verified here
}

// Apps adds and revokes apps, for pages and commands. It is safe for concurrent use.
type Apps struct {
	cfg  Config
	seal Sealer
}

// New returns an Apps.
func New(c Config) (*Apps, error) {
	sealer, err := newSealer(c.SessionKeys)
	if err != nil {
		return nil, err
	}
	if c.Changed == nil {
		c.Changed = func() {}
	}
	if c.NewAPIKey == nil {
		c.NewAPIKey = NewAPIKey
	}
	return &Apps{cfg: c, seal: sealer}, nil
}

// Add adds an app. Its tokens are verified with publicKey, in PEM form, if it is given; with a.JWKS, with the keys
// there; otherwise with a secret that Carillon generates. It returns a *notifier.InvalidError, or
// notifier.ErrConflict for a name or issuer in use or when there are notifier.MaxApps.
func (s *Apps) Add(ctx context.Context, by notifier.Actor, a notifier.App, publicKey []byte) (notifier.AddedApp, error) {
	if err := s.check(&a, true); err != nil {
		return notifier.AddedApp{}, err
	}
	key, secret, err := s.key(&a, publicKey)
	if err != nil {
		return notifier.AddedApp{}, err
	}
	added := notifier.AddedApp{}
	token, hash := s.cfg.NewAPIKey()
	if added.App, err = s.cfg.Store.AddApp(ctx, by, a, key, hash); err != nil {
		return notifier.AddedApp{}, err
	}
	added.APIKey = token
	if key != nil {
		added.TokenKey = tokenKey(key, secret)
	}
	s.cfg.Changed()
	return added, nil
}

// Change changes the fields of an app that are set in change, all or none. It returns a *notifier.InvalidError, or
// notifier.ErrNotFound for an app that is unknown or revoked.
func (s *Apps) Change(ctx context.Context, by notifier.Actor, name string, change notifier.AppChange) (notifier.App, error) {
	a, err := s.cfg.Store.ChangeApp(ctx, by, name, &change, func(a *notifier.App) error { return s.check(a, change.Icon != nil) })
	if err == nil {
		s.cfg.Changed()
	}
	return a, err
}

// check checks an app to be stored. An icon that does not change stays, also if its host is no longer one of pictures.
func (s *Apps) check(a *notifier.App, icon bool) error {
	err := a.Validate(s.cfg.Audiences)
	if !icon {
		return err
	}
	var bad, more *notifier.InvalidError
	switch other := a.CheckIcon(s.cfg.ImageHosts); {
	case !errors.As(other, &more):
		return err
	case errors.As(err, &bad):
		bad.Fields = append(bad.Fields, more.Fields...)
		return bad
	default:
		return other
	}
}

// Rotate adds a new key to an app that has keys here, and returns it as AddedApp.TokenKey. The old keys stay valid
// until they are revoked. For an app with a JWKS, which rotates its keys there, it returns notifier.ErrConflict.
func (s *Apps) Rotate(ctx context.Context, by notifier.Actor, name string, publicKey []byte) (string, error) {
	a, err := s.find(ctx, name)
	if err != nil {
		return "", err
	}
	if a.JWKS != "" {
		return "", fmt.Errorf("the keys of %s are at %s: %w", name, a.JWKS, notifier.ErrConflict)
	}
	key, secret, err := s.key(&a, publicKey)
	if err != nil {
		return "", err
	}
	if _, *key, err = s.cfg.Store.AddAppKey(ctx, by, name, *key); err != nil {
		return "", err
	}
	s.cfg.Changed()
	return tokenKey(key, secret), nil
}

// RotateAPIKey gives an app a new API key and returns it. The old ones stay valid for grace, or until they are
// revoked if it is zero. The new key acts for the same app, under its name, and owns what the old ones have sent.
func (s *Apps) RotateAPIKey(ctx context.Context, by notifier.Actor, name string, grace time.Duration) (string, error) {
	var end time.Time
	if grace > 0 {
		end = time.Now().Add(grace)
	}
	token, hash := s.cfg.NewAPIKey()
	if _, err := s.cfg.Store.RotateAPIKey(ctx, by, name, hash, end); err != nil {
		return "", err
	}
	s.cfg.Changed()
	return token, nil
}

// Revoke revokes an app with all its keys. Every instance refuses its tokens within seconds.
func (s *Apps) Revoke(ctx context.Context, by notifier.Actor, name string) (notifier.App, error) {
	a, err := s.cfg.Store.RevokeApp(ctx, by, name)
	if err == nil {
		s.cfg.Changed()
	}
	return a, err
}

// RevokeKey revokes one key of an app.
func (s *Apps) RevokeKey(ctx context.Context, by notifier.Actor, name string, id int64) (notifier.App, error) {
	a, err := s.cfg.Store.RevokeAppKey(ctx, by, name, id)
	if err == nil {
		s.cfg.Changed()
	}
	return a, err
}

// List returns all apps, newest first, and their keys without secrets.
func (s *Apps) List(ctx context.Context) ([]notifier.App, []notifier.AppKey, error) {
	apps, keys, err := s.cfg.Store.Apps(ctx)
	for i := range keys {
		keys[i].Material = nil
	}
	return apps, keys, err
}

// key creates the key of an app: none for a JWKS, and a secret if publicKey is nil. An empty publicKey is an error.
func (s *Apps) key(a *notifier.App, publicKey []byte) (key *notifier.AppKey, secret []byte, err error) {
	switch {
	case a.JWKS != "":
		return nil, nil, nil
	case publicKey != nil:
		alg, pkix, err := ParsePublicKey(publicKey)
		if err != nil {
			return nil, nil, err
		}
		return &notifier.AppKey{Alg: alg, Material: pkix}, nil, nil
	}
	secret = newSecret()
	sealed, err := s.seal.Seal(secret, a.Name)
	if err != nil {
		return nil, nil, err
	}
	return &notifier.AppKey{Alg: notifier.AlgHS256, Material: sealed}, secret, nil
}

// find returns the valid app with this name.
func (s *Apps) find(ctx context.Context, name string) (notifier.App, error) {
	apps, _, err := s.cfg.Store.Apps(ctx)
	if err != nil {
		return notifier.App{}, err
	}
	for _, a := range apps {
		if a.Name == name && a.RevokedAt.IsZero() {
			return a, nil
		}
	}
	return notifier.App{}, notifier.ErrNotFound
}

// tokenKey is the text that the app stores: with a secret, this whole text is the key of HS256.
func tokenKey(k *notifier.AppKey, secret []byte) string {
	if len(secret) == 0 {
		return k.Kid()
	}
	return k.Kid() + "." + string(secret)
}
