package announcement

import (
	"context"
	"fmt"

	"github.com/redis/go-redis/v9"

	"github.com/carillonhq/carillon/notifier"
)

// Reads answers how many have read each announcement in each audience, in order; -1
// where there is no bitmap: before it opens, after it is over, and while it is lost.
func (b *Board) Reads(ctx context.Context, parts []notifier.PartKey) ([]int64, error) {
	if len(parts) == 0 {
		return nil, nil
	}
	pipe := b.rdb.Pipeline()
	cmds := make([]*redis.IntCmd, len(parts))
	for i, p := range parts {
		cmds[i] = pipe.BitCount(ctx, b.k.Bits(p.Audience, p.ID), nil)
	}
	if _, err := pipe.Exec(ctx); err != nil {
		return nil, fmt.Errorf("count the readers of %d announcements: %w", len(parts), away(err))
	}
	reads := make([]int64, len(parts))
	for i, cmd := range cmds {
		reads[i] = cmd.Val() - 1 // bit 0 is nobody's
	}
	return reads, nil
}
