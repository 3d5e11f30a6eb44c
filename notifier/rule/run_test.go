package rule_test

import (
	"context"
	"errors"
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
	onBoth(t, func(t *testing.T, b *business) {
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
	found, err := r.store.NoticesBySubject(t.Context(), "place:A1", 0, 10)
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
	found, err := r.store.NoticesBySubject(t.Context(), "place:A1", 0, 10)
	if err != nil || len(found) != 1 || found[0].Scope != "2" {
		t.Errorf("%d notices left, %v; want only that of warehouse 2", len(found), err)
	}
}

func TestNoticesOfOtherSendersAreNotRetracted(t *testing.T) {
	t.Parallel()
	b := newBusiness(t, "sqlite")
	r := newRig(t, b, negative(`withdraw = true`))
	user, err := r.store.CreateUser(t.Context(), notifier.NewUser{Name: "rule negative-stock", Audience: 1}) // the name under which the rule is shown
	if err != nil {
		t.Fatal(err)
	}
	byHand := notifier.Draft{
		Target: notifier.Target{Topic: notifier.Topic{Type: "rep_notice", Scope: "1"}}, Type: "rep_notice", Subject: "place:A1", Title: "By hand",
		Sender: notifier.UserRef(user),
	}
	if sent := r.pipe.SendAll(t.Context(), []notifier.Request{{Draft: byHand}}); sent[0].Err != nil {
		t.Fatal(sent[0].Err)
	}
	b.put(t, "A1", 1, -3)
	r.perform(t, r.Runner)
	b.put(t, "A1", 1, 3)
	r.perform(t, r.Runner)
	wantTitles(t, r, "A1", "By hand")
}

var errAway = errors.New("away")

// forgetful is a store that fails to save findings at its nth call.
type forgetful struct {
	rule.Store
	calls *int
	fail  int
}

func (f forgetful) SaveFindings(ctx context.Context, name string, told []notifier.Finding, gone []string) error {
	if *f.calls++; *f.calls == f.fail {
		return errAway
	}
	return f.Store.SaveFindings(ctx, name, told, gone)
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

func TestAFailedSendIsRetriedAndDoesNotAffectOthers(t *testing.T) {
	t.Parallel()
	b := newBusiness(t, "sqlite")
	r := newRig(t, b, negative())
	b.put(t, "A1", 1, -3)
	b.put(t, "A2", 1, -4)
	broken := r.with(func(c *rule.Config) {
		whole := c.Sender
		c.Sender = sender{Sender: whole, send: func(all []notifier.Request) []notifier.Result {
			results := whole.SendAll(t.Context(), all)
			results[0] = notifier.Result{Err: errAway}
			return append(results[:1], whole.SendAll(t.Context(), all[1:])...)
		}}
	})
	run := r.perform(t, broken)
	if run.Sent != 1 || run.Error != "place:A1: away" {
		t.Errorf("%d sent, error %q", run.Sent, run.Error)
	}
	wantRun(t, "the next run", r.perform(t, r.Runner), 2, 1, 0)
	wantTitles(t, r, "A1", "A1 is at -3") // accepted the first time, although the sender was told otherwise
	wantTitles(t, r, "A2", "A2 is at -4")
}

func TestAFailedRetractionIsRetried(t *testing.T) {
	t.Parallel()
	b := newBusiness(t, "sqlite")
	r := newRig(t, b, negative(`withdraw = true`))
	b.put(t, "A1", 1, -3)
	r.perform(t, r.Runner)
	b.put(t, "A1", 1, 3)
	broken := r.with(func(c *rule.Config) {
		c.Sender = sender{Sender: c.Sender, retract: func(int64) error { return errAway }}
	})
	if run := r.perform(t, broken); run.Error != "place:A1: away" || run.Withdrawn != 0 {
		t.Errorf("error %q, %d withdrawn", run.Error, run.Withdrawn)
	}
	wantRun(t, "the next run", r.perform(t, r.Runner), 0, 0, 1)
	wantTitles(t, r, "A1")
}

func TestFailuresAreRecordedAndLoggedOnlyOnChange(t *testing.T) {
	t.Parallel()
	b := newBusiness(t, "sqlite")
	r := newRig(t, b, negative(`withdraw = true`))
	b.put(t, "A1", 1, -3)
	r.perform(t, r.Runner)
	b.do(t, `ALTER TABLE stock RENAME TO other`)
	for n := range int64(3) {
		if run := r.perform(t, r.Runner); run.Failures != n+1 || run.Error == "" || run.Findings != 0 {
			t.Errorf("failure %d: %+v", n+1, run)
		}
	}
	wantTitles(t, r, "A1", "A1 is at -3") // unknown whether it is gone
	b.do(t, `ALTER TABLE other RENAME TO stock`)
	if run := r.perform(t, r.Runner); run.Failures != 0 || run.Error != "" {
		t.Errorf("after the failures: %+v", run)
	}
	if diff := cmp.Diff([]string{"rule failed", "rule works again"}, r.logs.seen()); diff != "" {
		t.Error(diff)
	}
}

func TestAPanicCountsAsAFailure(t *testing.T) {
	t.Parallel()
	b := newBusiness(t, "sqlite")
	r := newRig(t, b, negative())
	b.put(t, "A1", 1, -3)
	broken := r.with(func(c *rule.Config) {
		c.Sender = sender{send: func([]notifier.Request) []notifier.Result { panic("the sky falls") }}
	})
	if run := r.perform(t, broken); run.Error != "panic: the sky falls" || run.Failures != 1 {
		t.Errorf("%+v", run)
	}
}

func TestTooManyRowsSendAndRetractNothing(t *testing.T) {
	t.Parallel()
	onBoth(t, func(t *testing.T, b *business) {
		r := newRig(t, b, negative(`withdraw = true`, `max_rows = 2`))
		b.put(t, "A1", 1, -1)
		b.put(t, "A2", 1, -2)
		wantRun(t, "two rows", r.perform(t, r.Runner), 2, 2, 0)
		b.put(t, "A1", 1, 1)
		b.put(t, "A3", 1, -3)
		b.put(t, "A4", 1, -4)
		if run := r.perform(t, r.Runner); run.Error != "the query returns more than 2 rows (max_rows)" || run.Sent+run.Withdrawn != 0 {
			t.Errorf("%+v", run)
		}
		wantTitles(t, r, "A1", "A1 is at -1")
	})
}

func TestAnInvalidRowDoesNotAffectOthersButPreventsRetractions(t *testing.T) {
	t.Parallel()
	b := newBusiness(t, "sqlite")
	r := newRig(t, b, negative(`withdraw = true`))
	b.put(t, "A1", 1, -1)
	r.perform(t, r.Runner)
	b.do(t, `DELETE FROM stock`)
	b.put(t, "A 2", 1, -2)
	b.put(t, "A3", 1, -3)
	run := r.perform(t, r.Runner)
	if run.Error != "row 1 (place:A 2): subject must consist of printable ASCII characters without spaces" || run.Sent != 1 || run.Withdrawn != 0 || run.Findings != 1 {
		t.Errorf("%+v", run)
	}
	wantTitles(t, r, "A1", "A1 is at -1") // row 1 may be about it
	wantTitles(t, r, "A3", "A3 is at -3")
}
