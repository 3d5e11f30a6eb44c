package views

import (
	"context"

	"github.com/a-h/templ"

	"github.com/carillonhq/carillon/views/components"
)

// Rules is the page of the rules that watch databases.
type Rules struct {
	Frame
	NoFile  bool   // no rules file is configured
	Running bool   // a rule is running
	Address string // of this page
	Rows    []RuleRow
	Empty   components.Empty
}

// RuleRow is a rule and its state.
type RuleRow struct {
	ID, Name         string
	State, StateText string
	Schedule         string
	Topic            Link
	Last, Next       Dated // without a date: none
	Took             string
	Outcome          string // what the last run did; empty: unknown
	Failures         string // how many in a row; empty: at most one
	Fault, Error     string // why it cannot run; why it failed
	RunNamed         string // the accessible name of its button; empty: it cannot run now
}

// follow polls while a rule is running.
func (p *Rules) follow(ctx context.Context) templ.Attributes {
	if !p.Running {
		return nil
	}
	return templ.Attributes{
		"hx-get": at(ctx, p.Address), "hx-trigger": "every 2s", "hx-select": "#rules", "hx-swap": "outerHTML", "hx-sync": "this:drop", whileVisible: "1",
	}
}
