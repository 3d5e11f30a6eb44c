package views

import (
	"slices"

	"github.com/a-h/templ"

	"github.com/carillonhq/carillon/views/components"
)

// Announcements is a page of the list of announcements.
type Announcements struct {
	Frame
	Counts  Counts
	Filters []components.Tab // all announcements, and the unread ones
	Rows    []AnnouncementRow
	Back    string // this page, to return to after an action
	Older   string // the next page; empty on the last page
	First   string // the first page; empty on the first page
	Empty   components.Empty
}

// Counts is the number of unread and read announcements.
type Counts struct{ Text, Unread, Read string }

// AnnouncementRow is one announcement in a list.
type AnnouncementRow struct {
	ID       string
	Href     string // its own page's address
	Title    string
	Text     string // without markup
	Icon     string // of its type; empty: show the initials
	Initials string
	Tint     string          // 1 to 6
	From     components.From // the app that sent it
	Read     bool
	Pinned   bool
	Datetime string // when it opens, RFC 3339
	Clock    string
	Moment   string
	Since    Dated
	Until    Dated
	Edited   *Dated // the last edit; nil: never edited
	Turns    []Turn // empty: it cannot be marked now
	Back     string // the page to return to after an action
}

// Dated is a text with a date in it.
type Dated struct{ Before, Date, After, Datetime, Moment string }

// Turn is an action on an announcement: read or unread.
type Turn struct{ Verb, Icon, Label, Named string }

// state is the state of the row.
func (p *AnnouncementRow) state() string {
	if p.Read {
		return "read"
	}
	return "unread"
}

// flag formats a boolean for scripts and tests.
func flag(is bool) string {
	if is {
		return "1"
	}
	return "0"
}

// Announcement is the page of one announcement.
type Announcement struct {
	Frame
	Row  AnnouncementRow
	Body templ.Component // rendered from the Markdown subset
	Link string          // empty: none

	components.Extras
}

// leads reports whether a button is the main one, so that the link is not.
func (p *Announcement) leads() bool {
	return slices.ContainsFunc(p.Buttons, func(b components.RowButton) bool { return b.Primary })
}

// AnnouncementPart contains the parts of a page that change when an announcement is marked.
type AnnouncementPart struct {
	Frame
	Counts Counts
	Row    *AnnouncementRow // nil: no longer open
	InList bool             // the page is the list
}

// Pinned is the pinned announcement at the top of every page.
type Pinned struct {
	ID, Href, Title string
	More            string // how many other pinned ones there are; empty: none
	Dismiss         string // the accessible name of the button
	Back            string // the page to return to; empty: it cannot be dismissed now
	Edited          *Dated // the last edit; nil: never edited
}

// Tally is a number beside a link; if empty, it is hidden.
type Tally struct{ Number, Text string }
