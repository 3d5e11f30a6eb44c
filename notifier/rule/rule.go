// Package rule watches business databases: rules of a file ask them on a schedule,
// and what they find becomes notices. A finding is one entry for as long as it is
// there, told again when it says something else, or after a quiet time.
//
// The file is written by who runs the installation, and believed as far as that
// goes: its queries only read, are ended after a time, and give so many rows.
package rule

import (
	"text/template"
	"time"

	"github.com/carillonhq/carillon/notifier"
)

// Rule is a rule of the file. Those that Parse found a fault in do not run.
type Rule struct {
	Name     string
	Source   string // which database: CARILLON_RULE_SOURCE_…
	Query    string
	Timeout  time.Duration // of the query
	MaxRows  int           // more are a fault
	Type     string        // of the notices
	Remind   time.Duration // what is still there is told again after this; 0: never
	Withdraw bool          // what is gone is taken back
	Fault    string        // why it cannot run; empty: it can

	schedule    schedule
	source      source
	scope       string
	scopeColumn string // empty: scope
	role        string
	users       []string
	expiresIn   time.Duration
	toast       bool
	texts       texts
}

// texts are the templates over the columns of a row.
type texts struct{ subject, title, body, link *template.Template }

// Set is the rules of one file.
type Set struct{ rules []*Rule }

// Rules returns the rules as they stand in the file, broken ones too.
func (s *Set) Rules() []*Rule { return s.rules }

// Names returns the names of the rules as they stand in the file. A rule without one
// is called by its number, as `rule 3`.
func (s *Set) Names() []string {
	names := make([]string, len(s.rules))
	for i, r := range s.rules {
		names[i] = r.Name
	}
	return names
}

// Schedule returns when the rule runs, as the file says it.
func (r *Rule) Schedule() string { return r.schedule.text }

// target says who gets what the rule finds in this scope.
func (r *Rule) target(scope string) notifier.Target {
	switch {
	case r.role != "":
		return notifier.Target{Role: r.role}
	case len(r.users) > 0:
		return notifier.Target{Users: r.users}
	}
	return notifier.Target{Topic: notifier.Topic{Type: r.Type, Scope: scope}}
}

// sender is whom the rule's notices are from.
func (r *Rule) sender() string { return "rule " + r.Name }

// named returns the rule of this name, the first if there are several.
func (s *Set) named(name string) *Rule {
	for _, r := range s.rules {
		if r.Name == name {
			return r
		}
	}
	return nil
}

// sound says whether no rule has a fault.
func (s *Set) sound() bool {
	for _, r := range s.rules {
		if r.Fault != "" {
			return false
		}
	}
	return true
}
