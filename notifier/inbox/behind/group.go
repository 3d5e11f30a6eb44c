package behind

import (
	"cmp"
	"context"
	"errors"
	"sync"
	"sync/atomic"
	"time"

	"github.com/carillonhq/carillon/internal/lease"
	"github.com/carillonhq/carillon/notifier"
)

// stepWait limits the duration of one batch, so that a hanging database does not block forever.
const stepWait = 10 * time.Second

// group writes eight partitions, one batch after another. At most one batch is in memory; while
// SQL is slow, other changes wait in Redis.
type group struct {
	f     *Flusher
	first int // its first partition
	lease lease.Lease

	err    error        // of the last round
	oldest atomic.Int64 // version of the oldest dirty mark that was read but not yet written; 0: none
	late   atomic.Int64 // acceptance in the oldest late mark; 0: none

	mu      sync.Mutex // serializes Run and Flush
	turn    int        // the partition whose marks are read first
	counts  counts
	marked  time.Time // when SetFlushed was last called
	tended  int       // the next partition for tend
	checked int       // the next partition to sample
	sampled time.Time
	hasty   bool      // late marks that are due remain after a round
	helped  time.Time // when help last looked for late marks
}

// run starts a round every Config.Every, and less often while rounds fail. It does not slow down if only the lease
// request fails: a request is cheap, and pending changes should reach SQL soon after Redis is back.
func (g *group) run(ctx context.Context, delay time.Duration) error {
	wait := time.NewTimer(delay)
	defer wait.Stop()
	pause := g.f.c.Every
	for {
		select {
		case <-wait.C:
		case <-ctx.Done():
			lease.GiveUp(ctx, g.lease)
			return nil
		}
		mine, err := g.round(ctx)
		g.f.note(ctx, g.err, err)
		if g.err = err; err != nil && mine {
			pause = min(2*pause, max(maxPause, g.f.c.Every))
		} else {
			pause = g.f.c.Every
		}
		if err == nil && g.hasty {
			wait.Reset(0)
		} else {
			wait.Reset(pause)
		}
	}
}

// round writes the marked inboxes and some counts, and maintains some inboxes, while this instance
// holds the lease. mine reports whether it did.
func (g *group) round(ctx context.Context) (mine bool, err error) {
	g.mu.Lock()
	due := g.f.c.Now().Sub(g.marked) >= markEvery
	g.mu.Unlock()
	counted := g.counts.saveDelivered(ctx)
	g.hasty = false
	mine, err = g.write(ctx, due, g.hold)
	switch {
	case away(err):
		return mine, err
	case !mine:
		return false, errors.Join(err, counted, g.help(ctx))
	}
	if err = errors.Join(err, counted, g.writeLate(ctx)); err != nil { // an inbox that fails does not hold up late marks
		return true, err
	}
	g.tend(ctx)
	g.mu.Lock()
	defer g.mu.Unlock()
	return true, g.counts.round(ctx, &[groupSize]bool{})
}

// flush writes the marked inboxes and all counts, with or without the lease.
func (g *group) flush(ctx context.Context) error {
	if err := g.ripenAll(ctx); err != nil {
		return err
	}
	_, err := g.write(ctx, true, func(context.Context) (bool, error) { return true, nil })
	if away(err) {
		return err
	}
	g.mu.Lock()
	defer g.mu.Unlock()
	return errors.Join(err, g.counts.all(ctx))
}

// write writes batches until everything is written that was marked at its start. If it fails
// for one user, the others are still written: it continues as long as each batch makes progress. With
// note, it then records in SQL up to when SQL is complete.
func (g *group) write(ctx context.Context, note bool, may func(context.Context) (bool, error)) (mine bool, first error) {
	if mine, err := may(ctx); err != nil || !mine {
		return mine, err
	}
	var m *since
	if note {
		m, first = g.begin(ctx) // this queries SQL; if it fails, the lag is still measured below
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
	mine, err := g.lease.Hold(ctx)
	if err == nil && !mine {
		g.oldest.Store(0) // another instance writes and reports the lag
		g.late.Store(0)
	}
	return mine, err
}

// away reports whether an error means that SQL or Redis as a whole is unavailable, so that other
// inboxes would fail too.
func away(err error) bool {
	return errors.Is(err, notifier.ErrUnavailable) || errors.Is(err, context.DeadlineExceeded) || errors.Is(err, context.Canceled)
}
