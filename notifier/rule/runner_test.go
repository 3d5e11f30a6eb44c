package rule_test

import (
	"context"
	"errors"
	"slices"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"github.com/carillonhq/carillon/internal/lease"
	"github.com/carillonhq/carillon/internal/testkit"
	"github.com/carillonhq/carillon/notifier"
	"github.com/carillonhq/carillon/notifier/rule"
)

// start runs an instance until stop is called or the test ends.
func start(t *testing.T, on *rule.Runner) (stop func()) {
	t.Helper()
	ctx, cancel := context.WithCancel(context.Background())
	ended := make(chan error, 1)
	go func() { ended <- on.Run(ctx) }()
	stopped := false
	stop = func() {
		t.Helper()
		if stopped {
			return
		}
		stopped = true
		cancel()
		if err := <-ended; err != nil {
			t.Errorf("Run: %v", err)
		}
	}
	t.Cleanup(stop)
	return stop
}

// rests is a schedule that is never due during a test.
const rests = `cron = "CRON_TZ=UTC 0 0 29 2 *"`

func resting(more ...string) string {
	return swap(negative(more...), `every = "5m"`, rests)
}

// ran waits until a run has ended that satisfies ok.
func (r *rig) ran(t *testing.T, what string, ok func(notifier.RuleRun) bool) {
	t.Helper()
	testkit.Eventually(t, what, func() bool {
		run := r.last(t)
		return !run.EndedAt.IsZero() && ok(run)
	})
}

func TestRulesRunOnSchedule(t *testing.T) {
	t.Parallel()
	b := newBusiness(t, "sqlite")
	r := newRig(t, b, swap(negative(), `every = "5m"`, `every = "1s"`))
	r.c.Now = time.Now
	start(t, rule.New(r.c))
	var first time.Time
	r.ran(t, "the first run", func(run notifier.RuleRun) bool { first = run.StartedAt; return true })
	b.put(t, "A1", 1, -3)
	r.ran(t, "a later run", func(run notifier.RuleRun) bool { return run.Findings == 1 && run.StartedAt.Sub(first) > time.Second })
	wantTitles(t, r, "A1", "A1 is at -3")
}

func TestOneInstanceRunsTheRulesUntilAnotherTakesOver(t *testing.T) {
	t.Parallel()
	b := newBusiness(t, "sqlite")
	r := newRig(t, b, swap(negative(), `every = "5m"`, `every = "1s"`))
	r.c.Now = time.Now
	first, stop := r.watched(t)
	testkit.Eventually(t, "runs of the first instance", func() bool { return first.count() > 1 })
	second, _ := r.watched(t)
	before := first.count()
	testkit.Eventually(t, "further runs of the first instance", func() bool { return first.count() > before+1 })
	if n := second.count(); n != 0 {
		t.Errorf("the second instance ran the rule %d times beside the first", n)
	}
	stop()
	testkit.Eventually(t, "runs of the second instance", func() bool { return second.count() > 1 })
}

// watched starts an instance whose saved runs are counted. Each run is saved twice: when it begins
// and when it ends.
func (r *rig) watched(t *testing.T) (w *watch, stop func()) {
	t.Helper()
	w = &watch{Store: r.c.Store}
	return w, start(t, r.with(func(c *rule.Config) { c.Store = w }))
}

