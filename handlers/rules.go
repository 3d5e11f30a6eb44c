package handlers

import (
	"errors"
	"fmt"
	"net/http"
	"net/url"
	"strconv"
	"time"

	"github.com/carillonhq/carillon/notifier"
	"github.com/carillonhq/carillon/views"
	"github.com/carillonhq/carillon/views/locale"
)

const rulesPath = "/staff/rules"

// runLongest exceeds the longest possible run. An unfinished run that is older has died.
const runLongest = 10 * time.Minute

// States of a rule.
const (
	ruleFaulty  = "faulty" // the rule cannot run
	ruleNew     = "new"    // never run
	ruleRunning = "running"
	ruleDied    = "died" // its instance stopped during the run
	ruleFailed  = "failed"
	ruleFine    = "fine"
)

// rules shows the state of each rule.
func (h *Handlers) rules(w http.ResponseWriter, r *http.Request) error {
	p := &views.Rules{Frame: h.frame(r, "rules", "rules.title"), Address: rulesPath}
	if h.Rules == nil {
		p.Empty = nothing(p.Text, "clock", "rules.", false)
		p.NoFile = true
		return h.page(w, r, http.StatusOK, views.RulesPage(p))
	}
	states, err := h.Rules.States(r.Context())
	if err != nil {
		return fmt.Errorf("list the states of rules: %w", err)
	}
	p.Empty = nothing(p.Text, "clock", "rules.", true)
	for i := range states {
		row := h.ruleRow(p.Text, &states[i], h.now(r))
		row.ID = "rule-" + strconv.Itoa(i+1)
		p.Running = p.Running || row.State == ruleRunning
		p.Rows = append(p.Rows, row)
	}
	p.Refresh = p.Running
	return h.page(w, r, http.StatusOK, views.RulesPage(p))
}

// stateOf returns the state of a rule.
func stateOf(s *notifier.RuleState, now time.Time) string {
	switch {
	case s.Fault != "":
		return ruleFaulty
	case s.Last.StartedAt.IsZero():
		return ruleNew
	case s.Last.EndedAt.IsZero() && now.Sub(s.Last.StartedAt) < runLongest:
		return ruleRunning
	case s.Last.EndedAt.IsZero():
		return ruleDied
	case s.Last.Error != "":
		return ruleFailed
	default:
		return ruleFine
	}
}

func (h *Handlers) ruleRow(text *locale.Printer, s *notifier.RuleState, now time.Time) views.RuleRow {
	state := stateOf(s, now)
	row := views.RuleRow{
		Name: s.Name, State: state, StateText: text.T("rules.state_" + state), Schedule: s.Schedule,
		Topic: views.Link{
			Text: h.Topics.Name(s.Topic, text.Lang()), Href: subscriptionsPath + "?" + url.Values{"type": {s.Topic}}.Encode(),
		},
		Fault: kept(s.Fault), Error: kept(s.Last.Error),
	}
	if state != ruleFaulty && state != ruleRunning {
		row.RunNamed = text.F("rules.run_named", "Name", s.Name)
	}
	if !s.Last.StartedAt.IsZero() {
		row.Last = momentOf(text, s.Last.StartedAt, now)
	}
	if state == ruleFine || state == ruleFailed {
		row.Took = took(text, s.Last.EndedAt.Sub(s.Last.StartedAt))
	}
	if did := s.Last.Findings + s.Last.Sent + s.Last.Withdrawn; state == ruleFine || state == ruleFailed && did > 0 {
		row.Outcome = text.F("rules.outcome_text", "Found", text.Number(s.Last.Findings), "Sent", text.Number(s.Last.Sent),
			"Withdrawn", text.Number(s.Last.Withdrawn))
	}
	if s.Last.Failures > 1 {
		row.Failures = text.N("rules.failures", s.Last.Failures)
	}
	if !s.Next.IsZero() && state != ruleFaulty {
		row.Next = momentOf(text, s.Next, now)
	}
	return row
}

// took formats a duration.
func took(text *locale.Printer, d time.Duration) string {
	if d < time.Second {
		return text.F("rules.ms", "Number", text.Number(max(d, 0).Milliseconds()))
	}
	return text.F("rules.seconds", "Number", strconv.FormatFloat(d.Seconds(), 'f', 1, 64))
}

// runRule runs a rule now.
func (h *Handlers) runRule(w http.ResponseWriter, r *http.Request) error {
	if h.Rules == nil {
		return notifier.ErrNotFound
	}
	values, err := form(r, "action", "name")
	if err != nil {
		return err
	}
	if action := values.Get("action"); action != "" && action != "run" {
		return fault("action", codeForm, nil)
	}
	name := values.Get("name")
	if err := h.Rules.RunNow(r.Context(), h.actor(r), name); err != nil {
		if errors.Is(err, notifier.ErrConflict) {
			err = &refusal{"rule_running", rulesPath, "status.back_rules"}
		}
		return fmt.Errorf("run a rule: %w", err)
	}
	redirect(w, r, rulesPath+"?done=rule-run")
	return nil
}
