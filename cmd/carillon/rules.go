package main

import (
	"context"
	"errors"
	"fmt"
	"log/slog"
	"os"
	"strings"
	"time"

	"github.com/carillonhq/carillon/notifier"
	"github.com/carillonhq/carillon/notifier/keys"
	"github.com/carillonhq/carillon/notifier/pipeline"
	"github.com/carillonhq/carillon/notifier/rule"
	"github.com/carillonhq/carillon/notifier/topic"
	"github.com/carillonhq/carillon/store"
)

type rulesCmd struct {
	Check rulesCheckCmd `cmd:"" help:"Check the file of --rules, ask its databases, and show what would be sent; nothing is."`
}

// loadRules reads the configured file. Beside an error that names faults of rules are
// the rules; without them the file cannot be read at all.
func loadRules(cfg config) (*rule.Set, error) {
	text, err := os.ReadFile(cfg.Rules)
	if err != nil {
		return nil, fmt.Errorf("read the rules: %w", err)
	}
	set, err := rule.Parse(text, cfg.lookup)
	if err != nil {
		return set, fmt.Errorf("%s: %w", cfg.Rules, err)
	}
	return set, nil
}

// makeRules makes the runner of the configured rules. A rule with a fault does not
// run and holds up nothing else; a file that cannot be read at all does.
func (i *instance) makeRules(space keys.Space) error {
	if i.cfg.Rules == "" {
		return nil
	}
	set, err := loadRules(i.cfg)
	if set == nil {
		return err
	}
	if err != nil {
		i.log.Error("some rules cannot run", "stage", "rule", "err", err)
	}
	i.rules = rule.New(rule.Config{
		Rules: set, Store: i.db, Sender: i.pipe, Limits: limits(i.cfg, i.topics), Log: i.log,
		Leases: func(name string, life time.Duration) rule.Lease { return pipeline.NewLease(i.rdb, space, name, life) },
	})
	return nil
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

// checkedEntry is what would be sent of one row.
type checkedEntry struct {
	Change  rule.Change `json:"change"`
	To      string      `json:"to"`
	Subject string      `json:"subject"`
	Title   string      `json:"title"`
}

var (
	errNoRules  = errors.New("--rules names no file")
	errBadRules = errors.New("not all rules can run")
)

// Run prints what each rule would send now, and fails when one of them cannot.
func (rulesCheckCmd) Run(ctx context.Context, cfg config, c *console) error {
	if cfg.Rules == "" {
		return usageError{errNoRules}
	}
	set, faults := loadRules(cfg)
	if set == nil {
		return faults
	}
	return withStore(ctx, cfg, func(db *store.Store) error {
		// Types are in SQL: Redis is not asked, and nobody need hear of that.
		topics := topic.New(nowhere(errNoRedis), keys.New(cfg.RedisPrefix), db, topic.Options{Keep: cfg.Keep, Log: slog.New(slog.DiscardHandler)})
		if err := topics.Load(ctx); err != nil {
			return err
		}
		runner := rule.New(rule.Config{Rules: set, Store: db, Limits: limits(cfg, topics), Log: c.log})
		failed := false
		for _, r := range set.Rules() {
			if r.Fault != "" {
				continue // faults has it
			}
			plan, err := runner.Check(ctx, r.Name)
			failed = failed || err != nil
			if err := printRule(c, r, plan, err); err != nil {
				return err
			}
		}
		if failed {
			return errors.Join(faults, errBadRules)
		}
		return faults
	})
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

// addressee says in words to whom a notice goes.
func addressee(t notifier.Target) string {
	switch {
	case t.Role != "":
		return "role " + t.Role
	case len(t.Users) > 0:
		return strings.Join(t.Users, ", ")
	}
	return strings.TrimSuffix("topic "+t.Topic.Type+":"+t.Topic.Scope, ":")
}
