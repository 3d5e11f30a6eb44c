package live

import (
	"container/heap"
	"context"
	"errors"
	"fmt"
	"sync"
	"time"

	"github.com/carillonhq/carillon/notifier"
)

const (
	takeBatch  = 256                    // users per call of Take
	failPause  = time.Second            // first wait before a user who could not be served is retried; it grows
	takeRetry  = 200 * time.Millisecond // wait after a Redis error
	raiseBatch = 500                    // users per call of RaiseAll
	raiseQueue = 1000                   // RaiseAll calls that can wait; further toasts are not raised
)

// courier delivers toasts. It asks which users have toasts waiting, claims the toasts, sends each to one
// connection and tracks it until it is acknowledged. It is one goroutine with one timer for all users, so that
// their calls can be batched.
type courier struct {
	hub    *Hub
	mu     sync.Mutex
	asks   []*user
	trays  schedule
	raises []notifier.ToastRaise
	wake   chan struct{}

	faultLogged time.Time // when users who cannot be served were last logged; used by run only
}

// ask queues a user. The caller holds the lock of the user's shard; this also applies to at and drop.
func (k *courier) ask(u *user) {
	k.mu.Lock()
	k.asks = append(k.asks, u)
	k.mu.Unlock()
	signal(k.wake)
}

// at schedules the next decision about a tray.
func (k *courier) at(t *tray, due time.Time) {
	k.mu.Lock()
	t.due = due
	if t.place < 0 {
		heap.Push(&k.trays, t)
	} else {
		heap.Fix(&k.trays, t.place)
	}
	first := t.place == 0
	k.mu.Unlock()
	if first {
		signal(k.wake)
	}
}

// drop removes a tray from the schedule.
func (k *courier) drop(t *tray) {
	k.mu.Lock()
	if t.place >= 0 {
		heap.Remove(&k.trays, t.place)
	}
	k.mu.Unlock()
}

// run delivers toasts until ctx ends. Without Config.Toasts it returns at once.
func (k *courier) run(ctx context.Context) error {
	if k.hub.cfg.Toasts == nil {
		return nil
	}
	failing := false
	timer := time.NewTimer(0)
	defer timer.Stop()
	for {
		err := k.round(ctx)
		if err != nil && !failing && ctx.Err() == nil {
			k.hub.cfg.Log.WarnContext(ctx, "could not deliver toasts; retrying", "stage", "live", "err", err)
		}
		if failing = err != nil; failing {
			if !pause(ctx, takeRetry) {
				return ctx.Err()
			}
			continue
		}
		if !k.wait(ctx, timer) {
			return ctx.Err()
		}
	}
}

// wait returns when there may be work to do; false when ctx has ended.
func (k *courier) wait(ctx context.Context, timer *time.Timer) bool {
	k.mu.Lock()
	busy := len(k.asks) > 0 || len(k.raises) > 0
	var due <-chan time.Time
	if !busy && len(k.trays) > 0 {
		timer.Reset(k.trays[0].due.Sub(k.hub.cfg.Now()))
		due = timer.C
	}
	k.mu.Unlock()
	if busy {
		return ctx.Err() == nil
	}
	select {
	case <-ctx.Done():
		return false
	case <-k.wake:
	case <-due:
	}
	return true
}

// round does one batch of each kind of work. An error means that Redis is unavailable and that some of the work
// must be repeated.
func (k *courier) round(ctx context.Context) error {
	ctx, cancel := context.WithTimeout(ctx, joinTimeout)
	defer cancel()
	if err := errors.Join(k.askAll(ctx), k.takeAll(ctx)); err != nil {
		return err
	}
	return k.raiseNext(ctx)
}

// raise queues toasts for many users. When too many wait, the rest is dropped and logged; the
// announcement itself is still in the list and the badge.
func (k *courier) raise(raises []notifier.ToastRaise) {
	if k.hub.cfg.Toasts == nil {
		return
	}
	dropped := 0
	k.mu.Lock()
	for _, r := range raises {
		for seqs := r.Seqs; len(seqs) > 0; {
			r.Seqs = seqs[:min(len(seqs), raiseBatch)]
			if seqs = seqs[len(r.Seqs):]; len(k.raises) < raiseQueue {
				k.raises = append(k.raises, r)
			} else {
				dropped += len(r.Seqs)
			}
		}
	}
	k.mu.Unlock()
	signal(k.wake)
	if dropped > 0 {
		k.hub.cfg.Log.Warn("toasts not raised because too many are waiting", "stage", "live", "users", dropped)
	}
}

// raiseNext raises the toasts queued first. A failed raise is not retried.
func (k *courier) raiseNext(ctx context.Context) error {
	k.mu.Lock()
	var next []notifier.ToastRaise
	if len(k.raises) > 0 {
		next = append(next, k.raises[0])
		if k.raises = k.raises[1:]; len(k.raises) == 0 {
			k.raises = nil
		}
	}
	k.mu.Unlock()
	if len(next) == 0 {
		return nil
	}
	for _, err := range k.hub.cfg.Toasts.RaiseAll(ctx, next) {
		if err == nil {
			continue
		}
		if err = fmt.Errorf("raise a toast for %d users: %w", len(next[0].Seqs), err); errors.Is(err, notifier.ErrUnavailable) {
			return err
		}
		k.logFault(ctx, err)
	}
	return nil
}
