package toast

import (
	"context"
	"fmt"

	"github.com/carillonhq/carillon/notifier"
)

// Ack says that a user was shown these toasts: nobody is given them any more. It is
// notifier.ErrNotFound when none of them waits for him: they are another's, or
// acknowledged or gone already.
func (t *Toasts) Ack(ctx context.Context, seq int64, ids []string) error {
	args := make([]any, len(ids))
	for i, id := range ids {
		args[i] = id
	}
	n, err := ackToast.Run(ctx, t.rdb, t.keysOf(seq), args...).Int64()
	if err != nil {
		t.stats.failed.Add(1)
		return fmt.Errorf("acknowledge %d toasts of user %d: %w", len(ids), seq, away(err))
	}
	if n == 0 {
		return fmt.Errorf("acknowledge %d toasts of user %d: %w", len(ids), seq, notifier.ErrNotFound)
	}
	t.stats.acked.Add(n)
	return nil
}

// keysOf is the keys of one user's toasts.
func (t *Toasts) keysOf(seq int64) []string {
	stream, _ := t.part(seq).stream.(string)
	return []string{stream, t.k.PendingToasts(seq)}
}

// Forget takes out what waits for a deleted user, and that anything ever was raised for
// him.
func (t *Toasts) Forget(ctx context.Context, seq int64) error {
	err := forgetToasts.Run(ctx, t.rdb, t.keysOf(seq)).Err()
	if err == nil {
		err = t.forgetRaised(ctx, seq)
	}
	if err != nil {
		t.stats.failed.Add(1)
		return fmt.Errorf("forget the toasts of user %d: %w", seq, away(err))
	}
	return nil
}

func (t *Toasts) forgetRaised(ctx context.Context, seq int64) error {
	raised, _ := t.part(seq).raised.(string)
	for cursor := uint64(0); ; {
		found, next, err := t.rdb.ZScan(ctx, raised, cursor, fmt.Sprint("*|", seq), scanBatch).Result()
		if err != nil {
			return err
		}
		members := make([]any, 0, len(found)/2)
		for i := 0; i < len(found); i += 2 { // with their scores between
			members = append(members, found[i])
		}
		if len(members) > 0 {
			if err = t.rdb.ZRem(ctx, raised, members...).Err(); err != nil {
				return err
			}
		}
		if cursor = next; cursor == 0 {
			return nil
		}
	}
}
