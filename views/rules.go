package views

import (
	"github.com/a-h/templ"

	"github.com/carillonhq/carillon/views/components"
)

// Rules is the rules that watch databases.
type Rules struct {
	Frame
	NoFile  bool   // there is no file of rules
	Running bool   // one of them runs
	Address string // of this page
	Rows    []RuleRow
	Empty   components.Empty
}

// RuleRow is a rule and how it fares.
type RuleRow struct {
	ID, Name         string
	State, StateText string
	Schedule         string
	Topic            Link
	Last, Next       Dated // without a date there is none
	Took             string
	Outcome          string // what it did then; empty: not known
	Failures         string // how many in a row; empty: no more than one
	Fault, Error     string // why it cannot run; why it failed
	RunNamed         string // the accessible name of the button; empty: it cannot run now
}

// follow looks again as long as a rule runs.
func (p *Rules) follow() templ.Attributes {
	if !p.Running {
		return nil
	}
	return templ.Attributes{
		"hx-get": p.Address, "hx-trigger": "every 2s", "hx-select": "#rules", "hx-swap": "outerHTML", "hx-sync": "this:drop", whileVisible: "1",
	}
}
