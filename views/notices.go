package views

import (
	"strings"

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
	Follow              Follow
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
	Announced              bool   // nobody has it delivered
	Live                   bool   // it is an announcement that is open, or will be
}

// Follow looks at the announcements of the list again, all at once, as long as
// anybody sees them or will.
type Follow struct {
	Address string // of this page of the list
	ids     []string
}

// Add follows a row, if there is something to follow.
func (f *Follow) Add(r SentRow) {
	if r.Live {
		f.ids = append(f.ids, r.ID)
	}
}

func (f *Follow) attributes() templ.Attributes {
	if len(f.ids) == 0 {
		return nil
	}
	parts := []string{"#follow"}
	for _, id := range f.ids {
		parts = append(parts, "#state-"+id, "#read-"+id)
	}
	return templ.Attributes{
		"hx-get": f.Address, "hx-trigger": "every 5s", "hx-swap": "none", "hx-select-oob": strings.Join(parts, ","),
		"hx-sync": "this:drop", whileVisible: "1",
	}
}

// whileVisible marks what does not look again while nobody sees the page.
const whileVisible = "data-while-visible"

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
	Card      Card
	Facts     []Fact
	Progress  Progress
	Announced bool     // it is an announcement
	Turned    bool     // its phase is another than that of the page that looks again
	EditHref  string   // empty: it cannot be changed
	Retract   *Retract // nil: there is nothing left to retract
	Delete    *Retract // nil: it is kept
	Dead      string   // what of its delivery was put aside; empty: nothing
}

// follow looks at the progress again as long as there may be some.
func (p *Notice) follow() templ.Attributes {
	if p.Progress.Finished == "true" {
		return nil
	}
	attrs := templ.Attributes{
		"hx-get": p.Progress.Address, "hx-trigger": "every 1s", "hx-select": "#progress", "hx-swap": "outerHTML", "hx-sync": "this:drop",
	}
	if p.Announced {
		attrs["hx-trigger"], attrs[whileVisible] = "every 2s", "1"
	}
	return attrs
}

// Fact is a line of a description.
type Fact struct{ Name, Value, Datetime string }

// Progress is how far a notice has come, as its page shows it while it changes.
type Progress struct {
	Finished         string // "true" or "false"
	Address          string // of the page, to look again
	State, StateText string
	Bars             []components.Bar
	Note             string // what else there is to say; or instead of the bars: why there are none
}

// Retract is the form that takes a notice back, or deletes it.
type Retract struct{ Action, Text string }
