package api

import (
	"context"
	"errors"
	"sync"
	"time"

	"github.com/carillonhq/carillon/notifier"
)

const (
	rememberFor = 3 * time.Second // how long an outdated entry may be used after a user was deleted or changed
	maxKnown    = 50_000          // users in one half of the cache
)

// knownUser holds the data of a user that calls need.
type knownUser struct {
	notifier.Reader
	locale string
}

// known caches users by name, so that a poll needs no SQL query. It has two halves: new
// entries go into the fresh half, which becomes the old half after half of rememberFor; the
// previous old half is then dropped. Unknown names are not cached, because such a user may be
// created at any moment.
type known struct {
	users interface {
		UserByName(ctx context.Context, name string) (notifier.User, error)
	}
	now func() time.Time

	mu        sync.RWMutex
	fresh     map[string]knownUser
	old       map[string]knownUser
	turned    time.Time // when fresh was started
	forgotten uint64    // number of calls of forget
}

// serve calls do for the user with this name, or returns notifier.ErrNotFound. If do does not
// find a cached user, another instance may have deleted and created them again: then do is
// called for the user who has the name now.
func (k *known) serve(ctx context.Context, name string, do func(who knownUser) error) error {
	who, held, forgotten := k.remembered(name, k.now())
	if !held {
		var err error
		if who, err = k.ask(ctx, name, forgotten); err != nil {
			return err
		}
	}
	err := do(who)
	if !held || !errors.Is(err, notifier.ErrNotFound) {
		return err
	}
	now, gone := k.ask(ctx, name, forgotten)
	switch {
	case gone != nil:
		return gone
	case now.Seq == who.Seq:
		return err
	}
	return do(now)
}

// ask reads a user from the directory and caches the result.
func (k *known) ask(ctx context.Context, name string, forgotten uint64) (knownUser, error) {
	u, err := k.users.UserByName(ctx, name)
	if err != nil {
		return knownUser{}, err
	}
	p := knownUser{Reader: notifier.Reader{Seq: u.Seq, Audience: u.Audience}, locale: u.Locale}
	k.learn(name, p, forgotten, k.now())
	return p, nil
}

func (k *known) remembered(name string, now time.Time) (p knownUser, ok bool, forgotten uint64) {
	k.mu.RLock()
	defer k.mu.RUnlock()
	age := now.Sub(k.turned)
	if age < rememberFor {
		p, ok = k.fresh[name]
	}
	if !ok && age < rememberFor/2 {
		p, ok = k.old[name]
	}
	return p, ok, k.forgotten
}

// learn caches a user, unless forget was called since the lookup began: it may have been for
// this user.
func (k *known) learn(name string, p knownUser, forgotten uint64, now time.Time) {
	k.mu.Lock()
	defer k.mu.Unlock()
	if forgotten != k.forgotten {
		return
	}
	age := now.Sub(k.turned)
	switch {
	case age >= rememberFor:
		k.fresh, k.old, k.turned = map[string]knownUser{}, nil, now
	case age >= rememberFor/2:
		k.fresh, k.old, k.turned = map[string]knownUser{}, k.fresh, k.turned.Add(rememberFor/2)
	case len(k.fresh) >= maxKnown:
		k.fresh, k.old, k.turned = map[string]knownUser{}, k.fresh, now
	}
	k.fresh[name] = p
}

// forget removes a user from the cache, so that the next call reads them again.
func (k *known) forget(name string) {
	k.mu.Lock()
	defer k.mu.Unlock()
	delete(k.fresh, name)
	delete(k.old, name)
	k.forgotten++
}
