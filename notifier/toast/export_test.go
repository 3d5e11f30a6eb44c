package toast

import (
	"context"
	"time"
)

// Few has at most that many toasts wait for one user.
func (t *Toasts) Few(most int) { t.most = most }

// Haste makes Run clear so often.
func (t *Toasts) Haste(every time.Duration) { t.every = every }

// Strict has every consumer removed that holds nothing.
func (t *Toasts) Strict() { t.idle = -2 * time.Millisecond }

// Clear clears some partitions once, 7 and 8 when none is named.
func (t *Toasts) Clear(ctx context.Context, parts ...int) error {
	if len(parts) == 0 {
		parts = []int{7, 8}
	}
	_, err := t.clear(ctx, parts)
	return err
}