func TestATakeoverRunsMissedAndCrashedRules(t *testing.T) {
	t.Parallel()
	for _, c := range []struct {
		name, schedule string
		last           notifier.RuleRun // zero: never ran
		ago            time.Duration
		want           bool
	}{
		{name: "never ran", schedule: `every = "1d"`, want: true},
		{name: "never ran, crontab", schedule: rests},
		{name: "missed", schedule: `every = "1d"`, last: notifier.RuleRun{Sent: 7}, ago: 25 * time.Hour, want: true},
		{name: "missed, crontab", schedule: rests, last: notifier.RuleRun{Sent: 7}, ago: 9 * 366 * 24 * time.Hour, want: true},
		{name: "not due", schedule: rests, last: notifier.RuleRun{Sent: 7}, ago: time.Millisecond},
		{name: "died", schedule: rests, last: notifier.RuleRun{Sent: 7, Failures: -1}, ago: time.Millisecond, want: true},
	} {
		t.Run(c.name, func(t *testing.T) {
			t.Parallel()
			b := newBusiness(t, "sqlite")
			r := newRig(t, b, swap(negative(), `every = "5m"`, c.schedule))
			if c.last.Sent != 0 {
				c.last.Rule, c.last.StartedAt = "negative-stock", r.clock().Add(-c.ago)
				if c.last.Failures == 0 {
					c.last.EndedAt = c.last.StartedAt
				}
				if err := r.store.StartRun(t.Context(), notifier.Actor{}, c.last); err != nil {
					t.Fatal(err)
				}
			}
			w, _ := r.watched(t)
			testkit.Eventually(t, "the takeover", func() bool { return slices.Contains(r.logs.seen(), "this instance runs the rules") })
			if c.want {
				testkit.Eventually(t, "one run", func() bool { return w.count() == 1 })
			} else if n := w.count(); n != 0 {
				t.Errorf("the rule ran %d times", n)
			}
		})
	}
}

func TestRulesRemovedFromTheFileAreForgotten(t *testing.T) {
	t.Parallel()
	b := newBusiness(t, "sqlite")
	r := newRig(t, b, resting())
	b.put(t, "A1", 1, -3)
	r.perform(t, r.Runner)
	broken, err := rule.Parse([]byte("[[rule]]\n"), environment)
	if err == nil {
		t.Fatal("the file has no fault")
	}
	stop := start(t, r.with(func(c *rule.Config) { c.Rules = broken }))
	testkit.Eventually(t, "the takeover", func() bool { return slices.Contains(r.logs.seen(), "this instance runs the rules") })
	stop()
	if r.last(t).Rule == "" {
		t.Error("a file with a fault deleted the records of a rule it does not name")
	}
	other := parse(t, b, swap(resting(), "negative-stock", "other"))
	start(t, r.with(func(c *rule.Config) { c.Rules = other }))
	testkit.Eventually(t, "the removed rule's runs deleted", func() bool { return r.last(t).Rule == "" })
	if known, err := r.store.Findings(t.Context(), "negative-stock"); err != nil || len(known) != 0 {
		t.Errorf("findings of the removed rule: %v, %v", known, err)
	}
}

func TestRulesArePausedWhileTheLeaseIsUnavailable(t *testing.T) {
	t.Parallel()
	b := newBusiness(t, "sqlite")
	r := newRig(t, b, negative())
	b.put(t, "A1", 1, -3)
	l := &fakeLease{away: true}
	w := &watch{Store: r.c.Store}
	on := r.with(func(c *rule.Config) {
		c.Store, c.Life = w, 30*time.Millisecond
		c.Leases = func(string, time.Duration) lease.Lease { return l }
	})
	stop := start(t, on)
	testkit.Eventually(t, "several attempts to get the lease", func() bool { return l.asked() > 3 })
	if w.count() != 0 {
		t.Error("the rule ran without the lease")
	}
	if err := on.RunNow(t.Context(), notifier.Actor{}, "negative-stock"); err != nil {
		t.Errorf("RunNow: %v", err)
	}
	testkit.Eventually(t, "RunNow runs the rule nevertheless", func() bool { return w.count() == 1 })
	l.set(false)
	testkit.Eventually(t, "the takeover", func() bool { return slices.Contains(r.logs.seen(), "this instance runs the rules") })
	testkit.Eventually(t, "the missed run", func() bool { return w.count() > 0 })
	before := l.released()
	stop()
	if l.released() == before {
		t.Error("a stopped instance kept the lease")
	}
	if diff := cmp.Diff([]string{"rules are paused", "this instance runs the rules", "rules are no longer paused"}, r.logs.seen()); diff != "" {
		t.Error(diff)
	}
}

