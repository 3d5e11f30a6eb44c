package inbox

import (
	"context"
	"errors"

	"github.com/redis/go-redis/v9"
)

// maxWarm is how often a script finds an inbox cold and has it brought back, until
// it gives up: each time somebody took it out again.
const maxWarm = 4

var errCold = errors.New("the inbox is cold again after each start")

// one runs a script on one inbox until it answers something final: a cold inbox
// is restored, and rows that expired leave, before it runs again. settled is 1
// from then on; now stays the same. Nobody's inbox is notifier.ErrNotFound.
func (b *Inbox) one(ctx context.Context, seq int64, run func(now, settled int64) *redis.Cmd) (reply, error) {
	now, settled := b.millis(), int64(0)
	for range maxWarm {
		r, err := parseReply(run(now, settled))
		if err != nil {
			return r, err
		}
		switch r.code {
		case codeCold:
			var answers []warmed
			if answers, err = b.warm(ctx, []int64{seq}, now); err == nil {
				err = answers[0].err
			}
		case codeDue:
			err = b.expire(ctx, seq, now)
			settled = 1
		default:
			return r, r.outcome()
		}
		if err != nil {
			return reply{}, err
		}
	}
	return reply{}, errCold
}
