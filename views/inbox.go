package views

import (
	"github.com/carillonhq/carillon/views/components"
	"github.com/carillonhq/carillon/views/locale"
)

// Inbox is one page of an inbox, or what changed of it.
type Inbox struct {
	Frame
	Count      string // how many are unread or, when none is, new; empty: neither
	Unread     bool   // something is unread
	UnreadOnly bool   // the filter
	Here       string // the first page with this filter, which has what arrives
	Upto       string // what Mark all as read sends: all that this page knows of
	Back       string // this page, for the way back from an action
	Labels     components.Labels
	Days       []Day
	Gone       string // the At of an entry that was deleted just now
	Older      string // the next page; empty: this is the last
	Newest     string // the first page; empty: this is it
	Empty      components.Empty
}

// actionsBack is where an action of a row leads back to; empty: rows have none.
func (p *Inbox) actionsBack() string {
	if p.Stale != "" {
		return ""
	}
	return p.Back
}

// Day is the rows of one day.
type Day struct {
	ID      string // of its heading in the document
	Heading string
	Rows    []components.Row
}

// Panel is the newest notices, as the bell shows them.
type Panel struct {
	Announcements string // how many are unread; empty: none

	Text   *locale.Printer
	Icons  components.Icons
	Labels components.Labels
	Rows   []components.Row
	Upto   string // as Inbox.Upto; empty: there is nothing to mark
	Stale  string // as Frame.Stale, in fewer words
	Empty  components.Empty
}
