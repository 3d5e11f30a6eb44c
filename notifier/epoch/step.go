package epoch

import (
	"context"
	"time"
)

const (
	// stepWait bounds each step of healing, so that a hanging database is given up.
	stepWait = 10 * time.Second
	// holdEvery is how often the lease is extended during healing.
	holdEvery = LeaseLife / 6
)

// letSee gives the other instances time to notice the missing marks, too: emptying a Redis breaks
// no connection, and their clients may be showing data that is gone.
func (h *healing) letSee(ctx context.Context) error {
	wait := h.began.Add(2 * h.c.Every).Sub(h.c.Now())
	if len(h.lives) > 0 || h.masters.Load() == nil {
		return nil
	}
	h.pause(ctx, wait, nil)
	return ctx.Err()
}

// step runs a part of the work with a time limit, as long as the lease is ours.
func (h *healing) step(ctx context.Context, do func(context.Context) error) error {
	ctx, cancel := context.WithTimeout(ctx, stepWait)
	defer cancel()
	if now := h.c.Now(); now.Sub(h.held) >= holdEvery {
		h.held = now
		mine, err := h.c.Lease.Hold(ctx)
		if err != nil {
			return unavailable("hold the lease", err)
		}
		if !mine {
			return unavailable("hold the lease", errLease)
		}
	}
	return do(ctx)
}
