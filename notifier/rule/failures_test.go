package rule_test

import (
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/carillonhq/carillon/notifier"
	"github.com/carillonhq/carillon/notifier/rule"
)

func TestAFailedSendIsRetriedAndDoesNotAffectOthers(t *testing.T) {
	t.Parallel()
	b := newBusiness(t, "sqlite")
	r := newRig(t, b, negative())
	b.put(t, "A1", 1, -3)
	b.put(t, "A2", 1, -4)
	broken := r.with(func(c *rule.Config) {
		whole := c.Sender
		c.Sender = sender{Sender: whole, send: func(all []notifier.Request) []notifier.Result {
			results := whole.SendAll(t.Context(), notifier.Actor{}, all)
			results[0] = notifier.Result{Err: errAway}
			return append(results[:1], whole.SendAll(t.Context(), notifier.Actor{}, all[1:])...)
		}}
	})
	run := r.perform(t, broken)
	if run.Sent != 1 || run.Error != "place:A1: away" {
		t.Errorf("%d sent, error %q", run.Sent, run.Error)
	}
	wantRun(t, "the next run", r.perform(t, r.Runner), 2, 1, 0)
	wantTitles(t, r, "A1", "A1 is at -3") // accepted the first time, although sending returned an error
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
	wantTitles(t, r, "A1", "A1 is at -3") // it is unknown whether the finding is gone
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
	onEach(t, func(t *testing.T, b *business) {
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
