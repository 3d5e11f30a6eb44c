package toast

import (
	"context"
	"fmt"
	"time"

	"github.com/redis/go-redis/v9"

	"github.com/carillonhq/carillon/internal/script"
	"github.com/carillonhq/carillon/notifier/keys"
)

const (
	clearEvery = 5 * time.Second
	clearParts = 6 // partitions at a time: all of them within a minute
	clearWalk  = (keys.Partitions + clearParts - 1) / clearParts
	clearMost  = 2000
	clearIdle  = time.Minute
	scanBatch  = 1000
)

// runner is toasts being cleared, and what it remembers from one look to the next.
type runner struct {
	*Toasts
	next   int // partition
	faulty int // so many rounds without a fault until all that failed has gone well since
}

// Run clears until ctx ends; then it returns nil. Within about a minute each partition
// is rid of what is older than the retention, and of the names of instances that hold
// nothing and are gone. One that cannot be cleared keeps no other from it. While Redis is
// away it goes on trying.
func (t *Toasts) Run(ctx context.Context) error {
	r := &runner{Toasts: t}
	tick := time.NewTicker(t.every)
	defer tick.Stop()
	for {
		r.note(ctx, r.round(ctx))
		select {
		case <-tick.C:
		case <-ctx.Done():
			return r.leave(ctx)
		}
	}
}

// round clears the partitions whose turn it is.
func (r *runner) round(ctx context.Context) error {
	if r.o.Lease != nil {
		if mine, err := r.o.Lease.Hold(ctx); err != nil || !mine {
			return err
		}
	}
	defer func() { r.next = (r.next + clearParts) % keys.Partitions }()
	var parts []int
	for i := range clearParts {
		parts = append(parts, (r.next+i)%keys.Partitions)
	}
	var first error
	for ctx.Err() == nil && len(parts) > 0 {
		more, err := r.clear(ctx, parts)
		if parts = more; first == nil {
			first = err
		}
	}
	return first
}

// clear clears some partitions once, and answers those that have more to clear, and the
// first error: the others are cleared.
func (t *Toasts) clear(ctx context.Context, parts []int) (more []int, err error) {
	pipe, cmds := script.NewPipe(t.rdb, len(parts)), make([]*redis.Cmd, len(parts))
	for i, p := range parts {
		cmds[i] = pipe.Add(
			ctx, clearToasts, 2, t.parts[p].stream, t.parts[p].raised,
			t.o.Retention.Milliseconds(), t.idle.Milliseconds(), clearMost,
		)
	}
	_ = pipe.Exec(ctx) // each command holds its own error
	for i, cmd := range cmds {
		n, bad := cmd.Int64Slice()
		if bad == nil && len(n) != 5 {
			bad = fmt.Errorf("%w: %d numbers", errReply, len(n))
		}
		if bad != nil {
			t.stats.failed.Add(1)
			if err == nil {
				err = fmt.Errorf("clear the toasts of partition %d: %w", parts[i], away(bad))
			}
			continue
		}
		t.stats.cleared.Add(n[0])
		if n[4] == 1 {
			more = append(more, parts[i])
		}
	}
	return more, err
}

// note logs that clearing began to fail, or works again: everywhere.
func (r *runner) note(ctx context.Context, err error) {
	switch {
	case ctx.Err() != nil:
	case err != nil:
		if r.faulty == 0 {
			r.o.Log.WarnContext(ctx, "toasts are not cleared", "stage", "toast", "err", err)
		}
		r.faulty = clearWalk
	case r.faulty > 0:
		if r.faulty--; r.faulty == 0 {
			r.o.Log.InfoContext(ctx, "toasts are cleared again", "stage", "toast")
		}
	}
}

// leave gives the lease back, so that nobody need wait for it.
func (r *runner) leave(ctx context.Context) error {
	if r.o.Lease == nil {
		return nil
	}
	ctx, cancel := context.WithTimeout(context.WithoutCancel(ctx), time.Second)
	defer cancel()
	if err := r.o.Lease.Release(ctx); err != nil && r.faulty == 0 {
		r.o.Log.WarnContext(ctx, "toast lease not released", "stage", "toast", "err", err)
	}
	return nil
}
