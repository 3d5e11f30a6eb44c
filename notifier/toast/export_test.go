package toast

import (
	"context"
	"time"
)

// SetLimit limits how many toasts may wait for one user.
func (t *Toasts) SetLimit(most int) { t.most = most }

// SetName sets the name under which this instance claims toasts.
func (t *Toasts) SetName(name string) { t.consumer = name }

// SetInterval sets the interval between two rounds of Run.
func (t *Toasts) SetInterval(every time.Duration) { t.every = every }

// RemoveIdleAtOnce makes Clear remove every consumer that holds nothing, however recently it was active.
func (t *Toasts) RemoveIdleAtOnce() { t.idle = -2 * time.Millisecond }

// Clear clears these partitions once; without arguments, 7 and 8.
func (t *Toasts) Clear(ctx context.Context, parts ...int) error {
	if len(parts) == 0 {
		parts = []int{7, 8}
	}
	_, err := t.clear(ctx, parts)
	return err
}
