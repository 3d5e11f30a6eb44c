package epoch

import (
	"context"
	"time"
)

const (
	// stepWait bounds each step of healing, so that a database that hangs is given up.
	stepWait = 10 * time.Second
	// holdEvery is how often the lease is lengthened meanwhile.
	holdEvery = LeaseLife / 6
)

// letSee gives the other instances time to see that marks are missing, too: a Redis that
// was emptied breaks no connection, and what they have shown may not be so any more.
func (h *healing) letSee(ctx context.Context) error {
	wait := h.began.Add(2 * h.c.Every).Sub(h.c.Now())
	if len(h.lives) > 0 || h.masters.Load() == nil {
		return nil
	}
	h.pause(ctx, wait, nil)
	return ctx.Err()
}

// step does a part of the work in bounded time, as long as the lease is ours.
func (h *healing) step(ctx context.Context, do func(context.Context) error) error {
	ctx, cancel := context.WithTimeout(ctx, stepWait)
	defer cancel()
	if now := h.c.Now(); h.c.Lease != nil && now.Sub(h.held) >= holdEvery {
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

// release gives the lease back, so that nobody need wait for it.
func (g *Guard) release(ctx context.Context) {
	ctx, cancel := context.WithTimeout(context.WithoutCancel(ctx), patience)
	defer cancel()
	if err := g.c.Lease.Release(ctx); err != nil {
		g.c.Log.DebugContext(ctx, "healing lease not released", "stage", "epoch", "err", err)
	}
}
