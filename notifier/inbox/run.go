package inbox

import (
	"context"
	"errors"

	"github.com/redis/go-redis/v9"

	"github.com/carillonhq/carillon/internal/script"
)

// maxWarm is how often an operation restores a cold inbox before it gives up; each time the inbox
// has been evicted again.
const maxWarm = 4

var errCold = errors.New("the inbox is cold again after every restore")

// one runs a script on one inbox until the reply is final: if needed, it restores a cold inbox or
// removes expired rows and runs the script again. now stays the same; settled is 1 once expired
// rows have been removed. The error for an unknown user is notifier.ErrNotFound.
func (b *Inbox) one(ctx context.Context, seq int64, run func(now, settled int64) *redis.Cmd) (script.Reply, error) {
	now, settled := b.millis(), int64(0)
	for range maxWarm {
		r, err := script.ParseReply(run(now, settled))
		if err != nil {
			return r, err
		}
		switch r.Code {
		case codeCold:
			var answers []warmed
			if answers, err = b.warm(ctx, []int64{seq}, now); err == nil {
				err = answers[0].err
			}
		case codeDue:
			err = b.expire(ctx, seq, now)
			settled = 1
		default:
			return r, outcome(r)
		}
		if err != nil {
			return script.Reply{}, err
		}
	}
	return script.Reply{}, errCold
}
