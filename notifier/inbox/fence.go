package inbox

import (
	"context"
	"strconv"

	"github.com/redis/go-redis/v9"

	"github.com/carillonhq/carillon/internal/script"
	"github.com/carillonhq/carillon/notifier/keys"
)

// fences holds the fence of each partition: a number that rises whenever an inbox leaves Redis.
// A snapshot read from SQL before that is not restored afterwards. The fence is stored in idle,
// as the score of user 0, and starts as the time, so that it differs after a loss of Redis.
type fences map[int]string

// of returns the fence of the user's partition; empty if f has none.
func (f fences) of(seq int64) string { return f[keys.Partition(seq)] }

const fenceMember = "0"

// partitionsOf returns the partitions of the users at the given indexes of seqs.
func partitionsOf(seqs []int64, which []int) map[int]bool {
	parts := map[int]bool{}
	for _, i := range which {
		parts[keys.Partition(seqs[i])] = true
	}
	return parts
}

// fences reads the fences of these partitions, and creates missing ones.
func (b *Inbox) fences(ctx context.Context, parts map[int]bool, now int64) (fences, error) {
	pipe := b.rdb.Pipeline()
	cmds := make(map[int]*redis.FloatCmd, len(parts))
	for p := range parts {
		idle := b.parts[p].idle
		pipe.ZAddNX(ctx, idle, redis.Z{Score: float64(now), Member: fenceMember})
		cmds[p] = pipe.ZScore(ctx, idle, fenceMember)
	}
	if _, err := pipe.Exec(ctx); err != nil {
		return nil, script.MarkAway(err)
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
	return script.MarkAway(err)
}
