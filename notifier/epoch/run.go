package epoch

import (
	"context"
	"time"
)

const (
	// retry is the time between two looks while Redis does not answer, or another
	// instance heals it.
	retry = 100 * time.Millisecond
	// checkWait bounds Check.
	checkWait = 10 * time.Second
)

// Check looks, heals what must be, and waits while another instance does so, for at
// most 10 s. Nil: the gate is open.
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

// Run watches Redis until ctx ends, and then returns nil. It looks each second, and at
// once when a command found Redis away or in a life that is not known.
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

// pause waits, or less when there is something to see. It is false when ctx ended.
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

// round is one turn of looking and healing. Only one runs at a time.
func (g *Guard) round(ctx context.Context) error {
	select {
	case g.turn <- struct{}{}:
		defer func() { <-g.turn }()
	case <-ctx.Done():
		return ctx.Err()
	}
	err := g.settle(ctx)
	if err != nil && g.bad.IsZero() && !g.failing && ctx.Err() == nil {
		g.c.Log.WarnContext(ctx, "redis is not healed yet", "stage", "epoch", "err", err)
	}
	g.failing = err != nil && g.bad.IsZero()
	return err
}
