package intake

import (
	"context"
	"errors"
	"fmt"
	"strconv"
	"strings"
	"time"
)

const (
	mostCounted = 25_000 // entries counted one by one, where Redis does not know
	trimEvery   = 5      // looks
)

// Backlog is how many entries are not done, in the stream and on the way to it, as of the last
// look, at most Config.Every ago. It is what waits here only while Redis is away.
func (q *Intake) Backlog() int64 { return q.backlog.Load() + int64(len(q.adding)) }

// Oldest is when the oldest entry that is not done was put in; false when all are done.
func (q *Intake) Oldest(ctx context.Context) (time.Time, bool, error) {
	_, ms, err := q.look(ctx)
	if err != nil || ms == 0 {
		return time.Time{}, false, err
	}
	return time.UnixMilli(ms), true, nil
}

// watch looks at the stream and keeps it short, until ctx ends. Each process does: it
// costs little, and twice does no harm.
func (q *Intake) watch(ctx context.Context) {
	tick := time.NewTicker(q.c.Every)
	defer tick.Stop()
	swept := q.c.Now()
	for looks := 0; ; looks++ {
		n, ms, err := q.look(ctx)
		if err != nil {
			n, ms = 0, 0 // what cannot be seen holds nobody up
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
			q.c.Log.DebugContext(ctx, "intake not looked at", "stage", "intake", "err", err)
		}
		select {
		case <-tick.C:
		case <-ctx.Done():
			return
		}
	}
}

// look returns how many entries are not done, and when the oldest was put in, in ms.
func (q *Intake) look(ctx context.Context) (n, ms int64, err error) {
	reply, err := lookStream.Run(ctx, q.c.Redis, []string{q.stream}, Group, mostCounted).Slice()
	if err != nil {
		return 0, 0, fmt.Errorf("look at the intake: %w", away(err))
	}
	if len(reply) != 2 {
		return 0, 0, errReply
	}
	n, isCount := reply[0].(int64)
	id, isID := reply[1].(string)
	if !isCount || !isID {
		return 0, 0, errReply
	}
	if id == "" {
		return n, 0, nil
	}
	before, _, _ := strings.Cut(id, "-")
	at, err := strconv.ParseInt(before, 10, 64)
	if err != nil && !errors.Is(err, strconv.ErrRange) { // which is answered with the greatest
		return 0, 0, fmt.Errorf("%w: %w", errReply, err)
	}
	return n, min(at, q.c.Now().UnixMilli()), nil // an id that no clock gave is as if of now
}

// dropMembers forgets members of the group that have nothing and did nothing for long,
// and one that leaves.
func (q *Intake) dropMembers(ctx context.Context, leaving string) error {
	return dropMembers.Run(ctx, q.c.Redis, []string{q.stream}, Group, q.c.Gone.Milliseconds(), leaving).Err()
}

// leave ends the membership. What is still pending keeps it: others take that over, and
// forget this one then.
func (q *Intake) leave(ctx context.Context) {
	if err := q.dropMembers(ctx, q.c.Name); err != nil {
		q.c.Log.DebugContext(ctx, "group not left", "stage", "intake", "err", err)
	}
}
