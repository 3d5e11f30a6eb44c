package views

import (
	"context"
	"strings"

	"github.com/a-h/templ"

	"github.com/carillonhq/carillon/views/components"
)

// Notices is the list of sent notices.
type Notices struct {
	Frame
	Query               string // the search
	Sort                string // the order, as the form sends it; empty: the default
	Tabs                []components.Tab
	Filter              SentFilter
	Export              string // the address of the list as a file
	Columns             []components.Column
	Rows                []SentRow
	Next, First         string // addresses of pages; empty: none
	NextText, FirstText string
	Reached             string // how far a slow search got; empty: it finished
	Follow              Follow
	Empty               components.Empty
	Say                 string // the screen reader announcement after a search
}

// SentFilter is the filter form with its current values.
type SentFilter struct {
	Type, Sender, Since, Until string
	Targets, States            []components.Option
	Count                      string // the number of active filters; empty: none
	Clear                      string // the address of the list without them
}

// Drafts contains the list of the reader's drafts, and the list of templates.
type Drafts struct {
	Frame
	Tabs      []components.Tab
	Rows      []DraftRow
	Templates []DraftRow
	Empty     components.Empty
}

// DraftRow is one draft or template.
type DraftRow struct {
	ID, Href, Title string
	Changed         Dated
	Use             string // the accessible name of the link to use a template; empty: it is a draft
	Delete          string // the accessible name of the button to delete it
}

// Traffic is what applications have sent, by category and day.
type Traffic struct {
	Frame
	Tabs                []components.Tab
	Filter              SentFilter
	Export              string
	Days                []TrafficDay
	Next, First         string // addresses of pages; empty: none
	NextText, FirstText string
	Empty               components.Empty
	Say                 string
}

// TrafficDay is one day of it.
type TrafficDay struct {
	Heading, Datetime string
	Lines             []TrafficLine
	More              Link // to what the lines leave out; empty: nothing
}

// TrafficLine is one category of a day.
type TrafficLine struct {
	Mark
	Name       string
	Href       string // its notices, as a list
	Notices    string
	Recipients string // empty: none, or unknown
}

// Mark is what a category looks like: an icon or, without one, initials.
type Mark struct{ Icon, Initials, Tint string }

// SentRow is one sent notice.
type SentRow struct {
	ID, Href, Title        string
	ToBy                   string // recipients and sender
	List                   string // this page of the list, to poll; empty: delivered
	Datetime, Moment, When string // When is displayed, Moment is exact
	State, StateText       string
	Delivered, Read        components.Bar
	Single, Seen           bool   // it has one recipient, who has it; they have read it
	Note                   string // instead of both: why they are unknown
	Announced              bool   // it is an announcement, which is not delivered
	Live                   bool   // an announcement that is open or scheduled
}

// Follow polls the open and scheduled announcements of the list, all in one request.
type Follow struct {
	Address string // this page of the list
	ids     []string
}

// Add adds a row to poll if its numbers can still change.
func (f *Follow) Add(r SentRow) {
	if r.Live {
		f.ids = append(f.ids, r.ID)
	}
}

func (f *Follow) attributes(ctx context.Context) templ.Attributes {
	if len(f.ids) == 0 {
		return nil
	}
	parts := []string{"#follow"}
	for _, id := range f.ids {
		parts = append(parts, "#state-"+id, "#read-"+id)
	}
	return templ.Attributes{
		"hx-get": at(ctx, f.Address), "hx-trigger": "every 5s", "hx-swap": "none", "hx-select-oob": strings.Join(parts, ","),
		"hx-sync": "this:drop", whileVisible: "1",
	}
}

// whileVisible marks elements that poll only while the page is visible.
const whileVisible = "data-while-visible"

// follow polls the row until the notice is delivered.
func (r *SentRow) follow(ctx context.Context) templ.Attributes {
	if r.List == "" {
		return nil
	}
	return templ.Attributes{
		"hx-get": at(ctx, r.List), "hx-select": "#notice-" + r.ID, "hx-trigger": "every 2s", "hx-swap": "outerHTML", "hx-sync": "this:drop",
	}
}