func TestRunNowWorksOnAnyInstance(t *testing.T) {
	t.Parallel()
	b := newBusiness(t, "sqlite")
	r := newRig(t, b, resting())
	start(t, r.Runner)
	testkit.Eventually(t, "the first instance leads", func() bool { return slices.Contains(r.logs.seen(), "this instance runs the rules") })
	second := r.with(func(*rule.Config) {})
	start(t, second)
	b.put(t, "A1", 1, -3)
	if err := second.RunNow(t.Context(), notifier.Actor{}, "negative-stock"); err != nil {
		t.Fatal(err)
	}
	r.ran(t, "the run", func(run notifier.RuleRun) bool { return run.Sent == 1 })
	states, err := r.States(t.Context())
	if err != nil || len(states) != 1 {
		t.Fatalf("%v, %v", states, err)
	}
	s := states[0]
	if s.Last.Sent != 1 || s.Topic != "rep_notice" || s.Schedule != "CRON_TZ=UTC 0 0 29 2 *" || s.Next.Before(r.clock()) || s.Fault != "" {
		t.Errorf("state on the first instance: %+v", s)
	}
}

func TestRunNowReportsWhyItCannotRun(t *testing.T) {
	t.Parallel()
	b := newBusiness(t, "sqlite")
	r := newRig(t, b, resting())
	set, err := rule.Parse([]byte(resting()+"[[rule]]\nname = \"broken\"\n"), sourceOf(b))
	if err == nil {
		t.Fatal("the file has no fault")
	}
	entered, leave := make(chan struct{}), make(chan struct{})
	b.put(t, "A1", 1, -3)
	on := r.with(func(c *rule.Config) {
		c.Rules = set
		c.Sender = sender{send: func(all []notifier.Request) []notifier.Result {
			close(entered)
			<-leave
			return make([]notifier.Result, len(all))
		}}
	})
	start(t, on)
	if err := on.RunNow(t.Context(), notifier.Actor{}, "unknown"); !errors.Is(err, notifier.ErrNotFound) {
		t.Errorf("unknown rule: %v", err)
	}
	if err := on.RunNow(t.Context(), notifier.Actor{}, "broken"); !errors.Is(err, notifier.ErrConflict) {
		t.Errorf("rule with a fault: %v", err)
	}
	// The request ends while the rule runs; the rule continues.
	ctx, cancel := context.WithCancel(t.Context())
	first := make(chan error, 1)
	go func() { first <- on.RunNow(ctx, notifier.Actor{}, "negative-stock") }()
	<-entered
	cancel()
	if err := <-first; !errors.Is(err, context.Canceled) {
		t.Errorf("cancelled request: %v", err)
	}
	if err := on.RunNow(t.Context(), notifier.Actor{}, "negative-stock"); !errors.Is(err, notifier.ErrConflict) {
		t.Errorf("rule already running here: %v", err)
	}
	if err := r.Perform(t.Context(), "negative-stock"); !errors.Is(err, notifier.ErrConflict) {
		t.Errorf("rule running on another instance: %v", err)
	}
	close(leave)
	r.ran(t, "the run", func(run notifier.RuleRun) bool { return run.Sent == 1 })
	states, err := on.States(t.Context())
	if err != nil || len(states) != 2 || states[1].Fault == "" || !states[1].Next.IsZero() {
		t.Errorf("%+v, %v", states, err)
	}
}

func TestARuleNeverRunsTwiceAtOnce(t *testing.T) {
	t.Parallel()
	b := newBusiness(t, "sqlite")
	r := newRig(t, b, resting())
	b.put(t, "A1", 1, -3)
	entered, leave := make(chan struct{}), make(chan struct{})
	on := r.with(func(c *rule.Config) {
		c.Leases = nil // the lease would prevent it as well
		c.Sender = sender{send: func(all []notifier.Request) []notifier.Result {
			close(entered)
			<-leave
			return make([]notifier.Result, len(all))
		}}
	})
	start(t, on)
	first := make(chan error, 1)
	go func() { first <- on.RunNow(t.Context(), notifier.Actor{}, "negative-stock") }()
	<-entered
	if err := on.RunNow(t.Context(), notifier.Actor{}, "negative-stock"); !errors.Is(err, notifier.ErrConflict) {
		t.Errorf("RunNow during a run: %v", err)
	}
	close(leave)
	if err := <-first; err != nil {
		t.Error(err)
	}
}

