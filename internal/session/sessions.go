// Package session authenticates requests. SQL stores the sessions; Redis keeps a copy of each for at most a minute,
// so that a page needs one GET to authenticate, and sessions keep working while Redis is unavailable. The cookie
// contains a signed random number and nothing else; SQL and Redis contain only the SHA-256 of that number.
package session

import (
	"cmp"
	"context"
	"fmt"
	"iter"
	"log/slog"
	"net/http"
	"time"

	"github.com/redis/go-redis/v9"

	"github.com/carillonhq/carillon/internal/batch"
	"github.com/carillonhq/carillon/internal/lease"
	"github.com/carillonhq/carillon/notifier"
	"github.com/carillonhq/carillon/notifier/keys"
	"github.com/carillonhq/carillon/store"
)

const (
	maxAge     = 30 * 24 * time.Hour // from sign-in, even if in use
	maxIdle    = 12 * time.Hour      // without a request
	pushLife   = 90 * 24 * time.Hour // of a device, without a visit or an accepted message
	seenEvery  = 5 * time.Minute     // last-seen is not written more often
	purgeEvery = time.Hour
	// maxLive is the maximum number of sessions of a user; one more sign-in ends the session seen longest ago.
	maxLive = 50
	// maxCarried is the maximum number of sessions signed by us that are read for one request.
	maxCarried   = 8
	publishEvery = time.Second
	// perLoad is the maximum number of sessions that one query reads, and loadLimit the time it may take.
	perLoad   = 100
	loadLimit = 10 * time.Second
)

// Config configures Sessions. The Redis client must have ContextTimeoutEnabled.
type Config struct {
	Keys          [][]byte // 32 random bytes each: the first signs, all verify
	SQL           *store.Store
	Redis         redis.UniversalClient // may be nil or unavailable
	Space         keys.Space
	Announcements Announcements // nil: moved users are left to an instance that has them
	Lease         lease.Lease   // held by the instance that does the work of Run; default lease.Always
	Place         Place
	Now           func() time.Time // nil: time.Now
	Log           *slog.Logger     // nil: silent
}

// Signed is the signed-in user of a request.
type Signed = notifier.Signed

// Sessions manages sessions. Requests read and save theirs through gorilla's sessions.Store, which it
// implements. It is safe for concurrent use.
type Sessions struct {
	cookie        cookie
	sql           *store.Store
	cache         *cache
	loads         *batch.Queue[*loading]
	announcements Announcements
	lease         lease.Lease
	seen          sightings
	purged        time.Time // by Run, last
	now           func() time.Time
	log           *slog.Logger
}

// New returns the sessions. Without a key no user can sign in.
func New(cfg Config) *Sessions {
	if cfg.Now == nil {
		cfg.Now = time.Now
	}
	if cfg.Log == nil {
		cfg.Log = slog.New(slog.DiscardHandler)
	}
	s := &Sessions{
		cookie: newCookie(plainName, cfg.Keys, cfg.Place, maxAge), sql: cfg.SQL, announcements: cfg.Announcements, lease: cfg.Lease, now: cfg.Now, log: cfg.Log,
		cache: newCache(cfg.Redis, cfg.Now, cfg.Space),
	}
	s.loads = batch.New(batch.Options[*loading]{Call: s.loadAll, Most: perLoad, Limit: loadLimit})
	return s
}

// current returns the signed-in user of r.
func (s *Sessions) current(r *http.Request) (Signed, bool, error) {
	for id := range s.carried(r) {
		if signed, ok, err := s.find(r.Context(), id); ok || err != nil {
			return signed, ok, err
		}
	}
	return Signed{}, false, nil
}

// carried returns the ids of the sessions whose cookies r carries, usually one. A neighboring host may have planted a
// cookie of another, ended session.
func (s *Sessions) carried(r *http.Request) iter.Seq[string] {
	return func(yield func(string) bool) {
		n := 0
		for raw := range s.cookie.read(r) {
			if n++; n > maxCarried || !yield(hash(raw)) {
				return
			}
		}
	}
}

// find returns the user of a session.
func (s *Sessions) find(ctx context.Context, id string) (Signed, bool, error) {
	signed, found := s.cache.get(ctx, id)
	switch {
	case found && signed.ID == "": // ended
		return Signed{}, false, nil
	case found && s.now().Before(endOf(signed)):
		return signed, true, nil
	}
	return s.load(ctx, id)
}

// endOf returns the latest time at which a session ends.
func endOf(s Signed) time.Time {
	end := s.Since.Add(maxAge)
	if s.By != nil && s.By.Until.Before(end) {
		return s.By.Until
	}
	return end
}

