package guard

import (
	"errors"
	"fmt"
	"time"

	"github.com/carillonhq/carillon/notifier"
)

// maxOffset is how far the clock of Redis and ours may differ. Then the clocks of any two instances
// differ by less than skew, which the versions of inboxes tolerate.
const maxOffset = skew / 2

// ErrClock reports that the clocks of Redis and of this machine differ too much for either to be
// used: notices would expire too early or too late, and a newer version of an inbox would look
// older. It is also a notifier.ErrUnavailable.
var ErrClock = fmt.Errorf("the clocks of this machine and of redis differ too much: synchronize both by NTP: %w", notifier.ErrUnavailable)

// Offset returns how far the clock of Redis was ahead of ours at the last look; with several
// masters, the largest offset.
func (g *Guard) Offset() time.Duration { return time.Duration(g.offset.Load()) }

// Measured returns the offset, and false if Redis has never answered: then it is not 0, but unknown.
func (g *Guard) Measured() (offset time.Duration, ok bool) {
	return g.Offset(), g.timed.Load()
}

// Clock returns ErrClock while, according to the last look, the times that this process takes are
// not trustworthy.
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

// offsetOf returns how far their clock is ahead of ours. asked and answered are our times before
// and after the call, which was answered somewhere in between.
func offsetOf(theirs, asked, answered time.Time) time.Duration {
	return theirs.Sub(asked.Add(answered.Sub(asked) / 2))
}

// refuseClock closes the gate at once: unlike an outage, a wrong clock does not pass in a moment.
func (g *Guard) refuseClock(err error) bool {
	return errors.Is(err, ErrClock) && g.become(Away)
}
