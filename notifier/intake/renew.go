package intake

import (
	"context"
	"fmt"
)

// mostRenewed is how many entries a renewed stream may begin with: in one step of Redis.
const mostRenewed = 1000

// renew makes a stream anew whose last id is none that a clock gives: behind the last
// possible one Redis takes nothing in any more. What is not done goes over with new ids,
// as if it had not been handed out: who has it in hand does it beside another, as after a takeover.
// While more than 1,000 entries are not done the stream stays; they need no new ids.
func (q *Intake) renew(ctx context.Context) error {
	n, err := renewStream.Run(ctx, q.c.Redis, []string{q.stream}, Group, mostRenewed).Int64()
	if err != nil {
		return fmt.Errorf("renew the intake: %w", away(err))
	}
	if n >= 0 {
		q.c.Log.WarnContext(ctx, "intake had no ids left and was made anew", "stage", "intake", "entries", n)
		q.tellLost() // what was refused meanwhile
	}
	return nil
}

// tellLost has the relay put in what is unfinished and not there.
func (q *Intake) tellLost() {
	select {
	case q.lost <- struct{}{}:
	default: // it was said and not heard yet
	}
}
