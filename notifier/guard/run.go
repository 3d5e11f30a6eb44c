package guard

import (
	"context"
	"time"

	"github.com/carillonhq/carillon/internal/trouble"
)

const (
	// retry is the interval between checks while Redis does not respond or another instance heals it.
	retry = 100 * time.Millisecond
	// checkWait limits Check.
	checkWait = 10 * time.Second
)

// Check checks Redis, heals it if necessary, and waits at most 10 s while another instance heals. It returns nil once
// the gate is open.
func (g *Guard) Check(ctx context.Context) error {
	ctx, cancel := context.WithTimeout(ctx, checkWait)
	defer cancel()
	for {
		if err := g.round(ctx); err != nil {
			if ctx.Err() != nil {
				err = unavailable("wait until redis is healed", err)
			}
			return err
		}
		if g.State() == Open {
			return nil
		}
		select {
		case <-time.After(retry):
		case <-ctx.Done():
			return unavailable("wait until redis is healed", ctx.Err())
		}
	}
}

// Run watches Redis until ctx ends, and then returns nil. It checks every Config.Every, and immediately
// when a command finds Redis unavailable or in an unknown life.
func (g *Guard) Run(ctx context.Context) error {
	for ctx.Err() == nil {
		err := g.round(ctx)
		rest := g.c.Every - retry
		if state := g.State(); err != nil && state != Healing || err == nil && state != Open {
			rest = 0
		}
		if !g.pause(ctx, retry, nil) || !g.pause(ctx, rest, g.wake) {
			break
		}
	}
	return nil
}

// pause waits for d or until wake receives. It returns false if ctx ended.
func (g *Guard) pause(ctx context.Context, d time.Duration, wake <-chan struct{}) bool {
	if d <= 0 {
		return ctx.Err() == nil
	}
	timer := time.NewTimer(d)
	defer timer.Stop()
	select {
	case <-timer.C:
	case <-wake:
	case <-ctx.Done():
		return false
	}
	return true
}

// round checks and heals once. Only one round runs at a time.
func (g *Guard) round(ctx context.Context) error {
	select {
	case g.turn <- struct{}{}:
		defer func() { <-g.turn }()
	case <-ctx.Done():
		return ctx.Err()
	}
	err := g.settle(ctx)
	if err != nil && g.bad.IsZero() && !g.failing && ctx.Err() == nil {
		_, why := trouble.Of(err)
		g.c.Log.WarnContext(ctx, "redis not restored yet; retrying", "stage", "epoch", "err", err, "cause", why.Found, "cure", why.Cure)
	}
	g.failing = err != nil && g.bad.IsZero()
	return err
}

const (
	// stepWait limits each step of healing, so that a hanging database does not block it.
	stepWait = 10 * time.Second
	// holdEvery is the interval at which the lease is renewed during healing.
	holdEvery = LeaseLife / 6
)

// letSee gives the other instances time to detect the missing marks: emptying a Redis breaks no
// connection, and their clients may be showing data that is gone.
func (h *healing) letSee(ctx context.Context) error {
	wait := h.began.Add(2 * h.c.Every).Sub(h.c.Now())
	if len(h.lives) > 0 || h.masters.Load() == nil {
		return nil
	}
	h.pause(ctx, wait, nil)
	return ctx.Err()
}

// step runs a part of the work with a time limit, while this instance holds the lease.
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
