package main

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"slices"
	"strings"

	"github.com/carillonhq/carillon/internal/config"
	"github.com/carillonhq/carillon/internal/instance"
	"github.com/carillonhq/carillon/notifier"
	"github.com/carillonhq/carillon/notifier/rule"
	"github.com/carillonhq/carillon/store"
)

type rulesCmd struct {
	Check rulesCheckCmd `cmd:"" help:"Check the file of --rules, query its databases, and show the notices that would be sent, and the rows in outboxes; nothing is sent."`
}

type rulesCheckCmd struct{}

// checkedRule is a rule as `rules check` prints it.
type checkedRule struct {
	Rule     string         `json:"rule"`
	Schedule string         `json:"schedule"`
	Take     *checkedTake   `json:"take,omitempty"`
	Error    string         `json:"error,omitempty"`
	Findings []checkedEntry `json:"findings"`
	Gone     []string       `json:"gone,omitempty"`
}

// checkedEntry is the notice that would be sent for one row.
type checkedEntry struct {
	Change  rule.Change `json:"change"`
	To      string      `json:"to"`
	Subject string      `json:"subject"`
	Title   string      `json:"title"`
	Link    string      `json:"link,omitempty"`

	Actor   *notifier.RowActor `json:"actor,omitempty"`
	Image   *notifier.Image    `json:"image,omitempty"`
	Actions []notifier.Action  `json:"actions,omitempty"`
	Data    json.RawMessage    `json:"data,omitempty"`
}

// checkedTake is the task that each finding of a rule is.
type checkedTake struct {
	Within string            `json:"within,omitempty"`
	Else   string            `json:"else,omitempty"`
	Done   notifier.TakeDone `json:"done"`
}

var (
	errNoRules  = errors.New("--rules names no file")
	errBadRules = errors.New("not all rules and outboxes can run")
)

// Run prints the notices that each rule would send now. It fails if any rule cannot run.
func (rulesCheckCmd) Run(ctx context.Context, cfg config.Config, c *console) error {
	if cfg.Rules == "" {
		return usageError{errNoRules}
	}
	set, faults := instance.LoadRules(cfg)
	if set == nil {
		return faults
	}
	return withStore(ctx, cfg, func(db *store.Store) error {
		runner, err := instance.NewRuleChecker(ctx, cfg, set, db, c.log)
		if err != nil {
			return err
		}
		failed := false
		for _, r := range set.Rules() {
			if r.Fault != "" {
				continue // faults already contains the error
			}
			plan, err := runner.Check(ctx, r.Name)
			failed = failed || err != nil
			if err := printRule(c, r, plan, err); err != nil {
				return err
			}
		}
		bad, err := checkOutboxes(ctx, c, set, db)
		if err != nil {
			return err
		}
		if failed || bad {
			return errors.Join(faults, errBadRules)
		}
		return faults
	})
}

// checkOutboxes prints what is in each outbox. It reports whether any cannot be read.
func checkOutboxes(ctx context.Context, c *console, set *rule.Set, db *store.Store) (bad bool, err error) {
	for _, b := range set.Outboxes() {
		if b.Fault != "" {
			continue // the faults of the file already contain it
		}
		state, failed := instance.CheckOutbox(ctx, db, b)
		bad = bad || failed != nil
		if err := printOutbox(c, b, state, failed); err != nil {
			return bad, err
		}
	}
	return bad, nil
}

func printRule(c *console, r *rule.Rule, plan rule.Plan, failed error) error {
	line := checkedRule{Rule: r.Name, Schedule: r.Schedule(), Findings: []checkedEntry{}, Gone: plan.Gone}
	var text strings.Builder
	fmt.Fprintf(&text, "rule %s, %s: %s", r.Name, r.Schedule(), plural(len(plan.Findings), "finding"))
	if take := r.Take(); take != nil {
		line.Take = newCheckedTake(take)
		text.WriteString("\n  each is a task" + line.Take.words())
	}
	for _, f := range plan.Findings {
		d := &f.Draft
		e := checkedEntry{f.Change, addressee(d.Target), d.Subject, d.Title, d.Link, d.Extras.Actor, d.Extras.Image, d.Extras.Actions, d.Extras.Data}
		line.Findings = append(line.Findings, e)
		fmt.Fprintf(&text, "\n  %-8s  to %s  %s: %s", e.Change, e.To, e.Subject, e.Title)
		for _, setting := range e.settings() {
			text.WriteString("\n            " + setting)
		}
	}
	for _, subject := range plan.Gone {
		fmt.Fprintf(&text, "\n  gone      %s", subject)
	}
	if failed != nil {
		line.Error = failed.Error()
		fmt.Fprintf(&text, "\n  error     %v", failed)
	}
	return c.result(line, "%s", text.String())
}

// settings describes what a notice has beside its title, a line for each.
func (e *checkedEntry) settings() (lines []string) {
	add := func(what, value string, more ...string) {
		if more = slices.DeleteFunc(more, func(s string) bool { return s == "" }); len(more) > 0 {
			value += " (" + strings.Join(more, ", ") + ")"
		}
		lines = append(lines, what+" "+value)
	}
	if e.Link != "" {
		add("link", e.Link)
	}
	if a := e.Actor; a != nil {
		add("actor", a.Name, a.ID, a.Image)
	}
	if i := e.Image; i != nil {
		add("picture", i.URL, i.Alt)
	}
	for _, a := range e.Actions {
		add("button", a.Label+": "+a.Link, a.Style)
	}
	if len(e.Data) > 0 {
		add("data", string(e.Data))
	}
	return lines
}

func newCheckedTake(t *notifier.Take) *checkedTake {
	to := &checkedTake{Done: t.Finish}
	if t.Rule.Within > 0 {
		to.Within = t.Rule.Within.String()
	}
	if !t.Rule.Else.IsZero() {
		to.Else = addressee(t.Rule.Else)
	}
	return to
}

// words describes when a task is late, who gets it then, and how it ends.
func (t *checkedTake) words() string {
	text := ""
	if t.Within != "" {
		text += ", to be taken within " + t.Within
	}
	if t.Else != "" {
		text += ", after that also to " + t.Else
	}
	if t.Done == notifier.DoneNone {
		return text + "; taking it is enough"
	}
	return text + "; to be reported as done"
}

// addressee describes the target of a notice in words.
func addressee(t notifier.Target) string {
	switch {
	case t.Role != "":
		return "role " + t.Role
	case len(t.Roles) > 0:
		return "roles " + strings.Join(t.Roles, ", ")
	case len(t.Users) > 0:
		return strings.Join(t.Users, ", ")
	}
	return strings.TrimSuffix("topic "+t.Topic.Type+":"+t.Topic.Scope, ":")
}
