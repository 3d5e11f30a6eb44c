package views

import (
	"context"

	"github.com/a-h/templ"

	"github.com/carillonhq/carillon/notifier"
	"github.com/carillonhq/carillon/views/components"
)

// Notice is a sent notice and its progress.
type Notice struct {
	Frame
	Card          Card
	Facts         []Fact
	History       []Event
	Progress      Progress
	Announced     bool       // it is an announcement
	Turned        bool       // its phase has changed since the polling page was rendered
	Unseen        string     // the note that readers no longer see it; empty: they do or will
	EditHref      string     // empty: it cannot be edited
	DuplicateHref string     // the form, filled in like this notice
	Remind        *Reminding // nil: it is not offered
	Retract       *Retract   // nil: nothing left to retract
	Delete        *Retract   // nil: it cannot be deleted
	Dead          string     // the line about its dead letters; empty: none
	Why           Why
}

// follow polls the progress while it can change.
func (p *Notice) follow(ctx context.Context) templ.Attributes {
	if p.Progress.Finished == "true" {
		return nil
	}
	attrs := templ.Attributes{
		"hx-get": at(ctx, p.Progress.Address), "hx-trigger": "every 1s", "hx-select": "#progress", "hx-swap": "outerHTML", "hx-sync": "this:drop",
		"hx-select-oob": "#state",
	}
	if p.Announced {
		attrs["hx-trigger"], attrs[whileVisible] = "every 2s", "1"
	}
	return attrs
}

// Fact is a line of the details.
type Fact struct{ Name, Value, Datetime string }

// Event is something that happened to a notice.
type Event struct{ Text, Moment, Datetime string }

// Progress is the progress of a notice.
type Progress struct {
	Finished         string // "true" or "false"
	Address          string // of the page, to poll
	State, StateText string
	Figure           *Figure // nil: unknown
	Bars             []components.Bar
	Note             string    // a further note; without bars, why there are none
	People           []Receipt // the recipients, if they are few
	Unread           *Link     // the list of recipients who have not read it, if they are many; nil: none
}

// Figure shows how many recipients have read a notice.
type Figure struct{ Text, Percent string }

// Receipt is a recipient and, in words, whether they have read the notice.
type Receipt struct {
	notifier.UserName
	Text string
	Read bool
}

// Retract is the form that retracts or deletes a notice.
type Retract struct{ Action, Text string }
