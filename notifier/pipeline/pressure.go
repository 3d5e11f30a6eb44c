package pipeline

import (
	"context"
	"time"

	"github.com/carillonhq/carillon/notifier"
)

// admit holds a sender back while the intake has more than Config.MaxBacklog
// before it, and refuses him when that lasts: what waits there is what Redis has
// to hold, and what each notice behind it waits for. A Redis that is away is no
// reason: then notices wait in SQL.
func (p *Pipeline) admit(ctx context.Context) error {
	if !p.overfed() {
		return nil
	}
	tick, limit := time.NewTicker(maxPressed/40), time.NewTimer(maxPressed)
	defer tick.Stop()
	defer limit.Stop()
	for p.overfed() {
		select {
		case <-tick.C:
		case <-limit.C:
			return &notifier.TooManyError{RetryAfter: maxPressed}
		case <-ctx.Done():
			return ctx.Err()
		}
	}
	return nil
}

func (p *Pipeline) overfed() bool {
	return p.intake.Backlog() > p.c.MaxBacklog && !p.redisAway()
}
