package intake

import (
	"context"
	"fmt"

	"github.com/redis/go-redis/v9"

	"github.com/carillonhq/carillon/internal/script"
	"github.com/carillonhq/carillon/notifier"
)

const maxAdding = 10_000

// Add puts entries into the stream in a moment, in their order, as long as Run runs. It never
// blocks and answers nothing: what finds no place among 10,000 that wait, or meets a
// Redis that is away, is left to the relay.
func (q *Intake) Add(entries ...Entry) {
	for _, e := range entries {
		select {
		case q.adding <- e:
		default:
			return
		}
	}
}

// Put puts entries into the stream and returns when they are there. After an error some
// may be. It needs no Run.
func (q *Intake) Put(ctx context.Context, entries ...Entry) error {
	for len(entries) > 0 {
		n := min(len(entries), q.c.Batch)
		if err := q.put(ctx, entries[:n]); err != nil {
			return err
		}
		entries = entries[n:]
	}
	return nil
}

func (q *Intake) put(ctx context.Context, entries []Entry) error {
	_, err := q.c.Redis.Pipelined(ctx, func(p redis.Pipeliner) error {
		for _, e := range entries {
			p.XAdd(ctx, &redis.XAddArgs{Stream: q.stream, Values: encode(e)})
		}
		return nil
	})
	if err != nil {
		return fmt.Errorf("put %d entries into the intake: %w", len(entries), away(err))
	}
	return nil
}

// addAll puts in what Add took, until ctx ends and nothing waits.
func (q *Intake) addAll(ctx, work context.Context) {
	batch := make([]Entry, 0, q.c.Batch)
	failing := false
	for {
		var first Entry
		select {
		case first = <-q.adding:
		case <-ctx.Done():
			// Where both may be had, select takes either: look once more before the end.
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
			q.c.Log.WarnContext(ctx, "intake takes nothing in, the relay will", "stage", "intake", "err", err)
		}
		failing = err != nil
	}
}

// away marks an error that means that Redis cannot be reached.
func away(err error) error {
	if script.Away(err) {
		return fmt.Errorf("%w: %w", notifier.ErrUnavailable, err)
	}
	return err
}
