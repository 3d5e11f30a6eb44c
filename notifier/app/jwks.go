package app

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"log/slog"
	"net/http"
	"sync"
	"time"

	"github.com/go-jose/go-jose/v4"

	"github.com/carillonhq/carillon/notifier"
)

const (
	fetchTimeout = 5 * time.Second
	maxSet       = 64 << 10         // bytes
	setLife      = 10 * time.Minute // a set is fetched again after this
	askAgain     = time.Minute      // a set is not fetched again within this, whatever keys are asked for
)

// jwks fetches and caches the key sets (RFC 7517) of apps.
type jwks struct {
	client *http.Client
	now    func() time.Time
	log    *slog.Logger

	mu   sync.Mutex
	sets map[int64]*keySet // by app
}

// keySet is the set of one app. Its lock is held while the set is fetched, so that each set is
// fetched once at a time and an unreachable host delays only its own app.
type keySet struct {
	mu    sync.Mutex
	url   string
	keys  map[string]verifyKey // by kid; nil: never fetched
	asked time.Time
	taken time.Time
}

// find returns the key of an app with this name, or without a name if the set has only one. It
// returns the zero key if the set has none, and notifier.ErrUnavailable if the set was never fetched.
// An unknown name fetches the set again, at most once a minute; the last good set stays.
func (j *jwks) find(ctx context.Context, a *notifier.App, kid string) (verifyKey, error) {
	set := j.set(a)
	set.mu.Lock()
	defer set.mu.Unlock()
	key, found := set.key(kid)
	now := j.now()
	due := !found || now.Sub(set.taken) >= setLife
	if due && (set.asked.IsZero() || now.Sub(set.asked) >= askAgain) {
		set.asked = now
		keys, err := j.fetch(ctx, a)
		if err != nil {
			j.log.WarnContext(ctx, "could not fetch the keys of an app", "app", a.Name, "url", a.JWKS, "err", err)
		} else {
			set.keys, set.taken = keys, now
		}
		key, _ = set.key(kid)
	}
	if set.keys == nil {
		return verifyKey{}, fmt.Errorf("the keys of %s: %w", a.Name, notifier.ErrUnavailable)
	}
	key.app = a
	if key.key == nil {
		return verifyKey{}, nil
	}
	return key, nil
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

func (s *keySet) key(kid string) (verifyKey, bool) {
	if kid == "" && len(s.keys) == 1 {
		for _, only := range s.keys {
			return only, true
		}
	}
	key, found := s.keys[kid]
	return key, found
}

var errSet = errors.New("not a set of keys")

// fetch returns the keys of a set that can verify tokens. Others, such as secrets and keys for
// encryption, are ignored.
func (j *jwks) fetch(ctx context.Context, a *notifier.App) (map[string]verifyKey, error) {
	ctx, cancel := context.WithTimeout(context.WithoutCancel(ctx), fetchTimeout) // others wait for it too
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

func parseSet(text []byte) (map[string]verifyKey, error) {
	var raw struct {
		Keys []json.RawMessage `json:"keys"`
	}
	if err := json.Unmarshal(text, &raw); err != nil || raw.Keys == nil {
		return nil, errSet
	}
	keys := map[string]verifyKey{}
	for _, text := range raw.Keys {
		var k jose.JSONWebKey
		if k.UnmarshalJSON(text) != nil || k.Use != "" && k.Use != "sig" || !k.IsPublic() {
			continue
		}
		alg, ok := algOf(k.Key)
		if ok && (k.Algorithm == "" || k.Algorithm == string(alg)) {
			keys[k.KeyID] = verifyKey{alg: alg, key: k.Key}
		}
	}
	if len(keys) == 0 {
		return nil, fmt.Errorf("%w that can verify tokens", errSet)
	}
	return keys, nil
}

var errRedirect = errors.New("the keys of an app redirect to an address without https")

// onlyHTTPS follows a few redirects, all of them to https.
func onlyHTTPS(req *http.Request, via []*http.Request) error {
	if req.URL.Scheme != "https" || len(via) > 3 {
		return errRedirect
	}
	return nil
}
