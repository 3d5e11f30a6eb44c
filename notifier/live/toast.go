package live

import (
	"context"

	"github.com/carillonhq/carillon/notifier"
)

// Toasts stores the waiting toasts; see notifier/toast. Toasts claimed by this instance belong to it for at
// least Limits.ToastHold, unless they are acknowledged.
type Toasts interface {
	// RaiseAll raises each toast, in one call per partition. It returns an error for each, in
	// order.
	RaiseAll(ctx context.Context, all []notifier.ToastRaise) []error
	// Waiting reports for each user whether any toast waits for them, claimed or not. On error it reports false
	// for the users that could not be read, or returns no answers at all.
	Waiting(ctx context.Context, seqs []int64) ([]bool, error)
	// Take claims the toasts that no other instance holds, for each user in order, and returns those already
	// held by this instance again. On error it still returns one Taken per user; Taken.Err marks the users that
	// could not be served.
	Take(ctx context.Context, seqs []int64) ([]notifier.Taken, error)
	// Nudge signals all instances that toasts shown here to these users were not acknowledged.
	Nudge(ctx context.Context, seqs []int64) error
	// Ack removes these toasts of a user; they are not delivered again.
	Ack(ctx context.Context, seq int64, ids []string) error
}

// Acked ends the delivery of these toasts of a user. Call it once Redis has recorded that a browser has shown them.
func (h *Hub) Acked(seq int64, ids []string) {
	s := h.shard(seq)
	s.mu.Lock()
	defer s.mu.Unlock()
	if u := s.users[seq]; u != nil && u.tray != nil {
		u.tray.acknowledged(ids)
	}
}
