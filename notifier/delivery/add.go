package delivery

import (
	"context"
	"fmt"
	"slices"

	"github.com/redis/go-redis/v9"

	"github.com/carillonhq/carillon/internal/script"
)

const maxAdding = 10_000

// Add queues entries, in order, for Run to deliver or to put into the stream within moments. It never
// blocks and reports nothing: entries that find 10,000 others waiting, or that cannot be delivered or
// written because Redis is unavailable, are left to the relay.
func (q *Intake) Add(entries ...Entry) {
	for _, e := range entries {
		if q.takeDirect(e) {
			continue
		}
		if !q.enqueue(e) {
			return
		}
	}
}

// enqueue queues an entry for the stream. It returns false if there is no room.
func (q *Intake) enqueue(e Entry) bool {
	q.writing.Add(1)
	if follows(e) {
		q.spill()
	}
	select {
	case q.adding <- e:
		return true
	default:
		q.writing.Add(-1)
		return false
	}
}

// Put writes entries to the stream and returns once they are there. After an error, some of them
// may be there. It does not need Run.
func (q *Intake) Put(ctx context.Context, entries ...Entry) error {
	for len(entries) > 0 {
		n := min(len(entries), q.c.Batch)
		q.writing.Add(int64(n))
		if slices.ContainsFunc(entries[:n], follows) {
			q.spill()
		}
		if err := q.put(ctx, entries[:n]); err != nil {
			return err
		}
		entries = entries[n:]
	}
	return nil
}

// put writes entries that are counted in writing.
func (q *Intake) put(ctx context.Context, entries []Entry) error {
	defer q.writing.Add(-int64(len(entries)))
	_, err := q.c.Redis.Pipelined(ctx, func(p redis.Pipeliner) error {
		for _, e := range entries {
			p.XAdd(ctx, &redis.XAddArgs{Stream: q.stream, Values: encode(e)})
		}
		return nil
	})
	if err != nil {
		return fmt.Errorf("put %d entries into the intake: %w", len(entries), script.MarkAway(err))
	}
	return nil
}

// addAll writes the entries queued by Add until ctx has ended and the queue is empty.
func (q *Intake) addAll(ctx, work context.Context) {
	batch := make([]Entry, 0, q.c.Batch)
	failing := false
	for {
		var first Entry
		select {
		case first = <-q.adding:
		case <-ctx.Done():
			// Select picks at random when both are ready: drain the queue before stopping.
			select {
			case first = <-q.adding:
			default:
				return
			}
		}
		batch = append(batch[:0], first)
		for len(batch) < cap(batch) && len(q.adding) > 0 {
			batch = append(batch, <-q.adding)
		}
		err := q.put(work, batch)
		if err != nil && !failing {
			q.c.Log.WarnContext(ctx, "could not add entries to the intake; the relay will add them", "stage", "intake", "err", err)
		}
		failing = err != nil
	}
}
