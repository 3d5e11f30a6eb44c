package intake

import (
	"maps"
	"slices"
	"sync"
	"time"
)

const (
	idleFactor = 3           // an entry is taken over after so many times the longest that one was in hand
	maxIdle    = time.Minute // and never later
	paceWindow = 10 * time.Second
)

// hand is what this process has read and not settled. It knows from that how long an
// entry may be in hand before another should take it.
type hand struct {
	least time.Duration
	now   func() time.Time

	mu              sync.Mutex
	since           map[string]time.Time // by id
	longest, before time.Duration        // of those settled in this window and in the one before
	window          time.Time            // when it began
}

func newHand(least time.Duration, now func() time.Time) *hand {
	return &hand{least: least, now: now, since: map[string]time.Time{}, window: now()}
}

// take notes that entries were read.
func (h *hand) take(entries ...Entry) {
	h.mu.Lock()
	defer h.mu.Unlock()
	now := h.now()
	for _, e := range entries {
		h.since[e.ID] = now
	}
}

// settle notes that a handler has ended with these, one way or the other.
func (h *hand) settle(ids ...string) {
	h.mu.Lock()
	defer h.mu.Unlock()
	now := h.now()
	h.turn(now)
	for _, id := range ids {
		if since, ok := h.since[id]; ok {
			h.longest = max(h.longest, now.Sub(since))
			delete(h.since, id)
		}
	}
}

// turn begins a new window when this one is over.
func (h *hand) turn(now time.Time) {
	past := now.Sub(h.window)
	if past < paceWindow {
		return
	}
	if past >= 2*paceWindow {
		h.longest = 0
	}
	h.before, h.longest, h.window = h.longest, 0, now
}

// drop forgets entries that nothing was done with: how long they waited says nothing.
func (h *hand) drop(ids ...string) {
	h.mu.Lock()
	defer h.mu.Unlock()
	for _, id := range ids {
		delete(h.since, id)
	}
}

// idle is how long an entry must have been with somebody before it is taken from him.
func (h *hand) idle() time.Duration {
	h.mu.Lock()
	defer h.mu.Unlock()
	h.turn(h.now())
	return max(h.least, min(idleFactor*max(h.longest, h.before), maxIdle))
}

// held lists what is in hand.
func (h *hand) held() []string {
	h.mu.Lock()
	defer h.mu.Unlock()
	return slices.Collect(maps.Keys(h.since))
}
