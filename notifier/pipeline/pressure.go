package pipeline

import (
	"context"
	"fmt"
	"time"

	"github.com/carillonhq/carillon/notifier"
)

// admit holds senders to inboxes back while the intake has more than Config.MaxBacklog entries, and
// refuses them if that lasts: Redis has to hold the backlog, and each new notice has to wait for
// it. If Redis is unavailable, admit lets them pass: notices then wait in SQL.
func (p *Pipeline) admit(ctx context.Context, batch ...*submission) {
	if batch = toInboxes(batch); len(batch) == 0 {
		return
	}
	err := p.calm(ctx)
	for _, s := range batch {
		if err != nil {
			s.err = fmt.Errorf("accept a notice: %w", err)
		}
	}
}

// calm waits until the intake is no longer overloaded.
func (p *Pipeline) calm(ctx context.Context) error {
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
