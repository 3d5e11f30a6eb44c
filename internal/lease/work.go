package lease

import (
	"context"
	"errors"
	"log/slog"
	"time"
)

// leaveWait limits the duration of Run after its context has ended.
const leaveWait = 2 * time.Second

// Work is background work that is done in rounds.
type Work struct {
	Stage string          // names the work in logs
	Lease Lease           // nil: Always
	Every time.Duration   // interval between rounds
	Wake  <-chan struct{} // starts a round early, except after a failed one; may be nil
	Do    func(context.Context) error
	Rest  func()                      // called instead of Do while another instance holds the lease; may be nil
	Last  func(context.Context) error // called once at the end, before the lease is released; may be nil
	Log   *slog.Logger
}

// Run runs a round immediately and then another at each interval, while this instance holds the
// lease, until ctx ends; then it releases the lease and returns nil. Failing rounds are logged when
// the failures begin and when they end, and are retried at the next interval.
func (w Work) Run(ctx context.Context) error {
	if w.Lease == nil {
		w.Lease = Always
	}
	tick := time.NewTicker(w.Every)
	defer tick.Stop()
	failing := false
	for wake := w.Wake; ; {
		err := w.round(ctx)
		switch {
		case ctx.Err() != nil: // the end of Run, not a fault of the round
		case err != nil:
			wake = nil // it would fail again immediately
			if !failing {
				w.Log.WarnContext(ctx, "background work failing; retrying", "stage", w.Stage, "err", err)
			}
			failing = true
		case failing:
			w.Log.InfoContext(ctx, "background work recovered", "stage", w.Stage)
			failing = false
		}
		select {
		case <-tick.C:
			wake = w.Wake
		case <-wake:
		case <-ctx.Done():
			w.leave(ctx, failing)
			return nil
		}
	}
}

func (w Work) round(ctx context.Context) error {
	mine, err := w.Lease.Hold(ctx)
	if err == nil && mine {
		return w.Do(ctx)
	}
	if w.Rest != nil {
		w.Rest()
	}
	return err
}

// leave finishes the work and releases the lease, so that other instances do not have to wait until it
// expires.
func (w Work) leave(ctx context.Context, failing bool) {
	ctx, cancel := context.WithTimeout(context.WithoutCancel(ctx), leaveWait)
	defer cancel()
	var err error
	if w.Last != nil {
		err = w.Last(ctx)
	}
	if err = errors.Join(err, w.Lease.Release(ctx)); err != nil && !failing {
		w.Log.WarnContext(ctx, "background work did not end cleanly", "stage", w.Stage, "err", err)
	}
}

// Finishing returns a context for work that would have to be repeated if it were cut off, such as a message on its way. It lasts until
// end, but at most grace longer than ctx.
func Finishing(ctx context.Context, end time.Time, grace time.Duration) (context.Context, context.CancelFunc) {
	going, cancel := context.WithDeadline(context.WithoutCancel(ctx), end)
	stop := context.AfterFunc(ctx, func() {
		select {
		case <-time.After(grace):
			cancel()
		case <-going.Done():
		}
	})
	return going, func() { stop(); cancel() }
}
