package live

import (
	"container/heap"
	"context"
	"errors"
	"sync"
	"time"

	"github.com/carillonhq/carillon/notifier"
)

const (
	takeBatch  = 256                    // users whose toasts are taken in one call
	failPause  = time.Second            // until a user is tried again who could not be served; then longer
	takeRetry  = 200 * time.Millisecond // after Redis did not answer
	raiseBatch = 500                    // users for whom one call raises a toast
	raiseQueue = 1000                   // such calls that can wait; what is beyond is not raised
)

// courier brings toasts: it asks for whom something waits, takes it, has it given to
// one connection and looks after it until it is acknowledged. It is one goroutine with
// one timer for all users, and gathers them into calls.
type courier struct {
	hub    *Hub
	mu     sync.Mutex
	asks   []*user
	trays  schedule
	raises []notifier.ToastRaise
	wake   chan struct{}

	complained time.Time // of users who cannot be served; its goroutine's own
}

// ask queues u. The caller holds his shard's lock, as those of at and drop do.
func (k *courier) ask(u *user) {
	k.mu.Lock()
	k.asks = append(k.asks, u)
	k.mu.Unlock()
	signal(k.wake)
}

// at has a tray looked at when it is due.
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

// drop forgets a tray.
func (k *courier) drop(t *tray) {
	k.mu.Lock()
	if t.place >= 0 {
		heap.Remove(&k.trays, t.place)
	}
	k.mu.Unlock()
}

// run does what there is to do until ctx ends. Without toasts there is nothing.
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
			k.hub.cfg.Log.WarnContext(ctx, "toasts not brought, trying on", "stage", "live", "err", err)
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

// wait returns when there may be something to do; false when ctx ended.
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

// round does a batch of each kind of work. An error means that Redis is away, and that
// some of it is to be done again.
func (k *courier) round(ctx context.Context) error {
	ctx, cancel := context.WithTimeout(ctx, k.hub.lim.JoinTimeout)
	defer cancel()
	if err := errors.Join(k.askAll(ctx), k.takeAll(ctx)); err != nil {
		return err
	}
	return k.raiseNext(ctx)
}
