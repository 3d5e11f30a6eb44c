package rule_test

import (
	"context"
	"errors"
	"slices"
	"sync"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"github.com/carillonhq/carillon/notifier"
	"github.com/carillonhq/carillon/notifier/rule"
)

// wantRun compares the counts of a successful run.
func wantRun(t *testing.T, what string, run notifier.RuleRun, findings, sent, withdrawn int64) {
	t.Helper()
	if run.Error != "" || run.EndedAt.IsZero() || run.Findings != findings || run.Sent != sent || run.Withdrawn != withdrawn {
		t.Errorf("%s: %d findings, %d sent, %d withdrawn, ended %v, error %q; want %d, %d, %d",
			what, run.Findings, run.Sent, run.Withdrawn, run.EndedAt, run.Error, findings, sent, withdrawn)
	}
}

func wantTitles(t *testing.T, r *rig, place string, want ...string) {
	t.Helper()
	if want == nil {
		want = []string{}
	}
	if diff := cmp.Diff(want, r.titles(t, place)); diff != "" {
		t.Errorf("notices about %s: %s", place, diff)
	}
}

func TestAFindingIsSentOnceUntilItChangesAndRetractedWhenItIsGone(t *testing.T) {
	t.Parallel()
	onEach(t, func(t *testing.T, b *business) {
		r := newRig(t, b, negative(`withdraw = true`))
		b.put(t, "A1", 119240, -3)
		b.put(t, "A2", 119240, 5)
		wantRun(t, "the first run", r.perform(t, r.Runner), 1, 1, 0)
		wantTitles(t, r, "A1", "A1 is at -3")
		wantRun(t, "no change", r.perform(t, r.Runner), 1, 0, 0)
		b.put(t, "A1", 119240, -4)
		b.put(t, "A2", 119240, -1)
		wantRun(t, "one changed, one new", r.perform(t, r.Runner), 2, 2, 0)
		wantTitles(t, r, "A1", "A1 is at -3", "A1 is at -4")
		b.put(t, "A1", 119240, 7)
		wantRun(t, "one gone", r.perform(t, r.Runner), 1, 0, 1)
		wantTitles(t, r, "A1")
		wantTitles(t, r, "A2", "A2 is at -1")
		b.put(t, "A1", 119240, -4)
		wantRun(t, "the same finding is back", r.perform(t, r.Runner), 2, 1, 0)
		wantTitles(t, r, "A1", "A1 is at -4")
	})
}

func TestFindingsGoToTheirTopic(t *testing.T) {
	t.Parallel()
	b := newBusiness(t, "sqlite")
	r := newRig(t, b, negative(`body = "Warehouse {{.warehouse}}"`, `link = "/places/{{.place}}"`, `expires_in = "2h"`, `toast = true`))
	b.put(t, "A1", 119240, -3)
	r.perform(t, r.Runner)
	found, err := r.store.NoticesBySubject(t.Context(), "place:A1", []int64{0}, 0, 10)
	if err != nil || len(found) != 1 {
		t.Fatalf("%d notices, %v", len(found), err)
	}
	want := notifier.Draft{
		Target: notifier.Target{Topic: notifier.Topic{Type: "rep_notice", Scope: "119240"}}, Type: "rep_notice", Scope: "119240",
		Subject: "place:A1", Title: "A1 is at -3", Body: "Warehouse 119240", Link: "/places/A1", Toast: true, Sender: notifier.RuleRef("negative-stock"),
	}
	got := found[0].Draft
	got.ExpiresIn = 0
	if diff := cmp.Diff(want, got); diff != "" {
		t.Error(diff)
	}
	if life := found[0].ExpiresAt.Sub(found[0].CreatedAt); life != 2*time.Hour {
		t.Errorf("life of the notice: %v", life)
	}
}

