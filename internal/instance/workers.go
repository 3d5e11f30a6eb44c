package instance

import (
	"context"

	"golang.org/x/sync/errgroup"
)

// workers lists what runs in the background. One that fails stops the instance.
func (i *instance) workers() []func(context.Context) error {
	all := []func(context.Context) error{
		i.notices.Run,  // delivery, write-behind, sweeps, announcements and streams
		i.asks.Run,     // ends questions whose time is up, and wakes those who wait for one
		i.tasks.Run,    // passes on tasks that nobody takes
		i.sessions.Run, // publishes changed users and ended sessions to all instances
		i.topics.Run,   // repairs the sets of subscribers
		i.toasts.Run,   // clears old toasts
		func(ctx context.Context) error { return i.tokens.Watch(ctx, i.hub.Recheck) }, // ends the streams of revoked apps
		i.people.Run,    // finishes deletions that were interrupted
		i.reach.Run,     // notifies users of what is still unread
		i.hookStage.Run, // sends events to webhooks
		i.looking.Run,   // records which users see a page
		i.ready.run,     // logs what is wrong
		newCollections(i.cfg.Lookup).run,
	}
	if i.rules != nil {
		all = append(all, i.rules.Run)
	}
	if i.outboxes != nil {
		all = append(all, i.outboxes.Run)
	}
	return all
}

func (i *instance) runWorkers(ctx context.Context) (func() error, error) {
	ctx, cancel := context.WithCancel(context.WithoutCancel(ctx))
	work, ctx := errgroup.WithContext(ctx)
	i.work, i.failed = work, ctx.Done()
	for _, run := range i.workers() {
		work.Go(func() error { return run(ctx) })
	}
	return func() error {
		cancel()
		return i.work.Wait()
	}, nil
}
