package delivery

import (
	"context"
	"errors"
	"fmt"
	"strconv"
	"strings"
	"time"

	"github.com/carillonhq/carillon/internal/script"
)

const (
	mostCounted = 25_000 // most entries counted one by one when Redis does not report the lag
	trimEvery   = 5      // looks
)

// Backlog returns how many entries are unfinished, in the stream and on their way to it, according
// to the last look, which is at most IntakeConfig.Every old. While Redis is unavailable it counts only
// the entries that wait in this process.
func (q *Intake) Backlog() int64 { return q.backlog.Load() + int64(len(q.adding)+len(q.direct)) }

// Oldest returns when the oldest unfinished entry was added, and false if there is none.
func (q *Intake) Oldest(ctx context.Context) (time.Time, bool, error) {
	_, ms, err := q.look(ctx)
	if err != nil || ms == 0 {
		return time.Time{}, false, err
	}
	return time.UnixMilli(ms), true, nil
}

// watch looks at the stream and keeps it short until ctx ends. Every process does this: it costs
// little, and doing it twice does no harm.
func (q *Intake) watch(ctx context.Context) {
	tick := time.NewTicker(q.c.Every)
	defer tick.Stop()
	swept := q.c.Now()
	for looks := 0; ; looks++ {
		spilled := q.lastSpill()
		n, ms, err := q.look(ctx)
		if err != nil {
			n, ms = 0, 0 // an unknown backlog must not hold anyone up
		} else {
			q.unspill(spilled, n)
		}
		q.backlog.Store(n)
		q.oldest.Store(ms)
		if err == nil && looks%trimEvery == 0 {
			if err = trimStream.Run(ctx, q.c.Redis, []string{q.stream}, Group).Err(); err == nil {
				err = q.renew(ctx)
			}
		}
		if now := q.c.Now(); err == nil && now.Sub(swept) >= q.c.Gone {
			swept = now
			err = q.dropMembers(ctx, "")
		}
		if err != nil && ctx.Err() == nil {
			q.c.Log.DebugContext(ctx, "could not look at the intake", "stage", "intake", "err", err)
		}
		select {
		case <-tick.C:
		case <-ctx.Done():
			return
		}
	}
}

// look returns the number of unfinished entries and when the oldest was added, in ms.
func (q *Intake) look(ctx context.Context) (n, ms int64, err error) {
	r, err := script.ParseReply(lookStream.Run(ctx, q.c.Redis, []string{q.stream}, Group, mostCounted))
	if err != nil {
		return 0, 0, fmt.Errorf("look at the intake: %w", err)
	}
	if len(r.Rest) != 1 {
		return 0, 0, fmt.Errorf("look at the intake: %w: %d elements", script.ErrReply, 1+len(r.Rest))
	}
	n, id := r.Code, r.Text(0)
	if id == "" {
		return n, 0, nil
	}
	before, _, _ := strings.Cut(id, "-")
	at, err := strconv.ParseInt(before, 10, 64)
	if err != nil && !errors.Is(err, strconv.ErrRange) { // on ErrRange, ParseInt returns the highest number
		return 0, 0, fmt.Errorf("%w: %w", script.ErrReply, err)
	}
	return n, min(at, q.c.Now().UnixMilli()), nil // an id that no clock gave counts as added now
}

// dropMembers removes group members that have no entries and have been inactive for Config.Gone,
// and the member named leaving regardless of its activity.
func (q *Intake) dropMembers(ctx context.Context, leaving string) error {
	return dropMembers.Run(ctx, q.c.Redis, []string{q.stream}, Group, q.c.Gone.Milliseconds(), leaving).Err()
}

// leave removes this process from the group. If entries are still pending with it, it stays a
// member until others have taken those over and removed it.
func (q *Intake) leave(ctx context.Context) {
	if err := q.dropMembers(ctx, q.c.Name); err != nil {
		q.c.Log.DebugContext(ctx, "could not leave the group", "stage", "intake", "err", err)
	}
}

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
