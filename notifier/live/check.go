package live

import (
	"context"
	"slices"
	"sync"
	"time"

	"github.com/carillonhq/carillon/notifier"
)

const (
	// batch is how many users or sessions one call covers.
	batch = 500
	// checkPause is how long users who need an immediate check are collected into a batch.
	checkPause = 50 * time.Millisecond
)

// checks is the queue of users whose sessions must be checked now: users who opened a stream, as their session
// may have ended since it was read for that request; users who were moved to another audience; and users for
// whom such a signal may have been missed. All others are checked once per Limits.Check.
type checks struct {
	hub   *Hub
	mu    sync.Mutex
	users []*user
	wake  chan struct{}
}

// add queues a user for a check. The caller holds the lock of the user's shard.
func (k *checks) add(u *user) {
	if u.checking || k.hub.cfg.Sessions == nil {
		return
	}
	u.checking = true
	k.mu.Lock()
	k.users = append(k.users, u)
	k.mu.Unlock()
	signal(k.wake)
}

// next removes a batch from the queue.
func (k *checks) next() []*user {
	k.mu.Lock()
	users := cut(&k.users, batch)
	rest := len(k.users) > 0
	k.mu.Unlock()
	if rest {
		signal(k.wake)
	}
	for _, u := range users {
		u.locked(func() { u.checking = false }) // signals from now on queue the user again
	}
	return users
}

// runChecks checks all shards once per Limits.Check, and queued users at once.
func (h *Hub) runChecks(ctx context.Context) error {
	t := time.NewTicker(max(h.lim.Check/shardCount, time.Millisecond))
	defer t.Stop()
	for i := 0; ; {
		select {
		case <-ctx.Done():
			return ctx.Err()
		case <-t.C:
			h.checkShard(ctx, &h.shards[i])
			i = (i + 1) % shardCount
		case <-h.checks.wake:
			if !pause(ctx, checkPause) {
				return ctx.Err()
			}
			users := h.checks.next()
			if h.checkSessions(ctx, users) == nil {
				continue
			}
			for _, u := range users {
				u.locked(func() { h.checks.add(u) })
			}
			if !pause(ctx, rereadRetry) {
				return ctx.Err()
			}
		}
	}
}

// checkShard queues the badges of a shard's connected users to be read again, and checks their sessions.
func (h *Hub) checkShard(ctx context.Context, s *shard) {
	var users []*user
	s.mu.Lock()
	for _, u := range s.users {
		if len(u.conns) == 0 {
			continue
		}
		users = append(users, u)
		if u.confirmed {
			h.queue.add(u, calm)
		}
	}
	s.mu.Unlock()
	for users := range slices.Chunk(users, batch) {
		if h.checkSessions(ctx, users) != nil {
			return
		}
	}
}

// checkSessions ends the streams of users whose session has ended, and moves users into their
// current audience.
func (h *Hub) checkSessions(ctx context.Context, users []*user) error {
	if h.cfg.Sessions == nil {
		return nil
	}
	var ids []string
	asked := make(map[*conn]bool)
	moves := make([]uint32, len(users))
	for i, u := range users {
		u.locked(func() {
			moves[i] = u.moves
			for _, c := range u.conns {
				if c.session != "" && !c.ending {
					ids, asked[c] = append(ids, c.session), true
				}
			}
		})
	}
	if len(ids) == 0 {
		return nil
	}
	alive, err := h.alive(ctx, ids)
	if err != nil { // a failed check signs no user out
		h.cfg.Log.WarnContext(ctx, "could not check sessions", "stage", "live", "err", err)
		return err
	}
	for i, u := range users {
		u.locked(func() {
			for _, c := range u.conns {
				if !asked[c] {
					continue // it was opened after the query and has its own check
				}
				audience, goesOn := alive[c.session]
				switch {
				case !goesOn:
					c.bye(h.jitter(time.Second))
				case u.moves == moves[i]: // otherwise the reply is older than the last move, which has its own check
					u.joins(audience)
				}
			}
		})
	}
	return nil
}

// Recheck queues an immediate session check for every user with a stream whose session is affected.
func (h *Hub) Recheck(affected func(session string) bool) {
	h.eachUser(func(u *user) {
		if slices.ContainsFunc(u.conns, func(c *conn) bool { return affected(c.session) }) {
			h.checks.add(u)
		}
	})
}

func (h *Hub) alive(ctx context.Context, ids []string) (map[string]notifier.Audience, error) {
	ctx, cancel := context.WithTimeout(ctx, joinTimeout)
	defer cancel()
	return h.cfg.Sessions.Alive(ctx, ids)
}
