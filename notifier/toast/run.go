package toast

import (
	"context"
	"fmt"
	"time"

	"github.com/redis/go-redis/v9"

	"github.com/carillonhq/carillon/internal/lease"
	"github.com/carillonhq/carillon/internal/script"
	"github.com/carillonhq/carillon/notifier/keys"
)

const (
	clearEvery = 5 * time.Second
	clearParts = 6 // partitions per round: all of them within a minute
	clearWalk  = (keys.Partitions + clearParts - 1) / clearParts
	clearMost  = 2000
	clearIdle  = time.Minute
	scanBatch  = 1000
)

// runner is the state of Run between rounds.
type runner struct {
	*Toasts
	next  int   // first partition of the next round
	fault error // of the last round
	left  int   // successful rounds still needed before clearing counts as recovered
}

// Run clears old toasts until ctx ends, then returns nil. Within about a minute it removes from
// each partition the toasts older than the retention, and the consumers of stopped instances that
// hold nothing. A partition that cannot be cleared does not delay the others. While Redis is
// unavailable it retries.
func (t *Toasts) Run(ctx context.Context) error {
	r := &runner{Toasts: t}
	return lease.Work{Stage: "toast", Lease: t.o.Lease, Every: t.every, Do: r.walk, Log: t.o.Log}.Run(ctx)
}

// walk runs a round. A broken partition fails one round in each walk over all partitions, so
// clearing counts as failing until a whole walk has succeeded.
func (r *runner) walk(ctx context.Context) error {
	if err := r.round(ctx); err != nil {
		r.fault, r.left = err, clearWalk
	} else if r.left--; r.left <= 0 {
		r.fault, r.left = nil, 0
	}
	return r.fault
}

// round clears the next few partitions.
func (r *runner) round(ctx context.Context) error {
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

// clear clears each of these partitions once. It returns the partitions with more to clear and the
// first error; an error in one partition does not stop the others.
func (t *Toasts) clear(ctx context.Context, parts []int) (more []int, err error) {
	pipe, cmds := script.NewPipe(t.rdb, len(parts)), make([]*redis.Cmd, len(parts))
	for i, p := range parts {
		cmds[i] = pipe.Add(
			ctx, clearToasts, 2, t.parts[p].stream, t.parts[p].raised,
			t.o.Retention.Milliseconds(), t.idle.Milliseconds(), clearMost,
		)
	}
	_ = pipe.Exec(ctx) // each command has its own error
	for i, cmd := range cmds {
		r, bad := script.ParseReply(cmd)
		if bad == nil && len(r.Rest) != 4 {
			bad = fmt.Errorf("%w: %d numbers", script.ErrReply, 1+len(r.Rest))
		}
		if bad != nil {
			t.stats.failed.Add(1)
			if err == nil {
				err = fmt.Errorf("clear the toasts of partition %d: %w", parts[i], bad)
			}
			continue
		}
		t.stats.cleared.Add(r.Code)
		if r.Number(3) == 1 {
			more = append(more, parts[i])
		}
	}
	return more, err
}
