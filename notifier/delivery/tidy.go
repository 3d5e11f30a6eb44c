package delivery

import (
	"context"
	"errors"
	"fmt"
	"time"

	"github.com/carillonhq/carillon/internal/lease"
	"github.com/carillonhq/carillon/notifier"
)

const (
	tidyLease   = 3 * time.Second
	tidyTime    = 30 * time.Second
	tidyEvery   = time.Hour
	keepAudit   = 400 * 24 * time.Hour // how long audit entries are stored: a year, and time to review it
	keepExpired = 7 * 24 * time.Hour   // how long notices are stored after the longest possible life
)

// KeepKeys is how long a repeated request is recognised.
const KeepKeys = 24 * time.Hour

// errAway marks errors of Redis.
var errAway = errors.New("redis")

// tidier deletes old data from SQL. One instance, chosen by a lease, does this; all instances check
// whether Redis responds.
type tidier struct {
	w       *Worker
	lease   lease.Lease
	drain   drain
	tidied  time.Time // when old idempotency keys and audit entries were last deleted
	trim    int64     // the last notice checked for expiry, if there are more; 0: done until tidied again
	failing bool      // the last round failed
}

func newTidier(w *Worker) *tidier {
	return &tidier{w: w, lease: lease.New(w.c.Redis, w.c.Keys, "relay", tidyLease), drain: newDrain(w)}
}

// run tidies until ctx ends, and returns nil.
func (t *tidier) run(ctx context.Context) error {
	tick := time.NewTicker(t.w.c.Poll)
	defer tick.Stop()
	for ctx.Err() == nil {
		t.note(ctx, t.round(ctx))
		select {
		case <-tick.C:
		case <-ctx.Done():
		}
	}
	lease.GiveUp(ctx, t.lease)
	return nil
}

// round runs the due tasks if this instance holds the lease.
func (t *tidier) round(ctx context.Context) error {
	ctx, cancel := context.WithTimeout(ctx, tidyTime)
	defer cancel()
	mine, err := t.lease.Hold(ctx)
	if t.w.away.Store(err != nil); err != nil {
		return fmt.Errorf("%w: %w", errAway, err)
	}
	if !mine {
		return nil
	}
	return errors.Join(t.drain.round(ctx), t.tidy(ctx))
}

// tidy deletes old data, once per tidyEvery.
func (t *tidier) tidy(ctx context.Context) error {
	now := t.w.c.Now()
	if now.Sub(t.tidied) < tidyEvery {
		if t.trim > 0 {
			return t.forget(ctx)
		}
		return nil
	}
	_, drafts := t.w.c.Store.TrimDrafts(ctx, now.Add(-notifier.KeepDrafts))
	_, keys := t.w.c.Store.ForgetKeys(ctx, now.Add(-KeepKeys))
	_, audit := t.w.c.Store.TrimAudit(ctx, now.Add(-keepAudit))
	if err := errors.Join(drafts, keys, audit); err != nil {
		return err
	}
	t.tidied = now
	return t.forget(ctx)
}

// forget deletes the next notices that expired keepExpired ago: a few thousand per round, because
// senders wait for it.
func (t *tidier) forget(ctx context.Context) error {
	if t.w.c.Keep <= 0 {
		return nil
	}
	expired := t.w.c.Now().Add(-keepExpired)
	next, n, err := t.w.c.Store.TrimNotices(ctx, t.trim, expired.Add(-t.w.c.Keep), expired)
	if err != nil {
		return err
	}
	t.trim = next
	if n > 0 {
		t.w.c.Log.DebugContext(ctx, "expired notices deleted", "stage", "tidy", "notices", n)
	}
	return nil
}

// note logs the first failure, and the first success after it.
func (t *tidier) note(ctx context.Context, err error) {
	if ctx.Err() != nil || t.failing == (err != nil) {
		return
	}
	switch t.failing = err != nil; {
	case errors.Is(err, errAway):
		t.w.c.Log.WarnContext(ctx, "redis is unavailable; notices wait in sql", "stage", "tidy", "err", err)
	case t.failing:
		t.w.c.Log.WarnContext(ctx, "old data not deleted; retrying", "stage", "tidy", "err", err)
	default:
		t.w.c.Log.InfoContext(ctx, "redis and sql are in use again", "stage", "tidy")
	}
}
