package live

import (
	"context"
	"slices"
	"time"
)

// batch is how many users or sessions are asked about in one call.
const batch = 500

// runChecks walks over all shards once in Limits.Check.
func (h *Hub) runChecks(ctx context.Context) error {
	t := time.NewTicker(max(h.lim.Check/shardCount, time.Millisecond))
	defer t.Stop()
	for i := 0; ; i = (i + 1) % shardCount {
		select {
		case <-ctx.Done():
			return ctx.Err()
		case <-t.C:
			h.check(ctx, &h.shards[i])
		}
	}
}

// check has the badges of a shard's connected users read again and ends the
// streams whose session has ended.
func (h *Hub) check(ctx context.Context, s *shard) {
	streams := make(map[string][]*conn)
	s.mu.Lock()
	for _, u := range s.users {
		if u.confirmed && len(u.conns) > 0 {
			h.queue.add(u, calm)
		}
		for _, c := range u.conns {
			if c.session != "" && !c.ending {
				streams[c.session] = append(streams[c.session], c)
			}
		}
	}
	s.mu.Unlock()
	if h.cfg.Sessions == nil || len(streams) == 0 {
		return
	}
	ids := make([]string, 0, len(streams))
	for id := range streams {
		ids = append(ids, id)
	}
	for ids := range slices.Chunk(ids, batch) {
		alive, err := h.alive(ctx, ids)
		if err != nil { // nobody is signed out by a fault of ours
			h.cfg.Log.WarnContext(ctx, "sessions not checked", "stage", "live", "err", err)
			return
		}
		s.mu.Lock()
		for _, id := range ids {
			if alive[id] {
				continue
			}
			for _, c := range streams[id] {
				c.bye(h.jitter(time.Second))
			}
		}
		s.mu.Unlock()
	}
}

func (h *Hub) alive(ctx context.Context, ids []string) (map[string]bool, error) {
	ctx, cancel := context.WithTimeout(ctx, h.lim.JoinTimeout)
	defer cancel()
	return h.cfg.Sessions.Alive(ctx, ids)
}
