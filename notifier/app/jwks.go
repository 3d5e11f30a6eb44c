package app

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"io"
	"log/slog"
	"net/http"
	"slices"
	"sync"
	"time"

	"github.com/carillonhq/carillon/internal/outbound"
	"github.com/carillonhq/carillon/notifier"
)

const (
	fetchTimeout = 5 * time.Second
	maxSet       = 64 << 10         // bytes
	setLife      = 10 * time.Minute // a set is fetched again after this
	oldLife      = time.Hour        // a set this old is used only after an attempt to fetch it again
	fetchAgain   = time.Minute      // a set is not fetched again within this, whatever keys the tokens name
	fetchWait    = 3 * time.Second  // how long a request waits for a set that may contain its key
)

// jwks fetches and caches the key sets (RFC 7517) of apps.
type jwks struct {
	client *http.Client
	now    func() time.Time
	log    *slog.Logger

	mu   sync.Mutex
	sets map[int64]*keySet // by app
}

// keySet is the set of one app. Its lock is never held during a fetch, so a known key is found at once, regardless of
// other requests and of how slow the host is. Unknown keys are not stored.
type keySet struct {
	mu       sync.Mutex
	url      string
	keys     map[string][]verifyKey // by kid; nil: never fetched
	tried    time.Time              // the last fetch began
	fetched  time.Time              // when keys were fetched
	failed   bool                   // whether the last fetch failed
	fetching chan struct{}          // closed when the running fetch ends; nil: there is none
}

// find returns the key of an app with this name and algorithm; see keySet.key. It returns the zero key if the set has
// none, and notifier.ErrUnavailable if the set was never fetched. An unknown name causes another fetch, at most one a
// minute and one at a time; the last good set is kept. Only requests for unknown keys wait, at most fetchWait.
func (j *jwks) find(ctx context.Context, a *notifier.App, kid, alg string) (verifyKey, error) {
	set := j.set(a)
	set.mu.Lock()
	_, found := set.key(kid, alg)
	now := j.now()
	age := now.Sub(set.fetched)
	if due := !found || age >= setLife; due && set.fetching == nil && (set.tried.IsZero() || now.Sub(set.tried) >= fetchAgain) {
		set.tried, set.fetching = now, make(chan struct{})
		go j.refresh(context.WithoutCancel(ctx), a, set)
	}
	fetching := set.fetching
	set.mu.Unlock()
	if fetching != nil && (!found || age >= oldLife && !set.hasFailed()) {
		wait := time.NewTimer(fetchWait)
		defer wait.Stop()
		select {
		case <-fetching:
		case <-wait.C:
		case <-ctx.Done():
		}
	}
	set.mu.Lock()
	defer set.mu.Unlock()
	if set.keys == nil {
		return verifyKey{}, fmt.Errorf("the keys of %s: %w", a.Name, notifier.ErrUnavailable)
	}
	key, found := set.key(kid, alg)
	if !found {
		return verifyKey{}, nil
	}
	key.app = a
	return key, nil
}

// refresh fetches a set and ends the running fetch.
func (j *jwks) refresh(ctx context.Context, a *notifier.App, set *keySet) {
	keys, err := j.fetch(ctx, a)
	if err != nil {
		attrs := []any{"app", a.Name, "url", a.JWKS, "err", err}
		if errors.Is(err, outbound.ErrPrivate) {
			attrs = append(attrs, "cure", "allow its network with --outbound-allow")
		}
		j.log.WarnContext(ctx, "could not fetch the keys of an app", attrs...)
	}
	set.mu.Lock()
	defer set.mu.Unlock()
	if set.failed = err != nil; err == nil {
		set.keys, set.fetched = keys, j.now()
	}
	close(set.fetching)
	set.fetching = nil
}

func (s *keySet) hasFailed() bool {
	s.mu.Lock()
	defer s.mu.Unlock()
	return s.failed
}

func (j *jwks) set(a *notifier.App) *keySet {
	j.mu.Lock()
	defer j.mu.Unlock()
	set := j.sets[a.ID]
	if set == nil || set.url != a.JWKS {
		set = &keySet{url: a.JWKS}
		j.sets[a.ID] = set // at most one for each app that was ever added
	}
	return set
}

// key returns the key with this name and algorithm: providers give keys of several algorithms the same name. For a
// token without a name it returns the only key of the algorithm.
func (s *keySet) key(kid, alg string) (found verifyKey, ok bool) {
	n := 0
	for name, keys := range s.keys {
		if kid != "" && name != kid {
			continue
		}
		for _, k := range keys {
			if string(k.alg) == alg {
				found = k
				n++
			}
		}
	}
	if kid != "" {
		return found, n > 0
	}
	return found, n == 1
}

// KeySet is the state of the JWKS of one app, for an operator.
type KeySet struct {
	App  string
	URL  string
	Keys int   // that can verify tokens
	Err  error // why it cannot be fetched; wraps outbound.ErrPrivate for an address that is not allowed
}

// KeySets fetches the JWKS of every valid app that has one, in the order of their names.
func (v *Verifier) KeySets(ctx context.Context) ([]KeySet, error) {
	apps, err := v.cache.get(ctx)
	if err != nil {
		return nil, err
	}
	var sets []KeySet
	for _, a := range apps.apps {
		if a.JWKS == "" {
			continue
		}
		set := KeySet{App: a.Name, URL: a.JWKS}
		keys, err := v.sets.fetch(ctx, a)
		for _, named := range keys {
			set.Keys += len(named)
		}
		set.Err = err
		sets = append(sets, set)
	}
	slices.SortFunc(sets, func(a, b KeySet) int { return cmp.Compare(a.App, b.App) })
	return sets, nil
}

var errSet = errors.New("not a set of keys")

// fetch returns the keys of a set that can verify tokens. Others, such as secrets and keys for
// encryption, are ignored.
func (j *jwks) fetch(ctx context.Context, a *notifier.App) (map[string][]verifyKey, error) {
	ctx, cancel := context.WithTimeout(ctx, fetchTimeout)
	defer cancel()
	req, err := http.NewRequestWithContext(ctx, http.MethodGet, a.JWKS, nil)
	if err != nil {
		return nil, err
	}
	req.Header.Set("Accept", "application/json")
	answer, err := j.client.Do(req)
	if err != nil {
		return nil, err
	}
	defer answer.Body.Close()
	if answer.StatusCode != http.StatusOK {
		return nil, fmt.Errorf("%w: status %d", errSet, answer.StatusCode)
	}
	text, err := io.ReadAll(io.LimitReader(answer.Body, maxSet+1))
	if err != nil {
		return nil, err
	}
	if len(text) > maxSet {
		return nil, fmt.Errorf("%w: more than %d bytes", errSet, maxSet)
	}
	return parseSet(text)
}

var errRedirect = errors.New("the keys of an app redirect to an address without https")

// onlyHTTPS follows a few redirects, all of them to https.
func onlyHTTPS(req *http.Request, via []*http.Request) error {
	if req.URL.Scheme != "https" || len(via) > 3 {
		return errRedirect
	}
	return nil
}