// IDToken returns the ID token with which the user of a session signs out at their identity provider; empty: they
// signed in here.
func (s *Sessions) IDToken(ctx context.Context, id string) (string, error) {
	return s.sql.IDToken(ctx, id)
}

// signIn begins a session for a user, sets its cookie and returns its id. The id is always new, and the session that
// r carried is ended: devices of the same user continue in the new one. If the user has more than 50 sessions, the
// one seen longest ago is ended too.
func (s *Sessions) signIn(w http.ResponseWriter, r *http.Request, who Signed) (id string, err error) {
	user := who.User
	value, id, err := s.cookie.issue()
	if err != nil {
		return "", fmt.Errorf("sign in user %d: %w", user.Seq, err)
	}
	ctx := r.Context()
	who.Agent = notifier.CleanAgent(r.UserAgent())
	if err := s.sql.CreateSession(ctx, id, who, s.now()); err != nil {
		return "", fmt.Errorf("sign in user %d: %w", user.Seq, err)
	}
	for old := range s.carried(r) {
		ended, err := s.sql.ReplaceSession(ctx, old, id, user.Seq)
		if err != nil {
			return "", fmt.Errorf("sign in user %d: %w", user.Seq, err)
		}
		s.PublishEnded(ctx, ended)
	}
	ended, err := s.sql.EndOldest(ctx, user.Seq, maxLive)
	if err != nil {
		return "", fmt.Errorf("sign in user %d: %w", user.Seq, err)
	}
	s.PublishEnded(ctx, ended)
	s.cookie.set(w, value)
	return id, nil
}

// OwnSessions lists the valid sessions of a user, last seen first.
func (s *Sessions) OwnSessions(ctx context.Context, seq int64) ([]notifier.OwnSession, error) {
	return s.sql.OwnSessions(ctx, seq, s.valid())
}

// Fresh returns a new id for a session that continues, and the cookie with which its browser carries it.
func (s *Sessions) Fresh() (cookie *http.Cookie, id string, err error) {
	value, id, err := s.cookie.issue()
	if err != nil {
		return nil, "", err
	}
	return s.cookie.with(value), id, nil
}

// Alive returns which of these sessions (Signed.ID) are still valid, with the current audience of their users.
func (s *Sessions) Alive(ctx context.Context, ids []string) (map[string]notifier.Audience, error) {
	live, err := s.sql.LiveSessions(ctx, ids, s.valid())
	if err != nil {
		return nil, fmt.Errorf("check %d sessions: %w", len(ids), err)
	}
	return live, nil
}

// purge deletes expired sessions, and devices that are no longer used, from SQL.
func (s *Sessions) purge(ctx context.Context) {
	if _, err := s.sql.PurgeSessions(ctx, s.valid()); err != nil && ctx.Err() == nil {
		s.log.WarnContext(ctx, "could not delete expired sessions", slog.Any("err", err))
	}
	if _, err := s.sql.PurgeDevices(ctx, s.now().Add(-pushLife)); err != nil && ctx.Err() == nil {
		s.log.WarnContext(ctx, "could not delete devices that are no longer used", slog.Any("err", err))
	}
}

// load reads a session from SQL and stores a copy in Redis. A session in use is loaded once a minute, so this is also
// where its last-seen time is recorded.
func (s *Sessions) load(ctx context.Context, id string) (Signed, bool, error) {
	read := s.now()
	one := &loading{id: id}
	if err := cmp.Or(s.loads.Do(ctx, one), one.err); err != nil {
		return Signed{}, false, fmt.Errorf("load a session: %w", err)
	}
	if one.found == nil {
		return Signed{}, false, nil
	}
	signed := one.found.Signed
	signed.Read = read
	now := s.now()
	left := min(endOf(signed).Sub(now), one.found.Seen.Add(maxIdle).Sub(now))
	if left <= 0 {
		return Signed{}, false, nil
	}
	s.touch(ctx, id, one.found.Seen, now)
	s.cache.fill(ctx, signed, left)
	return signed, true, nil
}

// loading is a session to read from SQL.
type loading struct {
	id    string
	found *store.SeenSession // nil: there is none
	err   error
}

// loadAll reads the sessions of concurrent requests in one query.
func (s *Sessions) loadAll(ctx context.Context, some []*loading) {
	ids := make([]string, len(some))
	for i, one := range some {
		ids[i] = one.id
	}
	found, err := s.sql.Sessions(ctx, ids)
	for _, one := range some {
		one.found, one.err = found[one.id], err
	}
}

// valid returns the limits of a valid session.
func (s *Sessions) valid() notifier.SessionLimits {
	now := s.now()
	return notifier.SessionLimits{Since: now.Add(-maxAge), Seen: now.Add(-maxIdle), Now: now}
}
