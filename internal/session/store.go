// Package session says who sends a request. SQL holds the sessions; Redis keeps
// a copy of each for at most a minute, so that a page is authenticated by one
// GET, and sessions go on without it. The cookie carries a signed random
// number and nothing else; SQL and Redis know that number's SHA-256 only.
package session

import (
	"context"
	"errors"
	"fmt"
	"log/slog"
	"net/http"
	"time"

	"github.com/redis/go-redis/v9"

	"github.com/carillonhq/carillon/notifier"
	"github.com/carillonhq/carillon/notifier/keys"
)

const (
	maxAge    = 30 * 24 * time.Hour // from sign-in, whatever happens
	maxIdle   = 12 * time.Hour      // without a request
	seenEvery = 5 * time.Minute     // last-seen is written no more often
	// touchLimit bounds the writing of last-seen: a page must not wait for
	// another process's long transaction. The next load tries again.
	touchLimit = 500 * time.Millisecond
	purgeEvery = time.Hour
)

// SQL is where sessions are kept. Ids are hashes of what the cookie holds.
type SQL interface {
	CreateSession(ctx context.Context, id string, seq int64, at time.Time) error
	// Session answers notifier.ErrNotFound for a session that has ended.
	Session(ctx context.Context, id string) (u notifier.User, since, seen time.Time, err error)
	TouchSession(ctx context.Context, id string, at time.Time) error
	EndSession(ctx context.Context, id string) error
	EndSessions(ctx context.Context, seq int64) (ids []string, err error)
	SessionsOf(ctx context.Context, seq int64) (ids []string, err error)
	// LiveSessions returns those of ids that began after since and were seen after seen.
	LiveSessions(ctx context.Context, ids []string, since, seen time.Time) ([]string, error)
	PurgeSessions(ctx context.Context, since, seen time.Time) (int64, error)
}

// Config is what a Store needs.
type Config struct {
	Keys   [][]byte // 32 random bytes each: the first signs, all verify
	SQL    SQL
	Redis  redis.UniversalClient // made with ContextTimeoutEnabled; may be away, or nil
	Space  keys.Space
	Secure bool             // the public URL is https
	Now    func() time.Time // nil: time.Now
	Log    *slog.Logger     // nil: silent
}

// Signed is who sends a request, as the session says.
type Signed = notifier.Signed

// Store keeps sessions. It is a sessions.Store of gorilla and is safe for
// concurrent use.
type Store struct {
	cookie cookie
	sql    SQL
	cache  *cache
	now    func() time.Time
	log    *slog.Logger
}

// New returns a store. Without a key nobody can sign in.
func New(cfg Config) *Store {
	if cfg.Now == nil {
		cfg.Now = time.Now
	}
	if cfg.Log == nil {
		cfg.Log = slog.New(slog.DiscardHandler)
	}
	return &Store{
		cookie: newCookie(cfg.Keys, cfg.Secure), sql: cfg.SQL, now: cfg.Now, log: cfg.Log,
		cache: &cache{redis: guard{rdb: cfg.Redis, now: cfg.Now}, space: cfg.Space},
	}
}

// Current says who sends r. Nobody does when the cookie is missing, forged,
// truncated, too long or of a session that has ended. The error is an
// notifier.ErrUnavailable: SQL is away and Redis does not know the session.
func (s *Store) Current(r *http.Request) (Signed, bool, error) {
	id, ok := s.cookie.read(r)
	if !ok {
		return Signed{}, false, nil
	}
	signed, found := s.cache.get(r.Context(), id)
	switch {
	case found && signed.ID == "": // ended
		return Signed{}, false, nil
	case found && s.now().Before(signed.Since.Add(maxAge)):
		return signed, true, nil
	}
	return s.load(r.Context(), id)
}

// SignIn begins a session of user and sets its cookie. The id is always a new
// one, and the session that r carried has ended.
func (s *Store) SignIn(w http.ResponseWriter, r *http.Request, user notifier.User) error {
	if err := s.end(r); err != nil {
		return err
	}
	value, id, err := s.cookie.issue()
	if err != nil {
		return fmt.Errorf("sign in user %d: %w", user.Seq, err)
	}
	if err := s.sql.CreateSession(r.Context(), id, user.Seq, s.now()); err != nil {
		return fmt.Errorf("sign in user %d: %w", user.Seq, err)
	}
	s.cookie.set(w, value)
	return nil
}

