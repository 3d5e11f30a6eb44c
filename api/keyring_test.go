package api

import (
	"bytes"
	"context"
	"errors"
	"log/slog"
	"strings"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	"github.com/carillonhq/carillon/notifier"
	"github.com/carillonhq/carillon/notifier/app"
)

// book is a keyStore that counts its calls.
type book struct {
	find  func(hash []byte) (notifier.APIKey, error)
	asked atomic.Int64

	changes atomic.Int64 // that this process has made

	mu   sync.Mutex
	used []map[int64]time.Time
}

func (b *book) KeyByHash(_ context.Context, hash []byte) (notifier.APIKey, error) {
	b.asked.Add(1)
	return b.find(hash)
}

func (b *book) TouchKeys(_ context.Context, used map[int64]time.Time) error {
	b.mu.Lock()
	defer b.mu.Unlock()
	b.used = append(b.used, used)
	return nil
}

type watch struct{ ms atomic.Int64 }

func (c *watch) now() time.Time          { return time.UnixMilli(1_700_000_000_000 + c.ms.Load()) }
func (c *watch) advance(d time.Duration) { c.ms.Add(d.Milliseconds()) }
func newRing(b *book, c *watch) *keyring {
	return &keyring{keys: b, log: slog.New(slog.DiscardHandler), now: c.now, changes: func() int64 { return b.changes.Load() }, held: map[string]*heldKey{}}
}

func TestAKeyIsCachedAndItsRevocationTakesEffectWithinSeconds(t *testing.T) {
	t.Parallel()
	token, hash := app.NewAPIKey()
	key := notifier.APIKey{ID: 7, Name: "shop"}
	b := &book{find: func(h []byte) (notifier.APIKey, error) {
		if !bytes.Equal(h, hash) {
			return notifier.APIKey{}, notifier.ErrNotFound
		}
		return key, nil
	}}
	var c watch
	ring := newRing(b, &c)
	for range 100 {
		if got, err := ring.find(t.Context(), token); err != nil || got.ID != 7 {
			t.Fatalf("%+v, %v", got, err)
		}
	}
	if n := b.asked.Load(); n != 1 {
		t.Errorf("looked up %d times", n)
	}
	key.RevokedAt = c.now()
	c.advance(5 * time.Second)
	if _, err := ring.find(t.Context(), token); !errors.Is(err, notifier.ErrUnauthenticated) {
		t.Errorf("five seconds after the revocation: %v", err)
	}
}

func TestARevocationCountsAtOnceWhereItIsMade(t *testing.T) {
	t.Parallel()
	key := notifier.APIKey{ID: 7}
	b := &book{find: func([]byte) (notifier.APIKey, error) { return key, nil }}
	ring := newRing(b, &watch{})
	token, _ := app.NewAPIKey()
	if _, err := ring.find(t.Context(), token); err != nil {
		t.Fatal(err)
	}
	key.RevokedAt = time.UnixMilli(1)
	b.changes.Add(1)
	if _, err := ring.find(t.Context(), token); !errors.Is(err, notifier.ErrUnauthenticated) {
		t.Errorf("after the revocation: %v", err)
	}
}

func TestTextsThatCannotBeKeysAreNotLookedUp(t *testing.T) {
	t.Parallel()
	b := &book{find: func([]byte) (notifier.APIKey, error) { return notifier.APIKey{}, notifier.ErrNotFound }}
	ring := newRing(b, &watch{})
	token, _ := app.NewAPIKey()
	for _, text := range []string{"", "ck_", "x", token[3:], token + "x", token[:len(token)-1], "CK_" + token[3:], strings.Repeat("a", 10_000)} {
		if _, err := ring.find(t.Context(), text); !errors.Is(err, notifier.ErrUnauthenticated) {
			t.Errorf("%.50q: %v", text, err)
		}
	}
	if n := b.asked.Load(); n != 0 {
		t.Errorf("looked up %d times", n)
	}
	if _, err := ring.find(t.Context(), token); !errors.Is(err, notifier.ErrUnauthenticated) || len(ring.held) != 0 {
		t.Errorf("an unknown key: %v, %d cached", err, len(ring.held))
	}
}