func TestARuleWithoutWithdrawKeepsTheNoticeAndForgetsTheFinding(t *testing.T) {
	t.Parallel()
	b := newBusiness(t, "sqlite")
	r := newRig(t, b, negative())
	b.put(t, "A1", 1, -3)
	r.perform(t, r.Runner)
	b.put(t, "A1", 1, 0)
	wantRun(t, "finding gone", r.perform(t, r.Runner), 0, 0, 0)
	wantTitles(t, r, "A1", "A1 is at -3")
	b.put(t, "A1", 1, -3)
	wantRun(t, "finding back", r.perform(t, r.Runner), 1, 1, 0)
	wantTitles(t, r, "A1", "A1 is at -3", "A1 is at -3")
}

func TestAFindingIsSentAgainAfterTheReminderTime(t *testing.T) {
	t.Parallel()
	b := newBusiness(t, "sqlite")
	r := newRig(t, b, negative(`remind = "1h"`))
	b.put(t, "A1", 1, -3)
	r.perform(t, r.Runner)
	r.later(59 * time.Minute)
	wantRun(t, "within the reminder time", r.perform(t, r.Runner), 1, 0, 0)
	r.later(time.Minute)
	wantRun(t, "after the reminder time", r.perform(t, r.Runner), 1, 1, 0)
	r.later(59 * time.Minute)
	wantRun(t, "within the next reminder time", r.perform(t, r.Runner), 1, 0, 0)
	wantTitles(t, r, "A1", "A1 is at -3", "A1 is at -3")
}

func TestFormerRecipientsLoseTheNotice(t *testing.T) {
	t.Parallel()
	b := newBusiness(t, "sqlite")
	r := newRig(t, b, negative(`withdraw = true`))
	b.put(t, "A1", 1, -3)
	r.perform(t, r.Runner)
	b.put(t, "A1", 2, -3)
	wantRun(t, "another warehouse", r.perform(t, r.Runner), 1, 1, 0)
	found, err := r.store.NoticesBySubject(t.Context(), "place:A1", []int64{0}, 0, 10)
	if err != nil || len(found) != 1 || found[0].Scope != "2" {
		t.Errorf("%d notices left, %v; want only that of warehouse 2", len(found), err)
	}
}

func TestNoticesOfOtherSendersAreNotRetracted(t *testing.T) {
	t.Parallel()
	b := newBusiness(t, "sqlite")
	r := newRig(t, b, negative(`withdraw = true`))
	user, err := r.store.CreateUser(t.Context(), notifier.NewUser{Name: "rule negative-stock", Audience: 1}) // the same name as the rule is shown under
	if err != nil {
		t.Fatal(err)
	}
	byHand := notifier.Draft{
		Target: notifier.Target{Topic: notifier.Topic{Type: "rep_notice", Scope: "1"}}, Type: "rep_notice", Subject: "place:A1", Title: "By hand",
		Sender: notifier.UserRef(user),
	}
	if sent := r.pipe.SendAll(t.Context(), notifier.Actor{}, []notifier.Request{{Draft: byHand}}); sent[0].Err != nil {
		t.Fatal(sent[0].Err)
	}
	b.put(t, "A1", 1, -3)
	r.perform(t, r.Runner)
	b.put(t, "A1", 1, 3)
	r.perform(t, r.Runner)
	wantTitles(t, r, "A1", "By hand")
}

func TestWhatARuleSendsAndRetractsIsInTheAuditLog(t *testing.T) {
	t.Parallel()
	b := newBusiness(t, "sqlite")
	r := newRig(t, b, negative(`withdraw = true`))
	b.put(t, "A1", 1, -3)
	r.perform(t, r.Runner)
	found, err := r.store.NoticesBySubject(t.Context(), "place:A1", []int64{0}, 0, 10)
	if err != nil || len(found) != 1 {
		t.Fatalf("%d notices, %v", len(found), err)
	}
	b.put(t, "A1", 1, 3)
	r.perform(t, r.Runner)
	log, err := r.store.NoticeLog(t.Context(), found[0].ID, 10)
	if err != nil || len(log) != 2 || log[0].Action != "notice.retract" || log[1].Action != "notice.send" ||
		!log[0].Actor.Is(notifier.RuleRef("negative-stock")) || !log[1].Actor.Is(notifier.RuleRef("negative-stock")) {
		t.Errorf("audit log: %+v, %v", log, err)
	}
}

