// Package pipeline joins the stages: it takes a draft in, and sees to it that
// what was accepted reaches its end, on whichever instance is free.
package pipeline

import (
	"context"
	"fmt"
	"sync"
	"sync/atomic"

	"github.com/RoaringBitmap/roaring/v2"
	"golang.org/x/sync/errgroup"
	"golang.org/x/sync/semaphore"

	"github.com/carillonhq/carillon/notifier"
	"github.com/carillonhq/carillon/notifier/sweep"
)

// Store keeps notices for good. What it has accepted is never lost.
type Store interface {
	AnnouncementStore
	// Accept stores n and gives it its id.
	Accept(ctx context.Context, n *notifier.Notice) error
	// Notice returns notifier.ErrNotFound for an unknown id.
	Notice(ctx context.Context, id int64) (notifier.Notice, error)
	// SetRecipients writes them unless somebody has, and returns what is stored.
	SetRecipients(ctx context.Context, id int64, to *roaring.Bitmap) (*roaring.Bitmap, error)
	Recipients(ctx context.Context, id int64) (*roaring.Bitmap, error)
	// FirstRecipients returns the lowest seq among the recipients of each notice that has any.
	FirstRecipients(ctx context.Context, ids []int64) (map[int64]int64, error)
	// Unfinished lists notices that are accepted, sending or retracting, oldest first.
	Unfinished(ctx context.Context, limit int) ([]int64, error)
	// Advance moves the cursor of a notice that still is in that state.
	Advance(ctx context.Context, id int64, state notifier.State, done int64) error
	// SetState is false when the notice was not in the state from. It resets the cursor.
	SetState(ctx context.Context, id int64, from, to notifier.State) (bool, error)
}

// Inbox writes to inboxes. Whatever is repeated changes nothing.
type Inbox interface {
	sweep.Expirer
	Deliver(ctx context.Context, n *notifier.Notice, seqs []int64) (changed int, err error)
	Retract(ctx context.Context, noticeID int64, key string, seqs []int64) error
	// Counts and Statuses answer in the order of what was asked.
	Counts(ctx context.Context, noticeIDs []int64) ([]notifier.Tally, error)
	Statuses(ctx context.Context, singles []notifier.Single) ([]notifier.Tally, error)
}

// Router answers who gets a notice; see route.Router.
type Router interface {
	Recipients(ctx context.Context, d notifier.Draft) (*roaring.Bitmap, error)
}

// Runner is a part that works in the background until its context ends.
type Runner interface {
	Run(ctx context.Context) error
}

// Pipeline takes notices from their sender to their recipients.
type Pipeline struct {
	c       Config
	kick    chan struct{}
	inlines *semaphore.Weighted
	wg      sync.WaitGroup // inline work
	away    atomic.Bool    // the dispatcher found Redis away
}

// New returns a pipeline. It sends and retracts at once; Run is what finishes
// large and interrupted work.
func New(c Config) *Pipeline {
	c.setDefaults()
	return &Pipeline{c: c, kick: make(chan struct{}, 1), inlines: semaphore.NewWeighted(maxInline)}
}

// Run runs the dispatcher, the sweeper, the board, the live hub and what writes
// behind until ctx ends, and then returns nil. The first that fails ends the others.
//
// To stop an instance in order: end the HTTP server, so that nobody sends any
// more and every stream was told; then end ctx, upon which a large send stops
// between two chunks and gives its lease back for others to resume; then Close;
// then, as no inbox changes here any more, unread's Flush; then close Redis and
// SQL, which all of these use.
func (p *Pipeline) Run(ctx context.Context) error {
	g, ctx := errgroup.WithContext(ctx)
	g.Go(func() error { return newDispatcher(p).run(ctx) })
	g.Go(func() error {
		s := sweep.New(p.c.Redis, p.c.Keys, p.c.Inbox, p.lease("sweep", sweepLease), sweep.Options{Now: p.c.Now, Log: p.c.Log})
		return s.Run(ctx)
	})
	for _, part := range []Runner{p.c.Board, p.c.Hub, p.c.Unread} {
		if part != nil {
			g.Go(func() error { return part.Run(ctx) })
		}
	}
	if err := g.Wait(); err != nil && ctx.Err() == nil {
		return fmt.Errorf("run the pipeline: %w", err)
	}
	return nil
}

// Kick tells the dispatcher that there is work. It never blocks.
func (p *Pipeline) Kick() {
	select {
	case p.kick <- struct{}{}:
	default: // one wake-up waits already, and it will see this work too
	}
}

// Close waits for deliveries that outlived their caller. Nothing may be sent or
// retracted after it was called.
func (p *Pipeline) Close() { p.wg.Wait() }
