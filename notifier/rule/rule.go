// Package rule monitors business databases. Rules in a file query them on a schedule, and their
// findings become notices. A finding is one inbox entry as long as it is found. It is sent again
// when it changes, or after a reminder time.
//
// The operator of the installation writes the file, so its queries are trusted, within limits: they
// can only read, and their time and number of rows are limited.
package rule

import (
	"text/template"
	"time"

	"github.com/carillonhq/carillon/internal/source"
	"github.com/carillonhq/carillon/notifier"
)

// Rule is a rule of the file. A rule in which Parse found a fault does not run.
type Rule struct {
	Name     string
	Source   string // name of the database: CARILLON_RULE_SOURCE_…
	Query    string
	Timeout  time.Duration // of the query
	MaxRows  int           // more rows are an error
	Type     string        // type of the notices
	Remind   time.Duration // a finding that is still present is sent again after this; 0: never
	Withdraw bool          // retract a notice when its finding is gone
	Fault    string        // why the rule cannot run; empty: it can

	schedule    schedule
	source      source.Source
	scope       string
	scopeColumn string // empty: use scope
	role        string
	users       []string
	expiresIn   time.Duration
	take        *notifier.Take // nil: the findings are no tasks
	toast       bool
	texts       texts
	extras      extras
}

// texts are templates over the columns of a row.
type texts struct{ subject, title, body, link *template.Template }

// Set contains the rules and outboxes of one file.
type Set struct {
	rules    []*Rule
	outboxes []Outbox
}

// Rules returns the rules in the order of the file, including those with a fault.
func (s *Set) Rules() []*Rule { return s.rules }

// Names returns the names of the rules in the order of the file. A rule without a name is identified by
// its number, as in `rule 3`.
func (s *Set) Names() []string {
	names := make([]string, len(s.rules))
	for i, r := range s.rules {
		names[i] = r.Name
	}
	return names
}

// Schedule returns the schedule as written in the file.
func (r *Rule) Schedule() string { return r.schedule.text }

// target returns the recipients of findings in this scope.
func (r *Rule) target(scope string) notifier.Target {
	switch {
	case r.role != "":
		return notifier.Target{Role: r.role}
	case len(r.users) > 0:
		return notifier.Target{Users: r.users}
	}
	return notifier.Target{Topic: notifier.Topic{Type: r.Type, Scope: scope}}
}

// sender returns the sender of the rule's notices.
func (r *Rule) sender() notifier.Ref { return notifier.RuleRef(r.Name) }

func (r *Rule) actor() notifier.Actor { return notifier.Actor{Ref: r.sender()} }

// named returns the first rule with this name; nil if there is none.
func (s *Set) named(name string) *Rule {
	for _, r := range s.rules {
		if r.Name == name {
			return r
		}
	}
	return nil
}

// sound reports whether no rule has a fault.
func (s *Set) sound() bool {
	for _, r := range s.rules {
		if r.Fault != "" {
			return false
		}
	}
	return true
}
