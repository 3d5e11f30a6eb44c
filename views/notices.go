package views

import (
	"github.com/a-h/templ"

	"github.com/carillonhq/carillon/views/components"
)

// Notices is the list of what was sent.
type Notices struct {
	Frame
	Query               string // what was searched for
	Sort                string // the order, as the form sends it; empty: the usual one
	Columns             []components.Column
	Rows                []SentRow
	Next, First         string // pages; empty: there is none
	NextText, FirstText string
	Empty               components.Empty
	Say                 string // what a screen reader hears after a search
}

// SentRow is one sent notice.
type SentRow struct {
	ID, Href, Title        string
	ToBy                   string // to whom it went, and by whom
	List                   string // this page of the list, to look again; empty: it has arrived
	Datetime, Moment, When string // When is shown, Moment is exact
	State, StateText       string
	Delivered, Read        components.Bar
	Note                   string // instead of both: why they are not known
}

// follow looks at the row again as long as the notice is on its way.
func (r *SentRow) follow() templ.Attributes {
	if r.List == "" {
		return nil
	}
	return templ.Attributes{
		"hx-get": r.List, "hx-select": "#notice-" + r.ID, "hx-trigger": "every 2s", "hx-swap": "outerHTML", "hx-sync": "this:drop",
	}
}

// Notice is one sent notice: what it is and how far it has come.
type Notice struct {
	Frame
	Card     Card
	Facts    []Fact
	Progress Progress
	Retract  *Retract // nil: there is nothing left to retract
}

// Fact is a line of a description.
type Fact struct{ Name, Value, Datetime string }

// Progress is how far a notice has come, as its page shows it while it changes.
type Progress struct {
	Finished         string // "true" or "false"
	Address          string // of the page, to look again
	State, StateText string
	Bars             []components.Bar
	Note             string // instead of the bars: why there are none
}

// Retract is the form that takes a notice back.
type Retract struct{ Action, Text string }
