package rule

import (
	"context"
	"errors"
	"fmt"
	"runtime/debug"
	"sync"
	"time"

	"github.com/carillonhq/carillon/notifier"
)

// maxError is how much of an error is kept, in characters.
const maxError = 1000

// start runs a rule beside others, unless it runs already. It answers the order.
func (r *Runner) start(ctx context.Context, o order, running *sync.WaitGroup) {
	r.mu.Lock()
	defer r.mu.Unlock()
	if r.busy[o.rule.Name] {
		o.done <- fmt.Errorf("run rule %q, which is running: %w", o.rule.Name, notifier.ErrConflict)
		return
	}
	r.busy[o.rule.Name] = true
	running.Go(func() {
		defer func() {
			r.mu.Lock()
			defer r.mu.Unlock()
			delete(r.busy, o.rule.Name)
		}()
		select {
		case r.slots <- struct{}{}:
			defer func() { <-r.slots }()
			o.done <- r.perform(ctx, o.rule)
		case <-ctx.Done():
			o.done <- ctx.Err()
		}
	})
}

// perform runs a rule and writes down how it fared. The error is about the writing
// down, or that another instance runs it; the rule's own is written down.
func (r *Runner) perform(ctx context.Context, of *Rule) error {
	lease := r.c.Leases("rule:"+of.Name, of.Timeout+2*r.c.Life)
	switch err := (elector{lease}).IsLeader(ctx); {
	case errors.Is(err, errNotLeading):
		return fmt.Errorf("run rule %q, which another instance runs: %w", of.Name, notifier.ErrConflict)
	case err == nil:
		defer r.release(ctx, lease)
	}
	runs, err := r.runs(ctx)
	if err != nil {
		return fmt.Errorf("run rule %q: %w", of.Name, err)
	}
	run := runs[of.Name]
	before := run.Error
	run.Rule, run.StartedAt, run.EndedAt = of.Name, r.c.Now(), time.Time{}
	if err = r.c.Store.SaveRun(ctx, run); err != nil {
		return fmt.Errorf("run rule %q: %w", of.Name, err)
	}
	err = r.work(ctx, of, &run)
	if ctx.Err() != nil {
		return ctx.Err() // whoever is next to lead goes on with it
	}
	run.EndedAt = r.c.Now()
	run.Error = ""
	if err == nil {
		run.Failures = 0
	} else {
		run.Failures++
		run.Error = shorten(oneLine(clean(err.Error())), maxError)
	}
	r.note(ctx, run, before)
	if err = r.c.Store.SaveRun(ctx, run); err != nil {
		return fmt.Errorf("run rule %q: %w", of.Name, err)
	}
	return nil
}

// note logs how a rule fares when that changes.
func (r *Runner) note(ctx context.Context, run notifier.RuleRun, before string) {
	switch run.Error {
	case before:
	case "":
		r.c.Log.InfoContext(ctx, "rule works again", "stage", "rule", "rule", run.Rule)
	default:
		r.c.Log.WarnContext(ctx, "rule fails", "stage", "rule", "rule", run.Rule, "err", run.Error)
	}
}

// work is one run. It says in run what it did, also when it fails later. A panic is a
// failure.
func (r *Runner) work(ctx context.Context, of *Rule, run *notifier.RuleRun) (err error) {
	defer func() {
		if what := recover(); what != nil {
			r.c.Log.ErrorContext(ctx, "rule panics", "stage", "rule", "rule", of.Name, "err", what, "stack", string(debug.Stack()))
			err = fmt.Errorf("panic: %v", what)
		}
	}()
	run.Findings, run.Sent, run.Withdrawn = 0, 0, 0
	answer, err := of.ask(ctx)
	if err != nil {
		return err
	}
	known, err := r.c.Store.Findings(ctx, of.Name)
	if err != nil {
		return err
	}
	all, faulty := of.render(answer, r.c.Limits)
	run.Findings = int64(len(all))
	list, gone := of.compare(all, known, r.c.Now())
	err = r.tell(ctx, of, list, run)
	if faulty != nil {
		// What a row is about that cannot be read may be one of those that seem gone.
		return joined(faulty, err)
	}
	return joined(err, r.forget(ctx, of, gone, run))
}

func (r *Runner) release(ctx context.Context, lease Lease) {
	ctx, cancel := context.WithTimeout(context.WithoutCancel(ctx), time.Second)
	defer cancel()
	_ = lease.Release(ctx) // else it lapses
}
