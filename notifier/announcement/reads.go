package announcement

import (
	"context"
	"fmt"

	"github.com/redis/go-redis/v9"

	"github.com/carillonhq/carillon/internal/script"
	"github.com/carillonhq/carillon/notifier"
)

// Reads answers how many have read each announcement in each audience, in order; -1
// where there is no bitmap: before it opens, after it is over, and while it is lost.
func (b *Board) Reads(ctx context.Context, parts []notifier.Counting) ([]int64, error) {
	if len(parts) == 0 {
		return nil, nil
	}
	pipe := script.NewPipe(b.rdb, len(parts))
	cmds := make([]*redis.Cmd, len(parts))
	for i, p := range parts {
		cmds[i] = pipe.Add(ctx, countPart, 1, b.k.Bits(p.Audience, p.ID), p.Top)
	}
	if err := pipe.Exec(ctx); err != nil {
		return nil, fmt.Errorf("count the readers of %d announcements: %w", len(parts), away(err))
	}
	reads := make([]int64, len(parts))
	for i, cmd := range cmds {
		rep, err := parseReply(cmd)
		if err != nil {
			return nil, fmt.Errorf("count the readers of announcement %d: %w", parts[i].ID, err)
		}
		reads[i] = rep.code
	}
	return reads, nil
}
