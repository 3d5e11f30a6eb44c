// Package pipeline joins the stages: it takes drafts in, and sees to it that what
// was accepted reaches its end, on whichever instance is free.
//
// What is accepted is in SQL with its recipients, and only then its sender is
// answered. From there the intake carries it to an instance that delivers it; what
// the intake does not have, because Redis was away or lost it, the relay puts in
// again. All of it may be repeated, and done by two at the same time: inboxes know
// what they have had.
package pipeline

import (
	"context"
	"fmt"
	"sync"
	"sync/atomic"

	"golang.org/x/sync/errgroup"

	"github.com/carillonhq/carillon/notifier"
	"github.com/carillonhq/carillon/notifier/intake"
	"github.com/carillonhq/carillon/notifier/route"
	"github.com/carillonhq/carillon/notifier/sweep"
)

// Inbox writes to inboxes. Whatever is repeated changes nothing.
type Inbox interface {
	sweep.Expirer
	// DeliverAll answers one error for each, in order.
	DeliverAll(ctx context.Context, all []notifier.Delivery) []error
	Retract(ctx context.Context, noticeID int64, key string, seqs []int64) error
	// EditAll changes rows of older revisions; it answers as DeliverAll does.
	EditAll(ctx context.Context, all []notifier.Delivery) []error
	// Outdate keeps what was read of SQL before from coming into these users' inboxes,
	// or into anybody's when there are none.
	Outdate(ctx context.Context, seqs []int64) error
	// Counts and Statuses answer in the order of what was asked.
	Counts(ctx context.Context, noticeIDs []int64) ([]notifier.Tally, error)
	Statuses(ctx context.Context, singles []notifier.Single) ([]notifier.Tally, error)
}

// Router answers who gets each of some notices; see route.Router.
type Router interface {
	RecipientsAll(ctx context.Context, drafts []notifier.Draft) ([]route.Answer, error)
}

// Types hears which types of notices are in use, before one of them is accepted.
type Types interface {
	Use(ctx context.Context, types []string) error
}

// Runner is a part that works in the background until its context ends.
type Runner interface {
	Run(ctx context.Context) error
}

// Pipeline takes notices from their sender to their recipients.
type Pipeline struct {
	c       Config
	intake  *intake.Intake
	waiting waiting
	cache   cache
	wg      sync.WaitGroup // what outlives its caller
	away    atomic.Bool    // Redis did not answer when it was last asked
}

// New returns a pipeline. It accepts at once; Run is what delivers.
func New(c Config) *Pipeline {
	c.setDefaults()
	p := &Pipeline{c: c, waiting: waiting{of: map[int64][]chan struct{}{}}}
	p.intake = intake.New(intake.Config{Redis: c.Redis, Keys: c.Keys, Handler: handler{p}, Idle: c.Idle, Log: c.Log})
	return p
}

// Run runs the intake, the relay, the sweeper, the board, the live hub and what
// writes behind until ctx ends, and then returns nil. The first that fails ends
// the others.
//
// To stop an instance in order: end the HTTP server, so that nobody sends any
// more and every stream was told; then end ctx, upon which the intake reads no
// more, and finishes what it has in hand: at most a range of a large notice, whose
// rest stays in the stream for others; then Close; then, as no inbox changes here
// any more, unread's Flush; then close Redis and SQL, which all of these use.
func (p *Pipeline) Run(ctx context.Context) error {
	g, ctx := errgroup.WithContext(ctx)
	g.Go(func() error { return p.intake.Run(ctx) })
	g.Go(func() error { return newRelay(p).run(ctx) })
	g.Go(func() error {
		lease := NewLease(p.c.Redis, p.c.Keys, "sweep", sweepLease)
		return sweep.New(p.c.Redis, p.c.Keys, p.c.Inbox, lease, sweep.Options{Now: p.c.Now, Log: p.c.Log}).Run(ctx)
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

// RunIntake runs nothing but the intake until ctx ends, and then returns nil: for
// who delivers what he sends, beside a server or without one, and leaves.
func (p *Pipeline) RunIntake(ctx context.Context) error {
	if err := p.intake.Run(ctx); err != nil && ctx.Err() == nil {
		return fmt.Errorf("run the intake: %w", err)
	}
	return nil
}

// Stats says how the intake stands, and what this instance has done of it.
func (p *Pipeline) Stats() intake.Stats { return p.intake.Stats() }

// Close waits for what outlived its caller. Nothing may be sent or retracted after
// it was called.
func (p *Pipeline) Close() { p.wg.Wait() }

// redisAway says that there is no use in waiting for Redis.
func (p *Pipeline) redisAway() bool {
	return p.away.Load() || p.c.Away != nil && p.c.Away()
}
