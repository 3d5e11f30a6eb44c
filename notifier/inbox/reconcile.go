package inbox

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"strconv"

	"github.com/redis/go-redis/v9"

	"github.com/carillonhq/carillon/internal/script"
	"github.com/carillonhq/carillon/notifier"
	"github.com/carillonhq/carillon/notifier/keys"
)

// Reconcile updates from SQL the inboxes whose version in Redis is lower than the given one, because Redis came back
// in an older state. It returns their number. Newer inboxes stay unchanged, and cold ones stay cold; a caller that
// has already read an older snapshot of a cold inbox can no longer restore it.
//
// It may be repeated. An inbox that fails, or whose snapshot is damaged, is logged and skipped, so
// that it does not delay the others. So an error means that Redis or SQL is unavailable.
func (b *Inbox) Reconcile(ctx context.Context, users []notifier.Dirty) (restored int, err error) {
	now := b.millis()
	for chunk := range slices.Chunk(users, badgeBatch) {
		n, err := b.reconcile(ctx, chunk, now)
		restored += n
		if err != nil {
			return restored, fmt.Errorf("reconcile %d inboxes: %w", len(users), script.MarkAway(err))
		}
	}
	return restored, nil
}

func (b *Inbox) reconcile(ctx context.Context, users []notifier.Dirty, now int64) (restored int, err error) {
	parts := map[int]bool{}
	for _, u := range users {
		parts[keys.Partition(u.Seq)] = true
	}
	// First raise the fences: a restore in progress is then rejected, or already visible below.
	if err := b.raise(ctx, parts, now); err != nil {
		return 0, err
	}
	older, err := b.olderThan(ctx, users)
	if err != nil || len(older) == 0 || b.sql == nil {
		return 0, err
	}
	known, err := b.sql.Snapshots(ctx, older)
	if err != nil {
		return 0, fmt.Errorf("read the snapshots of %d users: %w", len(older), err)
	}
	var list []notifier.Snapshot
	for _, seq := range older {
		if s, ok := known[seq]; ok && b.refusal(seq, known).err == nil {
			list = append(list, s)
		}
	}
	for len(list) > 0 {
		n := portion(list)
		answers, err := b.restore(ctx, list[:n], nil, now)
		if err != nil {
			return restored, err
		}
		for i, a := range answers {
			if a.err != nil {
				b.log.ErrorContext(ctx, "could not restore an inbox", "user_id", list[i].Seq, "err", a.err)
			} else {
				restored += int(a.reply.Code)
			}
		}
		list = list[n:]
	}
	return restored, nil
}

// olderThan returns which of these inboxes are in Redis with a lower version.
func (b *Inbox) olderThan(ctx context.Context, users []notifier.Dirty) (older []int64, err error) {
	pipe := b.rdb.Pipeline()
	vers := make([]*redis.StringCmd, len(users))
	for i, u := range users {
		vers[i] = pipe.HGet(ctx, b.k.State(u.Seq), "ver")
	}
	_, _ = pipe.Exec(ctx) // each command has its own error
	for i, u := range users {
		switch err := script.MarkAway(vers[i].Err()); {
		case errors.Is(err, notifier.ErrUnavailable) || ctx.Err() != nil:
			return nil, err
		case err != nil && !errors.Is(err, redis.Nil):
			b.log.ErrorContext(ctx, "could not read the version of an inbox", "user_id", u.Seq, "err", err)
		case err == nil && integer(vers[i].Val()) < u.Ver:
			older = append(older, u.Seq)
		}
	}
	return older, nil
}

// portion returns how many of these inboxes to restore at a time, based on their number of rows; at least one.
func portion(list []notifier.Snapshot) (n int) {
	rows := 0
	for n < len(list) && (n == 0 || rows+len(list[n].Rows) <= maxRows) {
		rows += len(list[n].Rows)
		n++
	}
	return n
}

// fences contains the fence of each partition: a number that rises whenever an inbox leaves Redis.
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
