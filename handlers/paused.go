package handlers

import (
	"context"
	"net/http"
	"time"

	"github.com/maypok86/otter/v2"
)

// newPauses caches until when users have paused, by user, for as long as mutes.
func newPauses(now func() time.Time) *otter.Cache[int64, time.Time] {
	return otter.Must(&otter.Options[int64, time.Time]{
		MaximumSize: mutesMost, ExpiryCalculator: otter.ExpiryWriting[int64, time.Time](mutesLife), Clock: clock(now),
	})
}

// paused says until when the request's user has paused; empty: they have not, or it cannot be read.
func (h *Handlers) paused(r *http.Request) string {
	seq := seqOf(r)
	if seq == 0 || !h.Mailing && h.Devices == nil {
		return ""
	}
	until, cached := h.pauses.GetIfPresent(seq)
	if !cached {
		ctx, cancel := context.WithTimeout(r.Context(), bellWait)
		defer cancel()
		var err error
		if until, err = h.Reach.PausedUntil(ctx, seq); err != nil {
			h.lacks(r, "pause", err)
		}
		h.pauses.Set(seq, until)
	}
	now := h.now(r)
	if !until.After(now) {
		return ""
	}
	text := h.text(r)
	return text.F("preferences.paused", "Time", text.Exact(until.In(now.Location())))
}
