package rule

import (
	"context"
	"errors"
	"fmt"
	"sync"
	"time"

	"github.com/go-co-op/gocron/v2"
)

var errNotLeading = errors.New("another instance runs the rules")

// Run runs rules when they are due, as long as that is this instance's to do, and
// those that RunNow asks for, until ctx ends; then it waits for what is running,
// which ends with ctx, and returns nil. While the lease cannot be asked for, rules
// rest.
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
			return errors.Join(err, r.leave(ctx))
		}
	}
}

// order has Run start a rule, and waits for no more than that.
func (r *Runner) order(ctx context.Context, of *Rule) {
	select {
	case r.orders <- order{of, make(chan error, 1)}:
	case <-ctx.Done():
	}
}

// clock is gocron's: it says when a rule is due, and asks whether that is ours. The
// rule itself is run by Run, who owns it.
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

// elector tells gocron whether this instance runs the rules.
type elector struct{ Lease }

// IsLeader takes the lease if it is free.
func (e elector) IsLeader(ctx context.Context) error {
	ctx, cancel := context.WithTimeout(ctx, leaseWait)
	defer cancel()
	mine, err := e.Hold(ctx)
	if err == nil && !mine {
		return errNotLeading
	}
	return err
}

// keepLease asks for the lease again before it lapses.
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

// beat takes the lease or lengthens it. Who gets it looks what has been missed.
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
			r.c.Log.InfoContext(ctx, "rules run here", "stage", "rule", "count", len(r.c.Rules.rules))
		}
	}
	switch {
	case ctx.Err() != nil:
		return
	case err != nil && !r.resting:
		r.c.Log.WarnContext(ctx, "rules rest", "stage", "rule", "err", err)
	case err == nil && r.resting:
		r.c.Log.InfoContext(ctx, "rules rest no more", "stage", "rule")
	}
	r.resting = err != nil
}

// takeOver forgets rules that are no longer in the file, and starts those that were
// due while nobody ran them, or that died of it. A file with a fault may lack a
// rule's name, so nothing is forgotten then.
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

// leave gives the lease back, so that another instance need not wait for it.
func (r *Runner) leave(ctx context.Context) error {
	ctx, cancel := context.WithTimeout(context.WithoutCancel(ctx), time.Second)
	defer cancel()
	if err := r.lead.Release(ctx); err != nil && !r.resting {
		r.c.Log.WarnContext(ctx, "rules lease not released", "stage", "rule", "err", err)
	}
	return nil
}
