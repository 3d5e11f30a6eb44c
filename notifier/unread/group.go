package unread

import (
	"cmp"
	"context"
	"errors"
	"sync"
	"sync/atomic"
	"time"

	"github.com/carillonhq/carillon/notifier"
)

// stepWait bounds one batch, so that a database that hangs is given up.
const stepWait = 10 * time.Second

// group is eight partitions, written one batch after the other: what it has in
// memory waits for SQL, and what SQL is too slow for waits in Redis.
type group struct {
	f     *Flusher
	first int   // its first partition
	lease Lease // nil: always ours

	err    error        // of the last round
	oldest atomic.Int64 // version of the oldest mark seen and not yet written; 0: none

	mu      sync.Mutex // Run and Flush take turns
	turn    int        // the partition whose marks are asked for first
	counts  counts
	marked  time.Time // when SQL was last told until when it has everything
	tended  int       // the partition that is looked after next
	checked int       // the partition of which some are checked next
	sampled time.Time
}

// run does a round each second, and fewer while they fail. While Redis does not even say
// whose they are, which costs nobody anything, it goes on asking each second: what waited
// is to be in SQL a moment after Redis is back.
func (g *group) run(ctx context.Context, delay time.Duration) error {
	wait := time.NewTimer(delay)
	defer wait.Stop()
	pause := g.f.c.Every
	for {
		select {
		case <-wait.C:
		case <-ctx.Done():
			return g.leave(ctx)
		}
		mine, err := g.round(ctx)
		g.f.note(ctx, g.err, err)
		if g.err = err; err != nil && mine {
			pause = min(2*pause, max(maxPause, g.f.c.Every))
		} else {
			pause = g.f.c.Every
		}
		wait.Reset(pause)
	}
}

// round writes what is marked, and some of the counts, and looks after some of the
// inboxes, as long as that is ours to do: mine says whether it was.
func (g *group) round(ctx context.Context) (mine bool, err error) {
	g.mu.Lock()
	due := g.f.c.Now().Sub(g.marked) >= markEvery
	g.mu.Unlock()
	if mine, err = g.write(ctx, due, g.hold); err != nil || !mine {
		return mine, err
	}
	g.tend(ctx)
	g.mu.Lock()
	defer g.mu.Unlock()
	return true, g.counts.round(ctx, &[groupSize]bool{})
}

// flush writes what is marked, and all counts, whoever holds the lease.
func (g *group) flush(ctx context.Context) error {
	_, err := g.write(ctx, true, func(context.Context) (bool, error) { return true, nil })
	if away(err) {
		return err
	}
	g.mu.Lock()
	defer g.mu.Unlock()
	return errors.Join(err, g.counts.all(ctx))
}

// write writes batches until everything is written that was marked when it began. A
// user whom it fails for holds up no other: it goes on as long as each batch brings
// it further. With note SQL is told then, until when it has everything.
func (g *group) write(ctx context.Context, note bool, may func(context.Context) (bool, error)) (mine bool, first error) {
	if mine, err := may(ctx); err != nil || !mine {
		return mine, err
	}
	var m *since
	if note {
		m, first = g.begin(ctx) // which asks SQL; how far it is behind is seen all the same
	}
	for r := newRound(g.f.c.Now()); !r.done(); {
		written, err := g.batch(ctx, r)
		if first == nil {
			first = cmp.Or(err, r.stuck)
		}
		if err != nil && written == 0 || away(err) || ctx.Err() != nil {
			return true, first
		}
		if r.done() {
			break
		}
		if mine, err := may(ctx); err != nil || !mine {
			return mine, errors.Join(first, err)
		}
	}
	if first == nil && m != nil {
		first = g.note(ctx, m)
	}
	return true, first
}

func (g *group) hold(ctx context.Context) (bool, error) {
	if g.lease == nil {
		return true, nil
	}
	mine, err := g.lease.Hold(ctx)
	if err == nil && !mine {
		g.oldest.Store(0) // another one writes, and knows how far it is
	}
	return mine, err
}

// leave gives the lease back, so that another instance need not wait for it.
func (g *group) leave(ctx context.Context) error {
	if g.lease == nil {
		return nil
	}
	ctx, cancel := context.WithTimeout(context.WithoutCancel(ctx), time.Second)
	defer cancel()
	if err := g.lease.Release(ctx); err != nil && g.err == nil {
		g.f.c.Log.WarnContext(ctx, "flush lease not released", "stage", "unread", "err", err)
	}
	return nil
}

// away says whether an error is of SQL or Redis as a whole, so that nobody
// else's inbox would fare better.
func away(err error) bool {
	return errors.Is(err, notifier.ErrUnavailable) || errors.Is(err, context.DeadlineExceeded) || errors.Is(err, context.Canceled)
}
