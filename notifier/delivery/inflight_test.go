package delivery_test

import (
	"testing"
	"time"

	"github.com/carillonhq/carillon/notifier/delivery"
)

// An entry is taken over after three times the longest recent handling time.
func TestSlowHandlersGetMoreTime(t *testing.T) {
	t.Parallel()
	now := time.UnixMilli(1_700_000_000_000)
	h := delivery.NewHand(time.Second, func() time.Time { return now })
	settle := func(after time.Duration) {
		h.Take(delivery.Entry{ID: "1-0"})
		now = now.Add(after)
		h.Settle("1-0")
	}
	idle := func(want time.Duration) {
		t.Helper()
		if got := h.Idle(); got != want {
			t.Errorf("idle %v, want %v", got, want)
		}
	}
	idle(time.Second)
	settle(100 * time.Millisecond)
	idle(time.Second)
	settle(2 * time.Second)
	idle(6 * time.Second)
	settle(time.Second)
	idle(6 * time.Second)
	now = now.Add(8 * time.Second) // the previous window still counts
	settle(time.Second)
	idle(6 * time.Second)
	now = now.Add(10 * time.Second)
	idle(3 * time.Second)
	now = now.Add(10 * time.Second)
	idle(time.Second)
	settle(time.Hour)
	idle(time.Minute)
	now = now.Add(20 * time.Second)
	idle(time.Second)
	h.Take(delivery.Entry{ID: "2-0"})
	now = now.Add(5 * time.Second)
	h.Drop("2-0") // Redis was unavailable: that is not a handling time
	idle(time.Second)
}
