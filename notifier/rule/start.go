package rule

import (
	"context"
	"errors"
	"fmt"
	"runtime/debug"
	"sync"
	"time"

	"github.com/carillonhq/carillon/internal/lease"
	"github.com/carillonhq/carillon/notifier"
)

// maxError is how many characters of an error are stored.
const maxError = 1000

// start runs a rule concurrently with others, unless it is already running. It sends the outcome to o.done.
func (r *Runner) start(ctx context.Context, o order, running *sync.WaitGroup) {
	r.mu.Lock()
	defer r.mu.Unlock()
	if r.busy[o.rule.Name] {
		o.done <- fmt.Errorf("run rule %q, which is already running: %w", o.rule.Name, notifier.ErrConflict)
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
			o.done <- r.perform(ctx, o.by, o.rule)
		case <-ctx.Done():
			o.done <- ctx.Err()
		}
	})
}

// perform runs a rule and records the run. Errors of the rule itself are recorded; perform returns
// an error if the record cannot be read or written, or if another instance is running the rule. The lease may expire meanwhile, and without
// Redis there is none: then the run that started last goes on, and the others end.
func (r *Runner) perform(ctx context.Context, by notifier.Actor, of *Rule) error {
	mine := r.c.Leases("rule:"+of.Name, of.Timeout+2*r.c.Life)
	switch err := (elector{mine}).IsLeader(ctx); {
	case errors.Is(err, errNotLeading):
		return fmt.Errorf("run rule %q, which another instance runs: %w", of.Name, notifier.ErrConflict)
	case err == nil:
		defer lease.GiveUp(ctx, mine)
	}
	runs, err := r.runs(ctx)
	if err != nil {
		return fmt.Errorf("run rule %q: %w", of.Name, err)
	}
	run := runs[of.Name]
	before := run.Error
	run.Rule, run.StartedAt, run.EndedAt = of.Name, r.c.Now().Truncate(time.Millisecond), time.Time{}
	if err = r.c.Store.StartRun(ctx, by, run); err != nil {
		return fmt.Errorf("run rule %q: %w", of.Name, err)
	}
	err = r.work(ctx, of, &run)
	if ctx.Err() != nil {
		return ctx.Err() // the next leader runs it again
	}
	run.EndedAt = r.c.Now()
	run.Error = ""
	if err == nil {
		run.Failures = 0
	} else {
		run.Failures++
		run.Error = shorten(oneLine(clean(err.Error())), maxError)
	}
	err = r.c.Store.SaveRun(ctx, run)
	if errors.Is(err, notifier.ErrConflict) {
		return fmt.Errorf("run rule %q, which was started again: %w", of.Name, err)
	}
	r.note(ctx, run, before)
	if err != nil {
		return fmt.Errorf("run rule %q: %w", of.Name, err)
	}
	return nil
}

// note logs a change of a rule's error.
func (r *Runner) note(ctx context.Context, run notifier.RuleRun, before string) {
	switch run.Error {
	case before:
	case "":
		r.c.Log.InfoContext(ctx, "rule works again", "stage", "rule", "rule", run.Rule)
	default:
		r.c.Log.WarnContext(ctx, "rule failed", "stage", "rule", "rule", run.Rule, "err", run.Error)
	}
}

// work is one run. It counts completed work in run, even if it fails later. A panic counts as a
// failure.
func (r *Runner) work(ctx context.Context, of *Rule, run *notifier.RuleRun) (err error) {
	defer func() {
		if what := recover(); what != nil {
			r.c.Log.ErrorContext(ctx, "rule panicked", "stage", "rule", "rule", of.Name, "err", what, "stack", string(debug.Stack()))
			err = fmt.Errorf("panic: %v", what)
		}
	}()
	run.Findings, run.Sent, run.Withdrawn = 0, 0, 0
	answer, err := of.runQuery(ctx)
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
	err = r.send(ctx, of, list, run)
	if faulty != nil {
		// A row that cannot be read may belong to a finding that seems gone.
		return joined(faulty, err)
	}
	return joined(err, r.forget(ctx, of, gone, run))
}