// SignOut ends the session that r carries and takes its cookie back. Other
// instances learn it at once, or within a minute when Redis is away.
func (s *Store) SignOut(w http.ResponseWriter, r *http.Request) error {
	if err := s.end(r); err != nil {
		return err
	}
	s.cookie.clear(w)
	return nil
}

// SignOutEverywhere ends every session of a user and takes the cookie of r back.
func (s *Store) SignOutEverywhere(ctx context.Context, w http.ResponseWriter, _ *http.Request, seq int64) error {
	if _, err := s.Expel(ctx, seq); err != nil {
		return err
	}
	s.cookie.clear(w)
	return nil
}

// Expel ends every session of a user, and says how many there were.
func (s *Store) Expel(ctx context.Context, seq int64) (int, error) {
	ids, err := s.sql.EndSessions(ctx, seq)
	if err != nil {
		return 0, fmt.Errorf("sign out user %d everywhere: %w", seq, err)
	}
	s.cache.bury(ctx, ids...)
	return len(ids), nil
}

// Refresh has every session of a user read from SQL again: something about him
// has changed. A copy that is being written meanwhile may live for its minute.
func (s *Store) Refresh(ctx context.Context, seq int64) error {
	ids, err := s.sql.SessionsOf(ctx, seq)
	if err != nil {
		return fmt.Errorf("refresh the sessions of user %d: %w", seq, err)
	}
	s.cache.drop(ctx, ids...)
	return nil
}

// Alive says which of the sessions with these ids (Signed.ID) go on.
func (s *Store) Alive(ctx context.Context, ids []string) (map[string]bool, error) {
	since, seen := s.oldest()
	live, err := s.sql.LiveSessions(ctx, ids, since, seen)
	if err != nil {
		return nil, fmt.Errorf("check %d sessions: %w", len(ids), err)
	}
	alive := make(map[string]bool, len(ids))
	for _, id := range live {
		alive[id] = true
	}
	return alive, nil
}

// Run removes what is too old from SQL, each hour until ctx ends.
func (s *Store) Run(ctx context.Context) error {
	tick := time.NewTicker(purgeEvery)
	defer tick.Stop()
	for {
		since, seen := s.oldest()
		if _, err := s.sql.PurgeSessions(ctx, since, seen); err != nil && ctx.Err() == nil {
			s.log.WarnContext(ctx, "old sessions stay for now", slog.Any("err", err))
		}
		select {
		case <-tick.C:
		case <-ctx.Done():
			return nil
		}
	}
}

// load asks SQL and leaves a copy in Redis. A session in use comes by here once
// a minute, so this is also where last-seen is written.
func (s *Store) load(ctx context.Context, id string) (Signed, bool, error) {
	user, since, seen, err := s.sql.Session(ctx, id)
	if errors.Is(err, notifier.ErrNotFound) {
		return Signed{}, false, nil
	}
	if err != nil {
		return Signed{}, false, fmt.Errorf("find out who is signed in: %w", err)
	}
	now := s.now()
	left := min(since.Add(maxAge).Sub(now), seen.Add(maxIdle).Sub(now))
	if left <= 0 {
		return Signed{}, false, nil
	}
	if now.Sub(seen) >= seenEvery {
		touch, cancel := context.WithTimeout(ctx, touchLimit)
		_ = s.sql.TouchSession(touch, id, now) // see touchLimit
		cancel()
	}
	signed := Signed{User: user, ID: id, Since: since}
	s.cache.fill(ctx, signed, left)
	return signed, true, nil
}

// end ends the session that r carries, if it does. SQL comes first: a session
// that is buried in Redis and lives in SQL would rise again.
func (s *Store) end(r *http.Request) error {
	id, ok := s.cookie.read(r)
	if !ok {
		return nil
	}
	if err := s.sql.EndSession(r.Context(), id); err != nil {
		return fmt.Errorf("end a session: %w", err)
	}
	s.cache.bury(r.Context(), id)
	return nil
}

// oldest is when a session may have begun, and may have been seen last.
func (s *Store) oldest() (since, seen time.Time) {
	now := s.now()
	return now.Add(-maxAge), now.Add(-maxIdle)
}
