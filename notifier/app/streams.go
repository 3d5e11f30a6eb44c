package app

import (
	"context"
	"time"

	"github.com/carillonhq/carillon/internal/session"
	"github.com/carillonhq/carillon/notifier"
	"github.com/carillonhq/carillon/store"
)

// Streams decides which event streams continue, whether opened by a session or by a token.
type Streams struct {
	Sessions *session.Sessions
	Users    *store.Store
	Verifier *Verifier
}

// Alive returns which of these ids (sessions, and texts of notifier.TokenSession) are still valid, with the audiences
// of their users.
func (s Streams) Alive(ctx context.Context, ids []string) (map[string]notifier.Audience, error) {
	var browsers, names []string
	var tokens []notifier.TokenSession
	for _, id := range ids {
		if t, ok := notifier.ParseTokenSession(id); ok {
			names, tokens = append(names, id), append(tokens, t)
		} else {
			browsers = append(browsers, id)
		}
	}
	alive := map[string]notifier.Audience{}
	if len(browsers) > 0 {
		var err error
		if alive, err = s.Sessions.Alive(ctx, browsers); err != nil {
			return nil, err
		}
	}
	if len(tokens) == 0 {
		return alive, nil
	}
	apps, err := s.Verifier.cache.get(ctx)
	if err != nil {
		return nil, err
	}
	audiences, err := s.Users.LiveTokens(ctx, tokens)
	if err != nil {
		return nil, err
	}
	for i, t := range tokens {
		if audiences[i] != 0 && apps.valid(t.App, t.Key) {
			alive[names[i]] = audiences[i]
		}
	}
	return alive, nil
}

// Watch calls recheck, until ctx ends, whenever an app or a key has been revoked since the last check,
// with a function that reports whether a session depends on one of them. Watch checks every 2 seconds.
func (v *Verifier) Watch(ctx context.Context, recheck func(affected func(session string) bool)) error {
	t := time.NewTicker(freshFor)
	defer t.Stop()
	var last *snapshot
	for {
		select {
		case <-ctx.Done():
			return nil
		case <-t.C:
		}
		now, err := v.cache.get(ctx)
		if err != nil {
			continue // an outage of SQL signs no user out
		}
		if last == nil || last != now && last.lacksIn(now) {
			recheck(func(session string) bool {
				t, ok := notifier.ParseTokenSession(session)
				return ok && !now.valid(t.App, t.Key)
			})
		}
		last = now
	}
}

// valid reports whether an app (0: a proxy) and its key (0: one of its JWKS) have not been revoked.
func (s *snapshot) valid(app, key int64) bool {
	if app == 0 {
		return true
	}
	if s.apps[app] == nil {
		return false
	}
	_, has := s.keys[key]
	return has || key == 0
}

// lacksIn reports whether an app or a key of s is missing from a later snapshot.
func (s *snapshot) lacksIn(later *snapshot) bool {
	for id := range s.apps {
		if later.apps[id] == nil {
			return true
		}
	}
	for id := range s.keys {
		if _, has := later.keys[id]; !has {
			return true
		}
	}
	return false
}
