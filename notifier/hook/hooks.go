// Package hook sends events to webhooks: addresses of other programs. Messages follow the Standard Webhooks specification.
//
// A fact and its events are stored in one transaction; see store. One instance at a time sends them. It claims events in SQL before
// it sends them; a claim ends after a minute, so what a dead instance was sending is sent by another one, with the same webhook-id and the
// same bytes. So each event is sent at least once, in no particular order.
package hook

import (
	"context"
	"crypto/rand"
	"encoding/base64"
	"net"
	"net/netip"
	"net/url"
	"time"

	"github.com/carillonhq/carillon/internal/outbound"
	"github.com/carillonhq/carillon/notifier"
	"github.com/carillonhq/carillon/notifier/app"
	"github.com/carillonhq/carillon/store"
)

const (
	sealedFor    = "carillon webhook secrets"
	secretPrefix = "whsec_"
	secretBytes  = 24
	lookupWait   = 5 * time.Second
)

// Config contains everything that changes of webhooks need. Fields without a default are required.
type Config struct {
	Store       *store.Store
	SessionKeys [][]byte // secrets are sealed under keys derived from them
	Allow       []netip.Prefix
	Proxied     bool                                                         // a proxy decides which names may be reached
	Lookup      func(ctx context.Context, host string) ([]netip.Addr, error) // nil: by the system's resolver
	Wake        func()                                                       // called when there is an event to send; nil: another process sends it
	Wait        func(ctx context.Context, d time.Duration)                   // nil: waits
}

// Hooks adds, changes and removes webhooks, for pages, API and commands. It is safe for concurrent use.
type Hooks struct {
	c    Config
	seal app.Sealer
}

// New returns a Hooks.
func New(c Config) (*Hooks, error) {
	seal, err := app.NewSealer(c.SessionKeys, sealedFor)
	if err != nil {
		return nil, err
	}
	if c.Lookup == nil {
		c.Lookup = func(ctx context.Context, host string) ([]netip.Addr, error) {
			return net.DefaultResolver.LookupNetIP(ctx, "ip", host)
		}
	}
	if c.Wake == nil {
		c.Wake = func() {}
	}
	if c.Wait == nil {
		c.Wait = wait
	}
	return &Hooks{c, seal}, nil
}

// Add adds a hook and returns it with its secret, which is not shown again. It returns a *notifier.InvalidError for a name in use, an
// unknown event, and an address that may not be reached. Once it returns, every instance stores events for the hook.
func (s *Hooks) Add(ctx context.Context, by notifier.Actor, h notifier.Hook) (added notifier.Hook, secret string, err error) {
	if err := h.Check(); err != nil {
		return added, "", err
	}
	if code := s.fault(ctx, h.URL); code != "" {
		var bad notifier.InvalidError
		bad.Add("url", code, nil)
		return added, "", &bad
	}
	secret, sealed, err := s.newSecret(h.Name)
	if err != nil {
		return added, "", err
	}
	added, err = s.c.Store.AddHook(ctx, by, h, sealed)
	if err != nil {
		return added, "", err
	}
	s.c.Wait(ctx, store.HooksKnown)
	return added, secret, nil
}

// Rotate gives a hook a new secret and returns it. For notifier.HookOverlap events are signed with the one before, too. It returns
// notifier.ErrNotFound for an unknown hook.
func (s *Hooks) Rotate(ctx context.Context, by notifier.Actor, id int64) (h notifier.Hook, secret string, err error) {
	if h, err = s.c.Store.Hook(ctx, id); err != nil {
		return h, "", err
	}
	secret, sealed, err := s.newSecret(h.Name)
	if err != nil {
		return h, "", err
	}
	h, err = s.c.Store.RotateHook(ctx, by, id, sealed)
	return h, secret, err
}

// Remove deletes a hook and its events, and returns it. It returns notifier.ErrNotFound for an unknown hook.
func (s *Hooks) Remove(ctx context.Context, by notifier.Actor, id int64) (notifier.Hook, error) {
	return s.c.Store.RemoveHook(ctx, by, id)
}

// SwitchOn makes a hook that was switched off receive events again, and those that it has not received. It returns notifier.ErrNotFound
// for an unknown hook.
func (s *Hooks) SwitchOn(ctx context.Context, by notifier.Actor, id int64) (notifier.Hook, error) {
	h, err := s.c.Store.SwitchHookOn(ctx, by, id)
	s.c.Wake()
	return h, err
}

// Test sends an event of type test to a hook, and returns it before it is sent. It returns notifier.ErrNotFound for an unknown hook.
func (s *Hooks) Test(ctx context.Context, by notifier.Actor, id int64) (notifier.HookEvent, error) {
	e, err := s.c.Store.AddTestEvent(ctx, by, id)
	s.c.Wake()
	return e, err
}

// Replay sends an event of a hook again, with the same webhook-id and the same bytes. n is its number. It returns notifier.ErrNotFound unless the
// hook has it.
func (s *Hooks) Replay(ctx context.Context, by notifier.Actor, id, n int64) error {
	err := s.c.Store.ReplayEvent(ctx, by, id, n)
	s.c.Wake()
	return err
}

// newSecret returns a secret, and the form in which it is stored with the hook of this name.
func (s *Hooks) newSecret(name string) (secret string, sealed []byte, err error) {
	var b [secretBytes]byte
	_, _ = rand.Read(b[:]) // never fails
	secret = secretPrefix + base64.StdEncoding.EncodeToString(b[:])
	sealed, err = s.seal.Seal([]byte(secret), name)
	return secret, sealed, err
}

// fault returns why an address that is well formed may not be reached, as the code of a fault; empty: it may. A name that cannot be
// resolved now may be: each connection checks it again.
func (s *Hooks) fault(ctx context.Context, address string) (code string) {
	u, err := url.Parse(address)
	if err != nil {
		return notifier.CodeBadHookURL
	}
	plain := u.Scheme == "http"
	addrs := s.addresses(ctx, u.Hostname(), plain)
	dialer := outbound.Dialer{Allow: s.c.Allow, Only: plain}
	for _, addr := range addrs {
		switch {
		case dialer.Allowed(addr):
		case plain:
			return notifier.CodePlainHook
		default:
			return notifier.CodePrivateHook
		}
	}
	if plain && len(addrs) == 0 {
		return notifier.CodePlainHook
	}
	return ""
}

// addresses returns the addresses of a host, as far as they are known.
func (s *Hooks) addresses(ctx context.Context, host string, plain bool) []netip.Addr {
	if addr, err := netip.ParseAddr(host); err == nil {
		return []netip.Addr{addr}
	}
	if s.c.Proxied && !plain {
		return nil
	}
	ctx, cancel := context.WithTimeout(ctx, lookupWait)
	defer cancel()
	addrs, _ := s.c.Lookup(ctx, host) // a name that cannot be resolved has none
	return addrs
}

// wait waits, unless ctx ends first.
func wait(ctx context.Context, d time.Duration) {
	t := time.NewTimer(d)
	defer t.Stop()
	select {
	case <-t.C:
	case <-ctx.Done():
	}
}
