package rule

import (
	"context"
	"fmt"
	"log/slog"
	"sync"
	"time"

	"github.com/carillonhq/carillon/internal/lease"
	"github.com/carillonhq/carillon/notifier"
)

const (
	leaseLife  = 15 * time.Second
	leaseWait  = 2 * time.Second
	atOnce     = 4               // rules running at the same time
	orderWait  = 5 * time.Second // limit on the wait until a rule is accepted
	answerWait = 2 * time.Second // limit on the wait until it has run
)

// Runner runs rules. Among all instances with a Runner, one at a time runs them on schedule.
type Runner struct {
	c      Config
	lead   lease.Lease
	orders chan order
	slots  chan struct{}

	leading bool // this instance has the lease; used only by Run
	resting bool // no instance is known to lead; used only by Run

	mu   sync.Mutex
	busy map[string]bool // rules running on this instance
}

// order is a request to run a rule now.
type order struct {
	rule *Rule
	by   notifier.Actor // the zero value: the schedule
	done chan error     // buffered, so that the reply never blocks
}

// New returns a runner, which is inactive until Run.
func New(c Config) *Runner {
	if c.Leases == nil {
		c.Leases = lease.Alone
	}
	if c.Life <= 0 {
		c.Life = leaseLife
	}
	if c.Log == nil {
		c.Log = slog.Default()
	}
	if c.Now == nil {
		c.Now = time.Now
	}
	return &Runner{
		c: c, lead: c.Leases("rules", c.Life), orders: make(chan order), slots: make(chan struct{}, atOnce), busy: map[string]bool{},
	}
}

// States returns every rule of the file, in order, with its last run on any instance.
func (r *Runner) States(ctx context.Context) ([]notifier.RuleState, error) {
	runs, err := r.runs(ctx)
	if err != nil {
		return nil, err
	}
	now := r.c.Now()
	states := make([]notifier.RuleState, len(r.c.Rules.rules))
	for i, of := range r.c.Rules.rules {
		states[i] = notifier.RuleState{Name: of.Name, Schedule: of.Schedule(), Topic: of.Type, Fault: of.Fault}
		if r.c.Rules.named(of.Name) == of {
			states[i].Last = runs[of.Name]
		}
		if of.Fault == "" {
			states[i].Next = of.schedule.Next(now)
		}
	}
	return states, nil
}

// Check returns what a run of the rule would do now, without doing it. If the error concerns only some
// rows, the plan covers the others.
func (r *Runner) Check(ctx context.Context, name string) (Plan, error) {
	of := r.c.Rules.named(name)
	switch {
	case of == nil:
		return Plan{}, fmt.Errorf("rule %q: %w", name, notifier.ErrNotFound)
	case of.Fault != "":
		return Plan{}, fmt.Errorf("rule %q: %s", name, of.Fault)
	}
	var known map[string]notifier.Finding
	if r.c.Store != nil {
		var err error
		if known, err = r.c.Store.Findings(ctx, name); err != nil {
			return Plan{}, err
		}
	}
	answer, err := of.runQuery(ctx)
	if err != nil {
		return Plan{}, err
	}
	all, err := of.render(answer, r.c.Limits)
	list, gone := of.compare(all, known, r.c.Now())
	var p Plan
	for _, t := range list {
		p.Findings = append(p.Findings, Finding{t.draft, t.change})
	}
	if err == nil {
		p.Gone = gone // unknown while some rows cannot be read
	}
	return p, err
}

// RunNow runs a rule on this instance on request; Run must be active. It returns when the rule has run, or after a
// few seconds; the rule then continues, even if ctx ends. Nil means that the rule ran or is still running; the
// outcome is in States. RunNow returns notifier.ErrNotFound for an unknown rule, and notifier.ErrConflict for one
// that has a fault or is already running.
func (r *Runner) RunNow(ctx context.Context, by notifier.Actor, name string) error {
	of := r.c.Rules.named(name)
	switch {
	case of == nil:
		return fmt.Errorf("run rule %q: %w", name, notifier.ErrNotFound)
	case of.Fault != "":
		return fmt.Errorf("run rule %q, which has a fault: %w", name, notifier.ErrConflict)
	}
	wait := time.NewTimer(orderWait)
	defer wait.Stop()
	o := order{of, by, make(chan error, 1)}
	select {
	case r.orders <- o:
	case <-wait.C:
		return fmt.Errorf("run rule %q: %w", name, notifier.ErrUnavailable)
	case <-ctx.Done():
		return fmt.Errorf("run rule %q: %w", name, ctx.Err())
	}
	wait.Reset(answerWait)
	select {
	case err := <-o.done:
		return err
	case <-wait.C:
		return nil
	case <-ctx.Done():
		return fmt.Errorf("run rule %q: %w", name, ctx.Err())
	}
}

func (r *Runner) runs(ctx context.Context) (map[string]notifier.RuleRun, error) {
	if r.c.Store == nil {
		return nil, nil
	}
	list, err := r.c.Store.Runs(ctx)
	if err != nil {
		return nil, err
	}
	runs := make(map[string]notifier.RuleRun, len(list))
	for _, run := range list {
		runs[run.Rule] = run
	}
	return runs, nil
}

// Store stores the runs of the rules and their findings.
type Store interface {
	// StartRun stores a run that begins, and records who ordered it, if anyone did. An earlier run of the rule can then save nothing:
	// the other calls with a run return notifier.ErrConflict.
	StartRun(ctx context.Context, by notifier.Actor, run notifier.RuleRun) error
	SaveRun(ctx context.Context, run notifier.RuleRun) error
	Runs(ctx context.Context) ([]notifier.RuleRun, error)
	// Findings returns the recorded findings of a rule, by subject.
	Findings(ctx context.Context, rule string) (map[string]notifier.Finding, error)
	// SaveFindings adds or replaces findings, and deletes those whose subjects are in gone, in one
	// transaction.
	SaveFindings(ctx context.Context, run notifier.RuleRun, sent []notifier.Finding, gone []string) error
	// ForgetRules deletes all data of all rules except these.
	ForgetRules(ctx context.Context, but []string) error
	// NoticesBySubject returns up to limit notices that are not retracted, by id, with ids above
	// after.
	NoticesBySubject(ctx context.Context, subject string, apps []int64, after int64, limit int) ([]notifier.Notice, error)
}

// Sender sends and retracts notices.
type Sender interface {
	// SendAll returns one result per request, in order. A repeated request returns the same notice.
	SendAll(ctx context.Context, by notifier.Actor, all []notifier.Request) []notifier.Result
	// Retract retracts a notice; retracting it again is not an error.
	Retract(ctx context.Context, by notifier.Actor, id int64) error
}

// Config configures a Runner.
type Config struct {
	Rules  *Set
	Store  Store            // nil: for Check only, which then treats every finding as new
	Sender Sender           // nil: for Check only
	Leases lease.Source     // default lease.Alone
	Limits notifier.Limits  // limits on a notice
	Life   time.Duration    // after this time another instance takes over the rules of a dead one; 0: 15 s
	Log    *slog.Logger     // nil: slog.Default()
	Now    func() time.Time // nil: time.Now
}
