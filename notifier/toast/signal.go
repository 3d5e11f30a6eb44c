package toast

import (
	"context"
	"errors"
	"fmt"
	"slices"

	"github.com/redis/go-redis/v9"

	"github.com/carillonhq/carillon/internal/script"
	"github.com/carillonhq/carillon/notifier"
)

// Waiting reports for each user whether any toast waits for them. It may report a toast that no
// longer needs to be shown; Take determines that. For a user that cannot be read it reports false, and
// returns the error together with the results for all others. If Redis is unavailable, it returns no
// results.
func (t *Toasts) Waiting(ctx context.Context, seqs []int64) ([]bool, error) {
	waiting := make([]bool, 0, len(seqs))
	var first error
	for some := range slices.Chunk(seqs, lookBatch) {
		pipe := t.rdb.Pipeline()
		counts := make([]*redis.IntCmd, len(some))
		for i, seq := range some {
			counts[i] = pipe.ZCard(ctx, t.k.PendingToasts(seq))
		}
		_, _ = pipe.Exec(ctx) // each command has its own error
		for i, c := range counts {
			n, err := c.Result()
			if err != nil {
				t.stats.failed.Add(1)
				err = fmt.Errorf("check for waiting toasts of user %d: %w", some[i], script.MarkAway(err))
			}
			if errors.Is(err, notifier.ErrUnavailable) || err != nil && ctx.Err() != nil {
				return nil, err
			}
			if waiting = append(waiting, n > 0); first == nil {
				first = err
			}
		}
	}
	return waiting, first
}

// Signal publishes s to every instance to which this user is connected.
func (t *Toasts) Signal(ctx context.Context, seq int64, s notifier.Signal) error {
	if err := t.rdb.Publish(ctx, t.k.LiveUser(seq), s.String()).Err(); err != nil {
		t.stats.failed.Add(1)
		return fmt.Errorf("signal to user %d: %w", seq, script.MarkAway(err))
	}
	return nil
}

// Nudge notifies every instance to which one of these users is connected that a toast shown here was
// not acknowledged.
func (t *Toasts) Nudge(ctx context.Context, seqs []int64) error {
	waits := notifier.Signal{Kind: notifier.SignalNudge}.String()
	for some := range slices.Chunk(seqs, lookBatch) {
		_, err := t.rdb.Pipelined(ctx, func(pipe redis.Pipeliner) error {
			for _, seq := range some {
				pipe.Publish(ctx, t.k.LiveUser(seq), waits)
			}
			return nil
		})
		if err != nil {
			t.stats.failed.Add(1)
			return fmt.Errorf("nudge %d users: %w", len(some), script.MarkAway(err))
		}
	}
	return nil
}
