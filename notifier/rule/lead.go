package rule

import (
	"context"
	"errors"
	"fmt"
	"sync"
	"time"

	"github.com/go-co-op/gocron/v2"

	"github.com/carillonhq/carillon/internal/lease"
	"github.com/carillonhq/carillon/notifier"
)

var errNotLeading = errors.New("another instance runs the rules")

// Run runs the rules when they are due while this instance holds the lease, and the rules started by
// RunNow, until ctx ends. It then waits for the running rules, which end with ctx, and returns nil.
// While the lease cannot be checked, scheduled rules are paused.
func (r *Runner) Run(ctx context.Context) error {
	clock, err := r.clock(ctx)
	if err != nil {
		return fmt.Errorf("schedule the rules: %w", err)
	}
	clock.Start()
	var running sync.WaitGroup
	running.Go(func() { r.keepLease(ctx) })
	for {
		select {
		case o := <-r.orders:
			r.start(ctx, o, &running)
		case <-ctx.Done():
			err := clock.Shutdown()
			running.Wait()
			lease.GiveUp(ctx, r.lead)
			return err
		}
	}
}

// order passes a rule to Run to start, without waiting for it to finish.
func (r *Runner) order(ctx context.Context, of *Rule) {
	select {
	case r.orders <- order{of, notifier.Actor{}, make(chan error, 1)}:
	case <-ctx.Done():
	}
}

// clock sets up gocron, which determines when a rule is due and checks whether this instance leads. The
// rules themselves run in Run, which owns their goroutines.
func (r *Runner) clock(ctx context.Context) (gocron.Scheduler, error) {
	clock, err := gocron.NewScheduler(gocron.WithDistributedElector(elector{r.lead}), gocron.WithLocation(time.Local))
	if err != nil {
		return nil, err
	}
	for _, of := range r.c.Rules.rules {
		if of.Fault != "" {
			continue
		}
		_, err = clock.NewJob(gocron.CronJob(of.Schedule(), false), gocron.NewTask(func() { r.order(ctx, of) }),
			gocron.WithName(of.Name), gocron.WithCronImplementation(of.schedule))
		if err != nil {
			return nil, errors.Join(fmt.Errorf("rule %q: %w", of.Name, err), clock.Shutdown())
		}
	}
	return clock, nil
}

// elector reports to gocron whether this instance runs the rules.
type elector struct{ lease.Lease }

// IsLeader acquires the lease if it is free, and returns an error unless this instance holds it.
func (e elector) IsLeader(ctx context.Context) error {
	ctx, cancel := context.WithTimeout(ctx, leaseWait)
	defer cancel()
	mine, err := e.Hold(ctx)
	if err == nil && !mine {
		return errNotLeading
	}
	return err
}

// keepLease renews the lease before it expires.
func (r *Runner) keepLease(ctx context.Context) {
	tick := time.NewTicker(r.c.Life / 3)
	defer tick.Stop()
	for {
		r.beat(ctx)
		select {
		case <-tick.C:
		case <-ctx.Done():
			return
		}
	}
}

// beat acquires or renews the lease. An instance that has just acquired it starts the missed
// rules.
func (r *Runner) beat(ctx context.Context) {
	err := elector{r.lead}.IsLeader(ctx)
	switch {
	case errors.Is(err, errNotLeading):
		r.leading, err = false, nil
	case err != nil:
		r.leading = false
	case !r.leading:
		if err = r.takeOver(ctx); err == nil {
			r.leading = true
			r.c.Log.InfoContext(ctx, "this instance runs the rules", "stage", "rule", "count", len(r.c.Rules.rules))
		}
	}
	switch {
	case ctx.Err() != nil:
		return
	case err != nil && !r.resting:
		r.c.Log.WarnContext(ctx, "rules are paused", "stage", "rule", "err", err)
	case err == nil && r.resting:
		r.c.Log.InfoContext(ctx, "rules are no longer paused", "stage", "rule")
	}
	r.resting = err != nil
}

// takeOver deletes the records of rules that are no longer in the file, and starts the rules that
// were due while no instance ran them or whose run died. If the file has a fault, which may hide a
// rule's name, nothing is deleted.
func (r *Runner) takeOver(ctx context.Context) error {
	if r.c.Rules.sound() {
		if err := r.c.Store.ForgetRules(ctx, r.c.Rules.Names()); err != nil {
			return err
		}
	}
	runs, err := r.runs(ctx)
	if err != nil {
		return err
	}
	now := r.c.Now()
	for _, of := range r.c.Rules.rules {
		last := runs[of.Name]
		died := !last.StartedAt.IsZero() && last.EndedAt.IsZero()
		if of.Fault == "" && (died || of.schedule.missed(last.StartedAt, now)) {
			r.order(ctx, of)
		}
	}
	return nil
}
