package session

import (
	"context"
	"maps"
	"slices"
	"sync"
	"time"

	"golang.org/x/sync/errgroup"

	"github.com/carillonhq/carillon/internal/lease"
)

const (
	// seenLater is how long a last-seen time may wait to be written with others: a separate write would cost a commit
	// before the first byte of an event stream. A kill loses these seconds.
	seenLater = 2 * time.Second
	// seenMost is the maximum number of waiting last-seen times. Beyond that a session is recorded when it is loaded
	// next, a minute later.
	seenMost = 100_000
	// touchLimit limits the time of an immediate write of last-seen: a page must not wait for another process's long
	// transaction. The next load tries again.
	touchLimit = 500 * time.Millisecond
)

// sightings contains the sessions whose last-seen time is to be written.
type sightings struct {
	mu  sync.Mutex
	ids map[string]bool
}

func (g *sightings) add(id string) {
	g.mu.Lock()
	defer g.mu.Unlock()
	if len(g.ids) < seenMost {
		if g.ids == nil {
			g.ids = map[string]bool{}
		}
		g.ids[id] = true
	}
}

func (g *sightings) drain() []string {
	g.mu.Lock()
	defer g.mu.Unlock()
	ids := slices.Collect(maps.Keys(g.ids))
	g.ids = nil
	return ids
}

// touch records that a session was seen. A session that has nearly expired is written immediately: other instances
// must not end it meanwhile.
func (s *Sessions) touch(ctx context.Context, id string, seen, now time.Time) {
	switch idle := now.Sub(seen); {
	case idle < seenEvery:
	case idle > maxIdle-time.Minute:
		ctx, cancel := context.WithTimeout(ctx, touchLimit)
		defer cancel()
		_ = s.sql.TouchSessions(ctx, []string{id}, now) // see touchLimit
	default:
		s.seen.add(id)
	}
}

// writeSeen writes the last-seen times of all sessions seen since the last call. Sessions that cannot be written are
// recorded again when they are loaded next.
func (s *Sessions) writeSeen(ctx context.Context) error {
	ids := s.seen.drain()
	if len(ids) == 0 {
		return nil
	}
	return s.sql.TouchSessions(ctx, ids, s.now())
}

// Run does the background work until ctx ends: it writes the last-seen times of this instance's sessions, publishes
// pending changes every second, and deletes expired sessions from SQL every hour.
func (s *Sessions) Run(ctx context.Context) error {
	work, ctx := errgroup.WithContext(ctx)
	work.Go(func() error {
		return lease.Work{Stage: "last-seen", Every: seenLater, Do: s.writeSeen, Last: s.writeSeen, Log: s.log}.Run(ctx)
	})
	work.Go(func() error {
		return lease.Work{Stage: "session", Lease: s.lease, Every: publishEvery, Do: s.round, Log: s.log}.Run(ctx)
	})
	return work.Wait()
}
