package views

import (
	"strconv"

	"github.com/a-h/templ"

	"github.com/carillonhq/carillon/views/components"
	"github.com/carillonhq/carillon/views/locale"
)

// Inbox is one page of an inbox, or the changed parts of one.
type Inbox struct {
	Frame
	Count           string // how many entries are unread or, if none are, new; empty: none
	Unread          bool   // something is unread
	Unopened        bool   // the page may not be visible yet: a script opens the inbox when it is
	Filter          string // the value of filter in the address
	Type            string // only entries of this type are shown; empty: all
	Query           string // the search text
	Found           string // how many entries a search found on this page, for screen readers
	Types           []components.Tab
	Filters         []components.Tab // all, unread, archived and snoozed entries, with the same search
	Archived        bool             // the filter: archived or snoozed entries
	Later           bool             // the filter: snoozed entries
	Here            string           // the first page with this filter, where new notices arrive
	AllRead         bool             // nothing is unread, announcements included
	Upto            string           // sent by Mark all as read: the version of this page
	AnnouncementIDs string           // ids of unread announcements, also sent by Mark all as read
	Back            string           // this page, to return to after an action
	Labels          components.Labels
	Days            []Day
	Gone            string // the At of the entry just deleted
	Older           string // the next page; empty on the last page
	Newest          string // the first page; empty on the first page
	Empty           components.Empty
}

// actionsBack is the page that row actions return to; empty: rows have no actions.
func (p *Inbox) actionsBack() string {
	if p.Stale != "" {
		return ""
	}
	return p.Back
}

// later returns the tab of the snoozed entries, which an action on a row may have changed.
func (p *Inbox) later() components.Tab {
	tab := p.Filters[len(p.Filters)-1]
	tab.Replaces = true
	return tab
}

// bulkActions returns the buttons for the selected rows: their texts and the addresses of their
// forms.
func (p *Inbox) bulkActions() []components.Button {
	if p.Later {
		return []components.Button{{Text: p.Labels.Delete, Value: "/inbox/delete"}}
	}
	if p.Archived {
		return []components.Button{{Text: p.Labels.Unarchive, Value: "/inbox/unarchive"}, {Text: p.Labels.Delete, Value: "/inbox/delete"}}
	}
	return []components.Button{
		{Text: p.Text.T("inbox.bulk_read"), Value: "/inbox/read"},
		{Text: p.Text.T("inbox.bulk_unread"), Value: "/inbox/unread"},
		{Text: p.Labels.Archive, Value: "/inbox/archive"},
		{Text: p.Labels.Delete, Value: "/inbox/delete"},
	}
}

// Waiting is the id of the first section, with the questions that the reader has not answered. Scripts know it.
const Waiting = "waiting"

// Day contains the rows of one day, or others that belong together.
type Day struct {
	ID      string // of its heading in the document
	Heading string
	New     bool // it has what this visit found new, whatever their days
	Rows    []components.Row
}

// counted returns the number of rows of what is new, by which a script changes the number in the heading when rows go or come back.
func (d *Day) counted() templ.Attributes {
	if !d.New {
		return nil
	}
	return templ.Attributes{"data-fresh": strconv.Itoa(len(d.Rows))}
}

// actionsBack is as in Inbox. After an action in the panel, the stream notifies the script.
func (p *Panel) actionsBack() string {
	if p.Stale != "" {
		return ""
	}
	return "/inbox"
}

// Panel contains the newest notices, shown below the bell.
type Panel struct {
	Announcements string // how many are unread; empty: all have a row
	UnreadOnly    bool   // the tab
	Unread        string // the number on the bell; empty: 0

	Text            *locale.Printer
	Icons           components.Icons
	Labels          components.Labels
	Rows            []components.Row
	Upto            string // as Inbox.Upto; empty: nothing to mark
	AnnouncementIDs string // as Inbox.AnnouncementIDs
	Stale           string // as Frame.Stale, but shorter
	Empty           components.Empty
}
