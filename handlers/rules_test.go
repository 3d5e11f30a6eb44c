package handlers_test

import (
	"net/http"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"github.com/carillonhq/carillon/notifier"
)

func TestEachRuleShowsItsState(t *testing.T) {
	t.Parallel()
	began := noon.Add(-time.Hour)
	ended := began.Add(1530 * time.Millisecond)
	for _, test := range []struct {
		rule        string
		last        notifier.RuleRun
		word, facts string
		run         bool
	}{
		{
			"stock",
			notifier.RuleRun{StartedAt: began, EndedAt: ended, Findings: 1200, Sent: 2, Withdrawn: 1},
			"OK", "Last runToday 11:00 took 1.5 sOutcome1,200 found · 2 notified · 1 withdrawnNext runToday 12:05", true,
		},
		{
			"stock",
			notifier.RuleRun{StartedAt: began, EndedAt: began, Error: "no <such> table", Failures: 3},
			"Failed", "Last runToday 11:00 took 0 msNext runToday 12:05", true,
		},
		{
			"stock",
			notifier.RuleRun{StartedAt: began, EndedAt: began, Error: "row 2", Failures: 3, Findings: 7},
			"Failed", "Last runToday 11:00 took 0 msOutcome7 found · 0 notified · 0 withdrawnNext runToday 12:05", true,
		},
		{"stock", notifier.RuleRun{}, "Not run yet", "Next runToday 12:05", true},
		{"stock", notifier.RuleRun{StartedAt: noon.Add(-time.Minute)}, "Running", "Last runToday 11:59Next runToday 12:05", false},
		{"stock", notifier.RuleRun{StartedAt: began}, "Interrupted", "Last runToday 11:00Next runToday 12:05", true},
		{"faulty", notifier.RuleRun{}, "Cannot run", "", false},
	} {
		o := newOffice(t)
		o.haveTypes(notifier.NoticeType{Slug: "rep_notice", Names: map[string]string{"en": "Replenishment"}})
		o.haveRules(test.rule)
		if test.last.Rule = test.rule; !test.last.StartedAt.IsZero() {
			o.haveRun(test.last)
		}
		states, err := o.config.Rules.States(t.Context())
		if err != nil || len(states) != 1 || (states[0].Fault != "") != (test.rule == "faulty") {
			t.Fatalf("%+v, %v", states, err)
		}
		r := o.get("carol", "/staff/rules").wantStatus(t, http.StatusOK)
		r.wantText(t, "[data-testid=state]", test.word)
		r.wantText(t, ".facts", "Runs"+states[0].Schedule+"CategoryReplenishment"+test.facts)
		r.wantText(t, ".reason", states[0].Fault+test.last.Error)
		if got := r.count("[data-testid=rule] form") == 1; got != test.run {
			t.Errorf("%s: can be run: %v", test.word, got)
		}
		running := test.word == "Running"
		if strings.Contains(r.body, `<noscript><meta http-equiv="refresh"`) != running || (r.attr("#rules", "hx-trigger") != "") != running {
			t.Errorf("%s: the page polls", test.word)
		}
		if failures := strings.Contains(r.text("main"), "3 failures in a row"); failures != (test.word == "Failed") {
			t.Errorf("%s: failures are shown: %v", test.word, failures)
		}
	}
}

func TestRuleIsRunNow(t *testing.T) {
	t.Parallel()
	o := newOffice(t)
	o.haveRules("stock", "other", "faulty")
	o.runRules("stock", "other")
	r := o.get("carol", "/staff/rules")
	if got := r.attr("#rule-1 button", "aria-label"); got != "Run now: stock" {
		t.Errorf("the button is named %q", got)
	}
	o.submit("carol", r, "#rule-1 form").wantRedirect(t, "/staff/rules?done=rule-run")
	o.post("carol", "/staff/rules", "name", "unknown").wantStatus(t, http.StatusNotFound)
	r = o.post("carol", "/staff/rules", "name", "faulty").wantStatus(t, http.StatusConflict)
	r.wantText(t, "h1", "Can't run right now")
	r.wantText(t, "main a[href='/staff/rules']", "Back to the rules")
	o.post("carol", "/staff/rules", "name", "other", "action", "stop").wantStatus(t, http.StatusUnprocessableEntity)
	if diff := cmp.Diff([]string{"stock"}, o.ran()); diff != "" {
		t.Error(diff)
	}
	if diff := cmp.Diff([]string{"carol rule.run rule stock"}, o.done()); diff != "" {
		t.Error(diff)
	}
	o.closeSQL()
	o.post("carol", "/staff/rules", "name", "other").wantStatus(t, http.StatusServiceUnavailable)
}

func TestPageWithoutAFileExplainsHowToConfigureOne(t *testing.T) {
	t.Parallel()
	o := newOffice(t)
	o.haveRules()
	o.get("carol", "/staff/rules").wantText(t, "[data-testid=empty] h2", "The file has no rules")
	o.config.Rules = nil
	o.rebuild()
	r := o.get("carol", "/staff/rules").wantStatus(t, http.StatusOK)
	r.wantText(t, "[data-testid=empty] h2", "No rules")
	r.wantText(t, "pre", "carillon serve --rules rules.toml")
	o.post("carol", "/staff/rules", "name", "a").wantStatus(t, http.StatusNotFound)
}
