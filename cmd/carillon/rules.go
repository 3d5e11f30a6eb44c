package main

import (
	"context"
	"errors"
	"fmt"
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
	for _, f := range plan.Findings {
		e := checkedEntry{f.Change, addressee(f.Draft.Target), f.Draft.Subject, f.Draft.Title}
		line.Findings = append(line.Findings, e)
		fmt.Fprintf(&text, "\n  %-8s  to %s  %s: %s", e.Change, e.To, e.Subject, e.Title)
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

// addressee describes the target of a notice in words.
func addressee(t notifier.Target) string {
	switch {
	case t.Role != "":
		return "role " + t.Role
	case len(t.Users) > 0:
		return strings.Join(t.Users, ", ")
	}
	return strings.TrimSuffix("topic "+t.Topic.Type+":"+t.Topic.Scope, ":")
}
