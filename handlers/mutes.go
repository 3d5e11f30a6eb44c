package handlers

import (
	"context"
	"net/http"
	"strings"
	"time"

	"github.com/maypok86/otter/v2"

	"github.com/carillonhq/carillon/views/components"
)

const (
	// mutesLife is how long an instance caches a user's mutes, so that pages need no SQL. The key contains the user's
	// copy number, which changes with each change of the user.
	mutesLife = 5 * time.Second
	mutesMost = 4096 // cached users
)

// mutesKey identifies a user in one state of their data.
type mutesKey struct{ seq, copy int64 }

func mutesOf(r *http.Request) mutesKey { return mutesKey{seqOf(r), visitOf(r).user.Copy} }

// newMutes creates a short-lived cache of the types that users have muted.
func newMutes(now func() time.Time) *otter.Cache[mutesKey, []string] {
	return otter.Must(&otter.Options[mutesKey, []string]{
		MaximumSize: mutesMost, ExpiryCalculator: otter.ExpiryWriting[mutesKey, []string](mutesLife), Clock: clock(now),
	})
}

// clock is a cache's clock. It never ticks: expired entries stay until they are replaced or evicted, so no goroutine
// searches for them.
type clock func() time.Time

// NowNano returns the time in nanoseconds.
func (c clock) NowNano() int64 { return c().UnixNano() }

// Tick never ticks.
func (clock) Tick(time.Duration) <-chan time.Time { return nil }

// mutedBy returns the types that the request's user has muted. If reading them fails, the page shows all as not
// muted.
func (h *Handlers) mutedBy(r *http.Request) []string {
	if seqOf(r) == 0 {
		return nil
	}
	if types, ok := h.mutes.GetIfPresent(mutesOf(r)); ok {
		return types
	}
	ctx, cancel := context.WithTimeout(r.Context(), bellWait)
	defer cancel()
	types, err := h.Store.Mutes(ctx, seqOf(r))
	if err != nil {
		h.lacks(r, "mutes", err)
	}
	h.mutes.Set(mutesOf(r), types)
	return types
}

// muteMaker builds the mute or unmute action, once for each type on a page.
type muteMaker struct {
	types typeNames
	muted func() []string // returns the types that the reader has muted
	made  map[string]*components.Mute
}

// of returns nil for a type that cannot be muted.
func (m *muteMaker) of(typ string) *components.Mute {
	if mute, ok := m.made[typ]; ok {
		return mute
	}
	if m.made == nil {
		m.made = map[string]*components.Mute{}
	}
	var mute *components.Mute
	if m.types.topics.Mutable(typ) {
		mute = &components.Mute{Muted: contains(m.muted(), typ)}
		id, name := "js.mute", m.types.of(typ)
		if mute.Muted {
			id = "js.unmute"
		}
		mute.Label = m.types.text.F(id, "Type", name)
		mute.Named.Before, mute.Named.After = m.types.text.Around(id+"_named", "Title", "Type", name)
	}
	m.made[typ] = mute
	return mute
}

// sumOfMutes is a string that differs whenever the user's mutes differ.
func (h *Handlers) sumOfMutes(r *http.Request) string { return strings.Join(h.mutedBy(r), ",") }
