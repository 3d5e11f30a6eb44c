package guard

import (
	"errors"
	"fmt"
	"time"

	"github.com/carillonhq/carillon/notifier"
)

// maxOffset is the maximum difference between the clock of Redis and the local clock. It keeps the clocks
// of any two instances within skew, which the versions of inboxes tolerate.
const maxOffset = skew / 2

// ErrClock means that the clocks of Redis and of this machine differ too much: notices would expire too early or too
// late, and a newer version of an inbox would appear older. It also wraps notifier.ErrUnavailable.
var ErrClock = fmt.Errorf("the clocks of this machine and of redis differ too much: synchronize both by NTP: %w", notifier.ErrUnavailable)

// Offset returns how far the clock of Redis was ahead of the local clock at the last check; with several
// masters, the largest offset.
func (g *Guard) Offset() time.Duration { return time.Duration(g.offset.Load()) }

// Measured returns the offset, and false if Redis has never responded, so that the offset is unknown.
func (g *Guard) Measured() (offset time.Duration, ok bool) {
	return g.Offset(), g.timed.Load()
}

// Clock returns ErrClock if the last check found that the times of this process are not
// reliable.
func (g *Guard) Clock() error {
	if g.Offset().Abs() > maxOffset {
		return ErrClock
	}
	return nil
}

// compareClocks stores the largest offset of a view and returns ErrClock if it is too large.
func (g *Guard) compareClocks(seen view) error {
	var furthest time.Duration
	for _, s := range seen {
		if s.offset.Abs() > furthest.Abs() {
			furthest = s.offset
		}
	}
	g.offset.Store(int64(furthest))
	g.timed.Store(len(seen) > 0)
	if furthest.Abs() > maxOffset {
		return fmt.Errorf("redis is %v ahead: %w", furthest.Round(time.Second), ErrClock)
	}
	return nil
}

// offsetOf returns how far their clock is ahead of the local clock. asked and answered are local times before
// and after the call.
func offsetOf(theirs, asked, answered time.Time) time.Duration {
	return theirs.Sub(asked.Add(answered.Sub(asked) / 2))
}

// refuseClock closes the gate immediately: unlike an outage, a wrong clock does not recover in a moment.
func (g *Guard) refuseClock(err error) bool {
	return errors.Is(err, ErrClock) && g.become(Away)
}
