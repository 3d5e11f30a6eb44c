package inbox

import (
	"context"
	"errors"
	"fmt"
	"slices"

	"github.com/RoaringBitmap/roaring/v2"
	"github.com/redis/go-redis/v9"

	"github.com/carillonhq/carillon/internal/script"
	"github.com/carillonhq/carillon/notifier"
)

// UnreadOf returns the users in among who have a notice in their inbox and have not read it. It excludes users who
// have read, archived or deleted it, and users in whose inbox a newer notice has replaced it.
func (b *Inbox) UnreadOf(ctx context.Context, n *notifier.Notice, among *roaring.Bitmap) (*roaring.Bitmap, error) {
	seqs := make([]int64, 0, among.GetCardinality())
	for seq := range roaring.Values(among) {
		seqs = append(seqs, int64(seq))
	}
	found := roaring.New()
	for chunk := range slices.Chunk(seqs, perPipeline) {
		missing, err := b.unreadOf(ctx, n, chunk, found)
		if err == nil {
			var woken bool
			if woken, err = b.wake(ctx, missing); woken && err == nil {
				_, err = b.unreadOf(ctx, n, missing, found)
			}
		}
		if err != nil {
			return nil, fmt.Errorf("find who has not read notice %d: %w", n.ID, err)
		}
	}
	return found, nil
}

// unreadOf adds to found the users who have the notice unread, and returns those without such a row.
func (b *Inbox) unreadOf(ctx context.Context, n *notifier.Notice, seqs []int64, found *roaring.Bitmap) (missing []int64, err error) {
	pipe := b.rdb.Pipeline()
	rows := make([]*redis.StringCmd, len(seqs))
	for i, seq := range seqs {
		rows[i] = pipe.HGet(ctx, b.k.Hash(seq), n.Key()+notifier.UnreadSuffix)
	}
	if _, err := pipe.Exec(ctx); err != nil && !errors.Is(err, redis.Nil) {
		return nil, script.MarkAway(err)
	}
	for i, seq := range seqs {
		switch err := rows[i].Err(); {
		case errors.Is(err, redis.Nil):
			missing = append(missing, seq)
		case err != nil:
			return nil, script.MarkAway(err)
		case listed(rows[i].Val(), n.ID):
			found.Add(uint32(seq)) //nolint:gosec // it came from a bitmap
		}
	}
	return missing, nil
}
