package api

import (
	"context"
	"errors"
	"sync"
	"time"

	"github.com/carillonhq/carillon/notifier"
)

const (
	rememberFor = 5 * time.Second // how long a user who is gone may still be known
	maxKnown    = 50_000          // users in one half of the memory
)

// person is what calls have to know of a user.
type person struct {
	notifier.Reader
	locale string
}

// known remembers users by name, so that a poll does not ask SQL who he is. It has
// two halves: what is learnt goes into the new one, and when that has served for
// half of the time it becomes the old one, which is then forgotten. Who does not
// exist is not remembered: he may be made at any moment.
type known struct {
	users interface {
		UserByName(ctx context.Context, name string) (notifier.User, error)
	}
	now func() time.Time

	mu        sync.RWMutex
	fresh     map[string]person
	old       map[string]person
	turned    time.Time // when fresh began
	forgotten uint64    // how often somebody was forgotten
}

// serve does something for the user of this name, or answers notifier.ErrNotFound. When
// there is nothing of the one who is remembered he may have been deleted and made again,
// by another instance: then it is done for who is called so now.
func (k *known) serve(ctx context.Context, name string, do func(who person) error) error {
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

// ask asks the directory, and remembers the answer.
func (k *known) ask(ctx context.Context, name string, forgotten uint64) (person, error) {
	u, err := k.users.UserByName(ctx, name)
	if err != nil {
		return person{}, err
	}
	p := person{Reader: notifier.Reader{Seq: u.Seq, Audience: u.Audience}, locale: u.Locale}
	k.learn(name, p, forgotten, k.now())
	return p, nil
}

func (k *known) remembered(name string, now time.Time) (p person, ok bool, forgotten uint64) {
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

// learn remembers a user, unless somebody was forgotten since he was asked for: it
// may have been him.
func (k *known) learn(name string, p person, forgotten uint64, now time.Time) {
	k.mu.Lock()
	defer k.mu.Unlock()
	if forgotten != k.forgotten {
		return
	}
	age := now.Sub(k.turned)
	switch {
	case age >= rememberFor:
		k.fresh, k.old, k.turned = map[string]person{}, nil, now
	case age >= rememberFor/2:
		k.fresh, k.old, k.turned = map[string]person{}, k.fresh, k.turned.Add(rememberFor/2)
	case len(k.fresh) >= maxKnown:
		k.fresh, k.old, k.turned = map[string]person{}, k.fresh, now
	}
	k.fresh[name] = p
}

// forget has the next call ask for him.
func (k *known) forget(name string) {
	k.mu.Lock()
	defer k.mu.Unlock()
	delete(k.fresh, name)
	delete(k.old, name)
	k.forgotten++
}
