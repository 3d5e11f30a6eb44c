package handlers

import (
	"context"
	"net/http"
	"strings"
	"sync"
	"time"
)

const (
	// mutesLife is how long an instance caches a user's mutes, so that pages need no SQL. A
	// change made on this instance shows at once.
	mutesLife = 5 * time.Second
	mutesMost = 4096 // cached users
)

// mutes caches the muted types of users for a moment.
type mutes struct {
	mu    sync.Mutex
	bySeq map[int64]muted
}

type muted struct {
	types []string
	until time.Time
}

func (m *mutes) find(seq int64, now time.Time) ([]string, bool) {
	m.mu.Lock()
	defer m.mu.Unlock()
	found, ok := m.bySeq[seq]
	return found.types, ok && now.Before(found.until)
}

func (m *mutes) remember(seq int64, types []string, now time.Time) {
	m.mu.Lock()
	defer m.mu.Unlock()
	if m.bySeq == nil || len(m.bySeq) >= mutesMost {
		m.bySeq = map[int64]muted{} // full: entries live for seconds anyway, so start over
	}
	m.bySeq[seq] = muted{types: types, until: now.Add(mutesLife)}
}

func (m *mutes) forget(seq int64) {
	m.mu.Lock()
	defer m.mu.Unlock()
	delete(m.bySeq, seq)
}

// mutedBy is the types that the request's user has muted. If reading them fails, the page shows
// them as not muted.
func (h *Handlers) mutedBy(r *http.Request) []string {
	if seqOf(r) == 0 {
		return nil
	}
	now := h.Now()
	if types, ok := h.mutes.find(seqOf(r), now); ok {
		return types
	}
	ctx, cancel := context.WithTimeout(r.Context(), bellWait)
	defer cancel()
	types, err := h.Settings.Mutes(ctx, seqOf(r))
	if err != nil {
		h.lacks(r, "mutes", err)
	}
	h.mutes.remember(seqOf(r), types, now)
	return types
}

// sumOfMutes differs whenever the user's mutes differ.
func (h *Handlers) sumOfMutes(r *http.Request) string { return strings.Join(h.mutedBy(r), ",") }