func TestWhileSQLIsUnavailableAKeyStaysValidForAFewSeconds(t *testing.T) {
	t.Parallel()
	var away atomic.Bool
	b := &book{find: func([]byte) (notifier.APIKey, error) {
		if away.Load() {
			return notifier.APIKey{}, notifier.ErrUnavailable
		}
		return notifier.APIKey{ID: 7}, nil
	}}
	var c watch
	ring := newRing(b, &c)
	token, _ := app.NewAPIKey()
	find := func() error { _, err := ring.find(t.Context(), token); return err }
	if err := find(); err != nil {
		t.Fatal(err)
	}
	away.Store(true)
	c.advance(freshFor)
	if err := find(); !errors.Is(err, notifier.ErrUnavailable) {
		t.Errorf("the caller that looks it up: %v", err)
	}
	c.advance(keyLife - freshFor)
	if err := find(); !errors.Is(err, notifier.ErrUnavailable) {
		t.Errorf("at the end of its life: %v", err)
	}
	away.Store(false)
	if err := find(); err != nil {
		t.Errorf("with SQL back: %v", err)
	}
}

// The other callers do not wait for the lookup.
func TestOnlyOneCallerLooksUpAKeyThatIsNoLongerFresh(t *testing.T) {
	t.Parallel()
	let, entered := make(chan struct{}), make(chan struct{}, 1)
	var slow atomic.Bool
	b := &book{find: func([]byte) (notifier.APIKey, error) {
		if slow.Load() {
			entered <- struct{}{}
			<-let
		}
		return notifier.APIKey{ID: 7}, nil
	}}
	var c watch
	ring := newRing(b, &c)
	token, _ := app.NewAPIKey()
	if _, err := ring.find(t.Context(), token); err != nil {
		t.Fatal(err)
	}
	c.advance(freshFor)
	slow.Store(true)
	done := make(chan error, 1)
	go func() { _, err := ring.find(context.Background(), token); done <- err }()
	<-entered
	for range 10 {
		if _, err := ring.find(t.Context(), token); err != nil {
			t.Error(err)
		}
	}
	close(let)
	if err := <-done; err != nil || b.asked.Load() != 2 {
		t.Errorf("%v, looked up %d times", err, b.asked.Load())
	}
}

func TestTheLastUseOfAKeyIsStoredOnceAMinute(t *testing.T) {
	t.Parallel()
	b := &book{find: func([]byte) (notifier.APIKey, error) { return notifier.APIKey{ID: 7}, nil }}
	var c watch
	ring := newRing(b, &c)
	token, _ := app.NewAPIKey()
	for range 130 {
		if _, err := ring.find(t.Context(), token); err != nil {
			t.Fatal(err)
		}
		c.advance(time.Second)
	}
	if len(b.used) != 3 || b.used[0][7] != time.UnixMilli(1_700_000_000_000) {
		t.Errorf("stored %d times in 130 s: %v", len(b.used), b.used)
	}
}

func TestKeysAreLongAndDiffer(t *testing.T) {
	t.Parallel()
	seen := map[string]bool{}
	for range 100 {
		token, hash := app.NewAPIKey()
		if len(token) != 46 || !strings.HasPrefix(token, "ck_") || len(hash) != 32 || seen[token] || seen[string(hash)] {
			t.Fatalf("%s, %x", token, hash)
		}
		seen[token], seen[string(hash)] = true, true
	}
}

func TestTheKeyCacheIsBounded(t *testing.T) {
	t.Parallel()
	b := &book{find: func([]byte) (notifier.APIKey, error) { return notifier.APIKey{ID: 7}, nil }}
	ring := newRing(b, &watch{})
	for range maxHeld + 10 {
		token, _ := app.NewAPIKey()
		if _, err := ring.find(t.Context(), token); err != nil {
			t.Fatal(err)
		}
	}
	if n := len(ring.held); n > maxHeld {
		t.Errorf("%d keys are cached", n)
	}
}
