package live

import (
	"context"
	"errors"
	"fmt"

	"github.com/carillonhq/carillon/notifier"
)

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
