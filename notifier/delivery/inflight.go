package delivery

import (
	"maps"
	"slices"
	"sync"
	"time"
)

const (
	idleFactor = 3           // an entry is taken over after this many times the longest recent handling time
	maxIdle    = time.Minute // upper limit of that time
	paceWindow = 10 * time.Second
)

// inFlight records the entries that this process has read and not yet settled. From their handling
// times it works out how long another instance should wait before it takes an entry over.
type inFlight struct {
	least time.Duration
	now   func() time.Time

	mu              sync.Mutex
	since           map[string]time.Time // by id
	longest, before time.Duration        // handling times settled in this window and in the previous one
	window          time.Time            // start of this window
}

func newInFlight(least time.Duration, now func() time.Time) *inFlight {
	return &inFlight{least: least, now: now, since: map[string]time.Time{}, window: now()}
}

// take records that entries were read.
func (h *inFlight) take(entries ...Entry) {
	h.mu.Lock()
	defer h.mu.Unlock()
	now := h.now()
	for _, e := range entries {
		h.since[e.ID] = now
	}
}

// settle records that the handler has finished with these entries, whether it succeeded or not.
func (h *inFlight) settle(ids ...string) {
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

// turn starts a new window when the current one is over.
func (h *inFlight) turn(now time.Time) {
	past := now.Sub(h.window)
	if past < paceWindow {
		return
	}
	if past >= 2*paceWindow {
		h.longest = 0
	}
	h.before, h.longest, h.window = h.longest, 0, now
}

// drop removes entries that were never handled: their waiting time is not a handling time.
func (h *inFlight) drop(ids ...string) {
	h.mu.Lock()
	defer h.mu.Unlock()
	for _, id := range ids {
		delete(h.since, id)
	}
}

// idle returns how long an entry must have been with a member before another may take it over.
func (h *inFlight) idle() time.Duration {
	h.mu.Lock()
	defer h.mu.Unlock()
	h.turn(h.now())
	return max(h.least, min(idleFactor*max(h.longest, h.before), maxIdle))
}

// held lists the ids of the entries in flight.
func (h *inFlight) held() []string {
	h.mu.Lock()
	defer h.mu.Unlock()
	return slices.Collect(maps.Keys(h.since))
}
