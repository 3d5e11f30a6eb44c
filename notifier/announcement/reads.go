package announcement

import (
	"context"
	"fmt"

	"github.com/redis/go-redis/v9"

	"github.com/carillonhq/carillon/internal/script"
	"github.com/carillonhq/carillon/notifier"
)

// Reads returns how many users have read each announcement in each audience, in order. It is -1 if
// there is no bitmap: before it opens, after it is over, and while it is lost. It is also -1
// between an edit that marks the announcement as unread for everybody and the next Sync.
func (b *Board) Reads(ctx context.Context, parts []notifier.Counting) ([]int64, error) {
	if len(parts) == 0 {
		return nil, nil
	}
	pipe := script.NewPipe(b.rdb, len(parts))
	cmds := make([]*redis.Cmd, len(parts))
	for i, p := range parts {
		cmds[i] = pipe.Add(ctx, countPart, 2, b.k.Bits(p.Audience, p.ID), b.k.DirtyBits(p.Audience), p.ID, p.Top, p.From)
	}
	if err := pipe.Exec(ctx); err != nil {
		return nil, fmt.Errorf("count the readers of %d announcements: %w", len(parts), script.MarkAway(err))
	}
	reads := make([]int64, len(parts))
	for i, cmd := range cmds {
		rep, err := script.ParseReply(cmd)
		if err != nil {
			return nil, fmt.Errorf("count the readers of announcement %d: %w", parts[i].ID, err)
		}
		reads[i] = rep.Code
	}
	return reads, nil
}
