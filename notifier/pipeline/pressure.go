package pipeline

import (
	"context"
	"time"

	"github.com/carillonhq/carillon/notifier"
)

// admit holds a sender back while the intake has more than Config.MaxBacklog entries, and returns
// an error if that lasts: Redis has to hold the backlog, and each new notice has to wait for it. If
// Redis is unavailable, admit lets the sender pass: notices then wait in SQL.
func (p *Pipeline) admit(ctx context.Context) error {
	if !p.overloaded() {
		return nil
	}
	tick, limit := time.NewTicker(maxPressed/40), time.NewTimer(maxPressed)
	defer tick.Stop()
	defer limit.Stop()
	for p.overloaded() {
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

func (p *Pipeline) overloaded() bool {
	return p.intake.Backlog() > p.c.MaxBacklog && !p.redisAway()
}
