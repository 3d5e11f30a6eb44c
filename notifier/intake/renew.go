package intake

import (
	"context"
	"fmt"

	"github.com/carillonhq/carillon/internal/script"
)

// mostRenewed limits the entries carried over to a renewed stream, because they all move in one
// script.
const mostRenewed = 1000

// renew recreates the stream when its last id is not one that a clock can give: at the highest
// possible id Redis accepts no more entries. Unfinished entries move to the new stream with new
// ids, as if they had not been handed out. A handler that already has one works on it beside
// another, as after a takeover. With more than 1,000 unfinished entries the stream stays as it is
// until they are fewer; they need no new ids.
func (q *Intake) renew(ctx context.Context) error {
	n, err := renewStream.Run(ctx, q.c.Redis, []string{q.stream}, Group, mostRenewed).Int64()
	if err != nil {
		return fmt.Errorf("renew the intake: %w", script.MarkAway(err))
	}
	if n >= 0 {
		q.c.Log.WarnContext(ctx, "intake had run out of stream ids and was recreated", "stage", "intake", "entries", n)
		q.signalLost() // entries may have been refused in the meantime
	}
	return nil
}

// signalLost makes the relay put unfinished work back in that is not in the stream.
func (q *Intake) signalLost() {
	select {
	case q.lost <- struct{}{}:
	default: // an earlier signal is still waiting
	}
}