var errAway = errors.New("away")

// forgetful is a store that fails to save findings at its nth call.
type forgetful struct {
	rule.Store
	calls *int
	fail  int
}

func (f forgetful) SaveFindings(ctx context.Context, run notifier.RuleRun, sent []notifier.Finding, gone []string) error {
	if *f.calls++; *f.calls == f.fail {
		return errAway
	}
	return f.Store.SaveFindings(ctx, run, sent, gone)
}

// dying returns an instance that dies at the nth save of findings: 1 is before they are sent, 2
// after.
func (r *rig) dying(n int) *rule.Runner {
	return r.with(func(c *rule.Config) { c.Store = forgetful{c.Store, new(int), n} })
}

func TestACrashAroundSendingSendsNothingTwice(t *testing.T) {
	t.Parallel()
	for n, when := range []string{1: "before", 2: "after"} {
		if n == 0 {
			continue
		}
		t.Run(when, func(t *testing.T) {
			t.Parallel()
			b := newBusiness(t, "sqlite")
			r := newRig(t, b, negative())
			b.put(t, "A1", 1, -3)
			if run := r.perform(t, r.dying(n)); run.Error == "" {
				t.Fatal("the instance did not die")
			}
			r.later(time.Minute)
			r.perform(t, r.Runner)
			wantTitles(t, r, "A1", "A1 is at -3")
			wantRun(t, "the next run", r.perform(t, r.Runner), 1, 0, 0)
			wantTitles(t, r, "A1", "A1 is at -3")
		})
	}
}

func TestNoticesOfACrashedRunAreRetractedWhenTheFindingIsGone(t *testing.T) {
	t.Parallel()
	b := newBusiness(t, "sqlite")
	r := newRig(t, b, negative(`withdraw = true`))
	b.put(t, "A1", 1, -3)
	r.perform(t, r.dying(2))
	wantTitles(t, r, "A1", "A1 is at -3")
	b.put(t, "A1", 1, 3)
	wantRun(t, "finding gone", r.perform(t, r.Runner), 0, 0, 1)
	wantTitles(t, r, "A1")
}

// overtaken is a store that calls then after the first run has read what it knows.
type overtaken struct {
	rule.Store
	once *sync.Once
	then func()
}

func (o overtaken) Findings(ctx context.Context, name string) (map[string]notifier.Finding, error) {
	known, err := o.Store.Findings(ctx, name)
	o.once.Do(o.then)
	return known, err
}

// A run may last longer than its lease, and without Redis there is none.
func TestARunEndsWhenItsRuleWasStartedAgain(t *testing.T) {
	t.Parallel()
	for name, c := range map[string]struct {
		found, meanwhile int
		titles           []string
	}{
		"nothing is sent twice":            {-3, -3, []string{"A1 is at -3"}},
		"nothing that is new is retracted": {3, -5, []string{"A1 is at -1", "A1 is at -5"}},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			b := newBusiness(t, "sqlite")
			r := newRig(t, b, negative(`withdraw = true`))
			if c.found > 0 {
				b.put(t, "A1", 1, -1)
				r.perform(t, r.Runner)
			}
			b.put(t, "A1", 1, c.found)
			slow := r.with(func(to *rule.Config) {
				to.Leases = nil
				to.Store = overtaken{to.Store, new(sync.Once), func() {
					b.put(t, "A1", 1, c.meanwhile)
					wantRun(t, "the other instance", r.perform(t, r.Runner), 1, 1, 0)
					r.later(time.Second)
				}}
			})
			if err := slow.Perform(t.Context(), "negative-stock"); !errors.Is(err, notifier.ErrConflict) {
				t.Errorf("the run that was overtaken: %v", err)
			}
			wantTitles(t, r, "A1", c.titles...)
			wantRun(t, "the record", r.last(t), 1, 1, 0)
			if slices.Contains(r.logs.seen(), "rule failed") {
				t.Error("the run that was overtaken is logged as a failure")
			}
		})
	}
}
