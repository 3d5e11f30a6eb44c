package api

import (
	"context"
	"errors"
	"slices"
	"strconv"
	"testing"
	"time"

	"github.com/carillonhq/carillon/notifier"
)

// asked is a directory that counts its calls.
type asked struct {
	users map[string]int64
	n     int
	while func() // runs during a lookup
}

func (a *asked) UserByName(_ context.Context, name string) (notifier.User, error) {
	a.n++
	seq, ok := a.users[name]
	if a.while != nil {
		a.while()
	}
	if !ok {
		return notifier.User{}, notifier.ErrNotFound
	}
	return notifier.User{Seq: seq, Name: name, Audience: 2, Settings: notifier.Settings{Locale: "ja"}}, nil
}

// wristwatch shows a time that a test moves.
type wristwatch struct{ at time.Time }

func (w *wristwatch) now() time.Time          { return w.at }
func (w *wristwatch) advance(d time.Duration) { w.at = w.at.Add(d) }

func newKnown() (*known, *asked, *wristwatch) {
	a, c := &asked{users: map[string]int64{"alice": 1}}, &wristwatch{time.UnixMilli(1_700_000_000_000)}
	return &known{users: a, now: c.now}, a, c
}

// find returns the user that is passed to do.
func (k *known) find(ctx context.Context, name string) (p knownUser, err error) {
	err = k.serve(ctx, name, func(who knownUser) error {
		p = who
		return nil
	})
	return p, err
}

func TestACachedUserWhoIsNotFoundIsLookedUpOnceMore(t *testing.T) {
	t.Parallel()
	k, a, _ := newKnown()
	var served []int64
	only := func(seq int64) func(knownUser) error {
		return func(who knownUser) error {
			if served = append(served, who.Seq); who.Seq != seq {
				return notifier.ErrNotFound
			}
			return nil
		}
	}
	for _, step := range []struct {
		is, there int64 // the user with the name, and the user with an inbox
		err       error
		served    []int64
		asked     int
	}{
		{1, 1, nil, []int64{1}, 1},
		{1, 1, nil, []int64{1}, 1},
		{2, 2, nil, []int64{1, 2}, 2},
		{2, 2, nil, []int64{2}, 2},
		{2, 3, notifier.ErrNotFound, []int64{2}, 3}, // one more lookup, and no further ones
		{0, 3, notifier.ErrNotFound, []int64{2}, 4},
	} {
		if a.users["alice"] = step.is; step.is == 0 {
			delete(a.users, "alice")
		}
		served = nil
		if err := k.serve(t.Context(), "alice", only(step.there)); !errors.Is(err, step.err) || !slices.Equal(served, step.served) || a.n != step.asked {
			t.Errorf("%+v: %v, served %v, asked %d times", step, err, served, a.n)
		}
	}
}

func TestACachedUserIsNotLookedUpAgain(t *testing.T) {
	t.Parallel()
	k, a, _ := newKnown()
	for range 3 {
		p, err := k.find(t.Context(), "alice")
		if err != nil || p.Seq != 1 || p.Audience != 2 || p.locale != "ja" {
			t.Fatalf("%+v, %v", p, err)
		}
	}
	if a.n != 1 {
		t.Errorf("asked %d times", a.n)
	}
}

func TestADeletedUserIsNotCachedForLong(t *testing.T) {
	t.Parallel()
	// Lookups of other users keep turning the cache, at any pace.
	for _, pace := range []time.Duration{100 * time.Millisecond, rememberFor / 2, rememberFor - time.Millisecond, 2 * rememberFor} {
		for _, late := range []time.Duration{0, time.Second, rememberFor/2 - time.Millisecond, rememberFor / 2, rememberFor - time.Millisecond} {
			k, a, c := newKnown()
			_, _ = k.find(t.Context(), "nobody")
			a.users["first"] = 2
			_, _ = k.find(t.Context(), "first")
			c.advance(late)
			if _, err := k.find(t.Context(), "alice"); err != nil {
				t.Fatal(err)
			}
			delete(a.users, "alice")
			end := c.now().Add(rememberFor)
			for i := 0; c.now().Before(end); i++ {
				name := strconv.Itoa(i)
				a.users[name] = int64(10 + i)
				_, _ = k.find(t.Context(), name)
				c.advance(min(pace, end.Sub(c.now())))
			}
			if _, err := k.find(t.Context(), "alice"); !errors.Is(err, notifier.ErrNotFound) {
				t.Errorf("others every %v, cached after %v: %v", pace, late, err)
			}
		}
	}
}

func TestAForgottenUserIsLookedUpAtOnce(t *testing.T) {
	t.Parallel()
	k, a, c := newKnown()
	_, _ = k.find(t.Context(), "alice")
	c.advance(rememberFor / 2)
	a.users["bob"] = 2
	_, _ = k.find(t.Context(), "bob") // now alice is in the old half
	a.users = map[string]int64{}
	for _, name := range []string{"alice", "bob"} {
		k.forget(name)
		if _, err := k.find(t.Context(), name); !errors.Is(err, notifier.ErrNotFound) {
			t.Errorf("%s: %v", name, err)
		}
	}
}

func TestAUserForgottenDuringTheLookupIsNotCached(t *testing.T) {
	t.Parallel()
	k, a, _ := newKnown()
	a.while = func() { k.forget("alice") }
	if p, err := k.find(t.Context(), "alice"); err != nil || p.Seq != 1 {
		t.Fatalf("%+v, %v", p, err)
	}
	a.while = nil
	a.users["alice"] = 2 // deleted and created again
	if p, err := k.find(t.Context(), "alice"); err != nil || p.Seq != 2 {
		t.Errorf("%+v, %v", p, err)
	}
}

func TestUnknownNamesAreNotCached(t *testing.T) {
	t.Parallel()
	k, a, _ := newKnown()
	if _, err := k.find(t.Context(), "bob"); !errors.Is(err, notifier.ErrNotFound) {
		t.Fatal(err)
	}
	a.users["bob"] = 2
	if p, err := k.find(t.Context(), "bob"); err != nil || p.Seq != 2 {
		t.Errorf("%+v, %v", p, err)
	}
}

func TestTheUserCacheIsBounded(t *testing.T) {
	t.Parallel()
	k, a, _ := newKnown()
	for i := range 3 * maxKnown {
		name := strconv.Itoa(i)
		a.users[name] = int64(i + 1)
		_, _ = k.find(t.Context(), name)
	}
	if n := len(k.fresh) + len(k.old); n > 2*maxKnown {
		t.Errorf("%d users are cached", n)
	}
}
