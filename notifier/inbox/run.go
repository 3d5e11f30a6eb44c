package inbox

import (
	"context"
	"fmt"
	"slices"
	"strconv"
	"sync"

	"github.com/redis/go-redis/v9"
	"golang.org/x/sync/errgroup"

	"github.com/carillonhq/carillon/internal/script"
)

// one runs a script on one inbox until it answers something final: a cold inbox
// is restored, and rows that expired leave, before it runs again. settled is 1
// from then on; now stays the same.
func (b *Inbox) one(ctx context.Context, seq int64, run func(now, settled int64) *redis.Cmd) (reply, error) {
	now, settled := b.millis(), int64(0)
	for range 4 {
		r, err := parseReply(run(now, settled))
		if err != nil {
			return r, err
		}
		switch r.code {
		case codeCold:
			_, err = b.warm(ctx, []int64{seq}, now)
		case codeDue:
			err = b.expire(ctx, seq, now)
			settled = 1
		default:
			return r, r.outcome()
		}
		if err != nil {
			return reply{}, err
		}
	}
	return reply{}, fmt.Errorf("%w: cold again after each start", errReply)
}

// task is one script for many inboxes. args appends its KEYS and ARGV for one
// of them; nkeys says how many of these are KEYS.
type task struct {
	script *script.Script
	nkeys  int
	args   func(to []any, seq int64, u userArgs) []any
}

// userArgs are the arguments that differ from user to user, or batch to batch.
type userArgs struct{ now, seq, channel any }

// many runs a task for all seqs, in pipelines of which two are under way at a
// time, and sums up the answers. An inbox that refuses does not keep the others
// from theirs; when Redis is away the rest is left out.
func (b *Inbox) many(ctx context.Context, seqs []int64, t task) (sum int, err error) {
	var mu sync.Mutex
	var refused error
	group, ctx := errgroup.WithContext(ctx)
	group.SetLimit(inFlight)
	for chunk := range slices.Chunk(seqs, batch) {
		group.Go(func() error {
			n, err := b.chunk(ctx, chunk, t)
			mu.Lock()
			defer mu.Unlock()
			sum += n
			if script.Away(err) || ctx.Err() != nil {
				return err
			}
			if refused == nil {
				refused = err
			}
			return nil
		})
	}
	if err := group.Wait(); err != nil {
		return sum, away(err)
	}
	return sum, refused
}

// chunk runs a task for the seqs of one pipeline, and again for those whose
// inbox was cold.
func (b *Inbox) chunk(ctx context.Context, seqs []int64, t task) (sum int, err error) {
	now := b.millis()
	sum, cold, refused := b.pass(ctx, seqs, t, now)
	if len(cold) == 0 || script.Away(refused) {
		return sum, refused
	}
	if _, err := b.warm(ctx, cold, now); err != nil {
		return sum, err
	}
	more, cold, err := b.pass(ctx, cold, t, now)
	switch {
	case refused != nil:
		err = refused
	case err == nil && len(cold) > 0:
		err = fmt.Errorf("%w: %d inboxes are cold again", errReply, len(cold))
	}
	return sum + more, err
}

func (b *Inbox) pass(ctx context.Context, seqs []int64, t task, now int64) (sum int, cold []int64, err error) {
	p := script.NewPipe(b.rdb, len(seqs))
	cmds := make([]*redis.Cmd, len(seqs))
	u := userArgs{now: now}
	var buf []any
	for i, seq := range seqs {
		u.seq, u.channel = strconv.FormatInt(seq, 10), b.k.LiveUser(seq)
		buf = t.args(buf[:0], seq, u)
		cmds[i] = p.Add(ctx, t.script, t.nkeys, buf...)
	}
	err = p.Exec(ctx)
	for i, cmd := range cmds {
		if cmd.Err() != nil {
			continue // Exec answers the first
		}
		r, bad := parseReply(cmd)
		switch {
		case bad != nil:
			err = bad
		case r.code == codeCold:
			cold = append(cold, seqs[i])
		default:
			sum += int(r.code)
		}
	}
	return sum, cold, err
}
