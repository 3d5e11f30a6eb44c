// Package notices connects the stages: it accepts drafts and makes sure that accepted notices are
// delivered, on whichever instance is free.
//
// A sender gets a response only after the notice and its recipients are in SQL. Then the same instance delivers it,
// or another one that claims it in SQL. All work may be repeated, even concurrently, because inboxes keep a record of
// the notices they have had.
package notices

import (
	"cmp"
	"context"
	"fmt"
	"sync"

	"github.com/RoaringBitmap/roaring/v2"
	"golang.org/x/sync/errgroup"

	"github.com/carillonhq/carillon/internal/lease"
	"github.com/carillonhq/carillon/notifier"
	"github.com/carillonhq/carillon/notifier/delivery"
	"github.com/carillonhq/carillon/notifier/inbox/behind"
	"github.com/carillonhq/carillon/notifier/route"
)

// Inbox changes inboxes and reports who has read what.
type Inbox interface {
	delivery.Inbox
	behind.Expirer
	// WakeDue brings back the snoozed entries of these users that are due, and returns how many. Calls may be repeated and
	// concurrent.
	WakeDue(ctx context.Context, seqs []int64) (int, error)
	// Counts and Statuses return results in the order of their arguments.
	Counts(ctx context.Context, noticeIDs []int64) ([]notifier.Tally, error)
	Statuses(ctx context.Context, singles []notifier.Single) ([]notifier.Tally, error)
	// UnreadOf returns the users in among who have the notice in their inbox, unread.
	UnreadOf(ctx context.Context, n *notifier.Notice, among *roaring.Bitmap) (*roaring.Bitmap, error)
}

// Router determines the recipients of drafts; see route.Router.
type Router interface {
	RecipientsAll(ctx context.Context, drafts []notifier.Draft) ([]route.Answer, error)
}

// Types records which types are in use by accepted notices.
type Types interface {
	Use(ctx context.Context, types []string) error
}

// Notices accepts notices from senders. Its worker delivers them to their recipients.
type Notices struct {
	*delivery.Worker
	c  Config
	wg sync.WaitGroup // work that may outlast its caller
}

// New returns Notices that accept drafts immediately; Run delivers the notices.
func New(c Config) *Notices {
	c.setDefaults()
	p := &Notices{c: c}
	var delivered func(*notifier.Delivery)
	if c.Unread != nil {
		delivered = c.Unread.Delivered
	}
	p.Worker = delivery.New(delivery.Config{
		Store: c.Store, Redis: c.Redis, Keys: c.Keys, Inbox: c.Inbox, Toasts: c.Toasts, Traces: c.Traces, Route: p.routeLate,
		Log: c.Log, Now: c.Now, Written: c.Written, Delivered: delivered, Away: c.Away, Wait: c.Wait, Keep: cmp.Or(c.Limits.Keep, notifier.DefaultKeep), MaxBacklog: c.MaxBacklog, Poll: c.Poll, Claim: c.Claim, Idle: c.Idle, Chunk: c.Chunk,
	})
	return p
}

// Run runs the worker, the schedule, the sweeper, the announcements, the live hub and the writer of inbox changes
// until ctx ends, and then returns nil. The first one that fails stops the others.
//
// To stop an instance in order: stop the HTTP server, so that nothing more is sent and every stream has ended. Then
// end ctx: the worker finishes its current work, at most a range of a large notice, and leaves the rest to other
// instances. Then call Close. Then, as inboxes no longer change here, call Flush of package behind. Then close Redis
// and SQL, which all of these use.
func (p *Notices) Run(ctx context.Context) error {
	g, ctx := errgroup.WithContext(ctx)
	g.Go(func() error { return p.Worker.Run(ctx) })
	g.Go(func() error {
		sweeping := lease.New(p.c.Redis, p.c.Keys, "sweep", sweepLease)
		return behind.NewSweeper(p.c.Redis, p.c.Keys, p.c.Inbox, sweeping, behind.SweeperOptions{Now: p.c.Now, Log: p.c.Log}).Run(ctx)
	})
	g.Go(func() error { return p.release(ctx) })
	g.Go(func() error { return p.wake(ctx) })
	if p.c.Announcements != nil {
		g.Go(func() error { return p.c.Announcements.Run(ctx) })
	}
	if p.c.Hub != nil {
		g.Go(func() error { return p.c.Hub.Run(ctx) })
	}
	if p.c.Unread != nil {
		g.Go(func() error { return p.c.Unread.Run(ctx) })
	}
	if err := g.Wait(); err != nil && ctx.Err() == nil {
		return fmt.Errorf("run the notices: %w", err)
	}
	return nil
}

// Close waits for work that outlasted its caller. Nothing may be sent or retracted after the call.
func (p *Notices) Close() { p.wg.Wait() }
