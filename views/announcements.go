package views

import (
	"github.com/a-h/templ"

	"github.com/carillonhq/carillon/views/components"
)

// Announcements is a page of the list.
type Announcements struct {
	Frame
	Counts Counts
	Rows   []Post
	Back   string // this page, for the way back from an action
	Older  string // the next page; empty: this is the last
	First  string // the first page; empty: this is it
	Empty  components.Empty
}

// Counts is how many announcements are unread and read.
type Counts struct{ Text, Unread, Read string }

// Post is one announcement in a list.
type Post struct {
	ID       string
	Href     string // its own page
	Title    string
	Text     string // its words without marks
	Icon     string // by its type; empty: its initials
	Initials string
	Tint     string // 1 to 6
	Read     bool
	Pinned   bool
	Datetime string // of its beginning, RFC 3339
	Clock    string
	Moment   string
	Since    Dated
	Until    Dated
	Turns    []Turn // none: it cannot be marked now
	Back     string // the page to come back to from an action
}

// Dated is a text around a date.
type Dated struct{ Before, Date, After, Datetime, Moment string }

// Turn is an action on an announcement: read or unread.
type Turn struct{ Verb, Icon, Label, Named string }

// state is that of the row.
func (p *Post) state() string {
	if p.Read {
		return "read"
	}
	return "unread"
}

// flag is a fact as the script and tests read it.
func flag(is bool) string {
	if is {
		return "1"
	}
	return "0"
}

// Announcement is the page of one announcement.
type Announcement struct {
	Frame
	Row  Post
	Body templ.Component // as the subset of Markdown has it
	Link string          // empty: none
}

// AnnouncementPart is what changes when one announcement was marked.
type AnnouncementPart struct {
	Frame
	Counts Counts
	Row    *Post // nil: it is not open any more
	InList bool  // the page it is a part of is the list
}

// Pinned is the announcement on top of every page.
type Pinned struct {
	ID, Href, Title string
	More            string // how many others there are; empty: none
	Dismiss         string // the accessible name of the button
	Back            string // the page to come back to; empty: it cannot be dismissed now
}

// Tally is a number beside a link; without one nothing shows.
type Tally struct{ Number, Text string }