func TestAStopEndsARunAndTheNextInstanceRepeatsIt(t *testing.T) {
	t.Parallel()
	b := newBusiness(t, "postgres")
	slow := `every = "1d"
timeout = "10m"`
	r := newRig(t, b, swap(negative(), `every = "5m"`, slow))
	b.do(t, `CREATE TABLE wait (seconds INT)`, `INSERT INTO wait VALUES (600)`)
	r.c.Rules = parse(t, b, swap(swap(negative(), `every = "5m"`, slow), "WHERE units", "WHERE pg_sleep((SELECT MAX(seconds) FROM wait)) IS NOT NULL AND units"))
	b.put(t, "A1", 1, -3)
	stop := start(t, rule.New(r.c))
	testkit.Eventually(t, "the query is running", func() bool {
		return b.count(t, `SELECT COUNT(*) FROM pg_stat_activity WHERE query LIKE '%(SELECT MAX(seconds)%' AND state = 'active' AND pid <> pg_backend_pid()`) == 1
	})
	stop()
	if run := r.last(t); !run.EndedAt.IsZero() || run.Error != "" {
		t.Errorf("after the stop: %+v", run)
	}
	if slices.Contains(r.logs.seen(), "rule failed") {
		t.Error("a stop is logged as a failure")
	}
	b.do(t, `UPDATE wait SET seconds = 0`)
	start(t, rule.New(r.c))
	r.ran(t, "the run on the next instance", func(run notifier.RuleRun) bool { return run.Sent == 1 })
}

func TestCheckShowsThePlanWithoutSending(t *testing.T) {
	t.Parallel()
	b := newBusiness(t, "sqlite")
	r := newRig(t, b, negative(`withdraw = true`, `remind = "1h"`))
	for _, place := range []string{"gone", "known", "other", "leaves"} {
		b.put(t, place, 1, -1)
	}
	r.perform(t, r.Runner)
	r.later(time.Hour)
	b.do(t, `DELETE FROM stock WHERE place = 'gone'`)
	b.put(t, "known", 1, -2)
	r.perform(t, r.Runner) // gone is retracted, known has changed, the others get a reminder
	b.put(t, "fresh", 1, -1)
	b.put(t, "other", 1, -9)
	b.do(t, `DELETE FROM stock WHERE place = 'leaves'`)
	before := r.last(t)
	plan, err := r.Check(t.Context(), "negative-stock")
	if err != nil {
		t.Fatal(err)
	}
	got := map[string]rule.Change{}
	for _, f := range plan.Findings {
		got[f.Draft.Subject] = f.Change
	}
	want := map[string]rule.Change{"place:fresh": rule.ChangeNew, "place:known": rule.ChangeNone, "place:other": rule.ChangeOther}
	if diff := cmp.Diff(want, got); diff != "" {
		t.Error(diff)
	}
	if diff := cmp.Diff([]string{"place:leaves"}, plan.Gone); diff != "" {
		t.Error(diff)
	}
	wantTitles(t, r, "fresh")
	if diff := cmp.Diff(before, r.last(t)); diff != "" {
		t.Errorf("Check recorded a run: %s", diff)
	}
	r.later(time.Hour)
	if plan, err = r.Check(t.Context(), "negative-stock"); err != nil || plan.Findings[1].Change != rule.ChangeReminder {
		t.Errorf("an hour later: %+v, %v", plan.Findings, err)
	}
	alone := rule.New(rule.Config{Rules: r.c.Rules})
	if plan, err = alone.Check(t.Context(), "negative-stock"); err != nil || len(plan.Findings) != 3 || plan.Findings[2].Change != rule.ChangeNew {
		t.Errorf("without a store: %+v, %v", plan, err)
	}
}
