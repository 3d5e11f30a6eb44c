package handlers_test

import (
	"errors"
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
		state       notifier.RuleState
		word, facts string
		run         bool
	}{
		{
			notifier.RuleState{Last: notifier.RuleRun{StartedAt: began, EndedAt: ended, Findings: 1200, Sent: 2, Withdrawn: 1}, Next: noon.Add(time.Minute)},
			"OK", "Runsevery 5mTypeReplenishmentLast runToday 11:00 took 1.5 sOutcome1,200 found · 2 notified · 1 withdrawnNext runToday 12:01", true,
		},
		{
			notifier.RuleState{Last: notifier.RuleRun{StartedAt: began, EndedAt: began, Error: "no <such> table", Failures: 3}},
			"Failed", "Runsevery 5mTypeReplenishmentLast runToday 11:00 took 0 ms", true,
		},
		{
			notifier.RuleState{Last: notifier.RuleRun{StartedAt: began, EndedAt: began, Error: "row 2", Failures: 3, Findings: 7}},
			"Failed", "Runsevery 5mTypeReplenishmentLast runToday 11:00 took 0 msOutcome7 found · 0 notified · 0 withdrawn", true,
		},
		{notifier.RuleState{}, "Not run yet", "Runsevery 5mTypeReplenishment", true},
		{notifier.RuleState{Last: notifier.RuleRun{StartedAt: noon.Add(-time.Minute)}}, "Running", "Runsevery 5mTypeReplenishmentLast runToday 11:59", false},
		{notifier.RuleState{Last: notifier.RuleRun{StartedAt: began}}, "Interrupted", "Runsevery 5mTypeReplenishmentLast runToday 11:00", true},
		{notifier.RuleState{Fault: "no <source>", Next: noon}, "Cannot run", "Runsevery 5mTypeReplenishment", false},
	} {
		o := newOffice(t)
		o.topics.types = []notifier.NoticeType{{Slug: "rep_notice", Names: map[string]string{"en": "Replenishment"}}}
		test.state.Name, test.state.Schedule, test.state.Topic = "negative-stock", "every 5m", "rep_notice"
		o.rules.states = []notifier.RuleState{test.state}
		r := o.get("carol", "/staff/rules").wantStatus(t, http.StatusOK)
		r.wantText(t, "[data-testid=state]", test.word)
		r.wantText(t, ".facts", test.facts)
		r.wantText(t, ".reason", test.state.Fault+test.state.Last.Error)
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
	o.rules.states = []notifier.RuleState{{Name: "a b<"}, {Name: "other"}}
	r := o.get("carol", "/staff/rules")
	if got := r.attr("#rule-1 button", "aria-label"); got != "Run now: a b<" {
		t.Errorf("the button is named %q", got)
	}
	o.submit("carol", r, "#rule-1 form").wantRedirect(t, "/staff/rules?done=rule-run")
	for _, test := range []struct {
		err    error
		status int
	}{
		{notifier.ErrNotFound, http.StatusNotFound},
		{notifier.ErrConflict, http.StatusConflict},
		{notifier.ErrUnavailable, http.StatusServiceUnavailable},
		{errors.New("secret"), http.StatusInternalServerError},
	} {
		o.rules.err = test.err
		r := o.post("carol", "/staff/rules", "name", "other").wantStatus(t, test.status)
		if test.status == http.StatusConflict {
			r.wantText(t, "h1", "Can't run right now")
			r.wantText(t, "main a[href='/staff/rules']", "Back to the rules")
		}
	}
	if diff := cmp.Diff([]string{"a b<"}, o.rules.ran); diff != "" {
		t.Error(diff)
	}
	if diff := cmp.Diff([]string{"carol rule.run rule a b<"}, o.done()); diff != "" {
		t.Error(diff)
	}
	o.post("carol", "/staff/rules", "name", "other", "action", "stop").wantStatus(t, http.StatusUnprocessableEntity)
}

func TestPageWithoutAFileExplainsHowToConfigureOne(t *testing.T) {
	t.Parallel()
	o := newOffice(t)
	o.get("carol", "/staff/rules").wantText(t, "[data-testid=empty] h2", "The file has no rules")
	o.config.Rules = nil
	o.rebuild()
	r := o.get("carol", "/staff/rules").wantStatus(t, http.StatusOK)
	r.wantText(t, "[data-testid=empty] h2", "No rules")
	r.wantText(t, "pre", "carillon serve --rules rules.toml")
	o.post("carol", "/staff/rules", "name", "a").wantStatus(t, http.StatusNotFound)
}
