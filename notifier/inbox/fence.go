package inbox

import (
	"context"
	"strconv"

	"github.com/redis/go-redis/v9"

	"github.com/carillonhq/carillon/notifier/keys"
)

// fences are numbers of partitions that only rise, each time an inbox leaves Redis:
// what was read of SQL before is not restored after. They stand in idle, as user 0,
// and are made of the time, so that those of another life of Redis are others.
type fences map[int]string

// of is the fence of a user's partition; empty where none is held.
func (f fences) of(seq int64) string { return f[keys.Partition(seq)] }

const fenceMember = "0"

// partitionsOf are those of some of these users.
func partitionsOf(seqs []int64, which []int) map[int]bool {
	parts := map[int]bool{}
	for _, i := range which {
		parts[keys.Partition(seqs[i])] = true
	}
	return parts
}

// fences reads those of these partitions, and makes what is missing.
func (b *Inbox) fences(ctx context.Context, parts map[int]bool, now int64) (fences, error) {
	pipe := b.rdb.Pipeline()
	cmds := make(map[int]*redis.FloatCmd, len(parts))
	for p := range parts {
		idle := b.parts[p].idle
		pipe.ZAddNX(ctx, idle, redis.Z{Score: float64(now), Member: fenceMember})
		cmds[p] = pipe.ZScore(ctx, idle, fenceMember)
	}
	if _, err := pipe.Exec(ctx); err != nil {
		return nil, away(err)
	}
	at := make(fences, len(parts))
	for p, cmd := range cmds {
		at[p] = strconv.FormatFloat(cmd.Val(), 'f', -1, 64)
	}
	return at, nil
}

// raise raises the fences of these partitions.
func (b *Inbox) raise(ctx context.Context, parts map[int]bool, now int64) error {
	pipe := b.rdb.Pipeline()
	for p := range parts {
		pipe.ZAddNX(ctx, b.parts[p].idle, redis.Z{Score: float64(now), Member: fenceMember})
		pipe.ZIncrBy(ctx, b.parts[p].idle, 1, fenceMember)
	}
	_, err := pipe.Exec(ctx)
	return away(err)
}
