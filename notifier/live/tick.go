package live

import (
	"context"
	"sync"
	"time"

	"github.com/r3labs/sse/v2"
)

const (
	wheelSlots = 64
	beatTicks  = 20 // ticks per heartbeat: a tick is a second by default
)

// wheel is a timer wheel: a tick touches only the items due at it.
type wheel[T any] struct {
	mu    sync.Mutex
	slots [wheelSlots][]T
	at    int
}

// add puts v into the slot that comes after this many ticks, at most one round.
func (w *wheel[T]) add(ticks int, v T) {
	w.mu.Lock()
	defer w.mu.Unlock()
	i := (w.at + min(max(ticks, 1), wheelSlots-1)) % wheelSlots
	w.slots[i] = append(w.slots[i], v)
}

// next advances by one tick and returns the items due.
func (w *wheel[T]) next() []T {
	w.mu.Lock()
	defer w.mu.Unlock()
	w.at = (w.at + 1) % wheelSlots
	due := w.slots[w.at]
	w.slots[w.at] = nil
	return due
}

func (h *Hub) tick() time.Duration { return max(h.lim.Heartbeat/beatTicks, time.Millisecond) }

func (h *Hub) ticks(d time.Duration) int { return int((d + h.tick() - 1) / h.tick()) }

// runTicks is the only timer of all streams.
func (h *Hub) runTicks(ctx context.Context) error {
	t := time.NewTicker(h.tick())
	defer t.Stop()
	for {
		select {
		case <-ctx.Done():
			return ctx.Err()
		case <-t.C:
		}
		for _, c := range h.beats.next() {
			h.beat(c)
		}
		for _, u := range h.idle.next() {
			h.forget(u)
		}
		h.reportOutage()
	}
}

// nextBeat returns the number of ticks until c is checked again: a heartbeat ± a quarter, or less if its life
// ends earlier.
func (h *Hub) nextBeat(c *conn) int {
	beat := beatTicks*3/4 + int(h.rand()*(beatTicks/2+1))
	return min(beat, h.ticks(c.endAt.Sub(h.cfg.Now())))
}

// beat sends a heartbeat on a stream, or ends it at the end of its life.
func (h *Hub) beat(c *conn) {
	s := h.shard(c.user.seq)
	s.mu.Lock()
	defer s.mu.Unlock()
	if c.gone {
		return
	}
	if !h.cfg.Now().Before(c.endAt) {
		c.user.flush()
		c.bye(h.jitter(time.Second))
		return
	}
	c.publish(&sse.Event{Comment: []byte("still here")})
	h.beats.add(h.nextBeat(c), c)
}

// forget unsubscribes a user who has had no stream for Limits.Linger. Until then the user stays
// subscribed, so that the badge is up to date if they come back.
func (h *Hub) forget(u *user) {
	s := h.shard(u.seq)
	s.mu.Lock()
	defer s.mu.Unlock()
	if u.holds > 0 {
		u.parked = false
		return
	}
	if left := h.lim.Linger - h.cfg.Now().Sub(u.idleFrom); left > 0 {
		h.idle.add(h.ticks(left), u)
		return
	}
	delete(s.users, u.seq)
	h.stats.users.Add(-1)
	h.links.leave(u)
}
