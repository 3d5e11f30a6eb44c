package views

// Inbox is one page of an inbox.
type Inbox struct {
	Frame
	Count      string // how many are new or unread; empty: none
	UnreadOnly bool   // the filter
	Upto       string // what Mark all as read sends; empty: there is nothing to mark
	Back       string // this page, for the way back from an action
	Labels     Labels
	Days       []Day
	Older      string // the next page; empty: this is the last
	Newest     string // the first page; empty: this is it
	Empty      Empty  // what to say when there are no rows
}

// Day is the rows of one day.
type Day struct {
	ID      string // of its heading in the document
	Heading string
	Rows    []Row
}

// Labels are the texts that every row has.
type Labels struct {
	New, Unread, SeenBefore       string
	MarkRead, MarkUnread, Delete  string
	ReadNamed, UnreadNamed, Named Named // the accessible names of the three actions
}

// Named is a text around the title of a row.
type Named struct{ Before, After string }

// Row is one entry.
type Row struct {
	Key      string
	At       string
	Read     bool // the state before this opening
	New      bool // this opening, or the one this page belongs to, turned it
	Divider  bool // the rows before this one are new, it is not
	Title    string
	Body     string
	Link     string
	Reason   string
	Datetime string // RFC 3339
	Clock    string
	Moment   string
}

// Empty says why a page has no rows, and what comes next.
type Empty struct {
	Heading, Text        string
	LinkText, LinkTarget string // empty: nothing to do
}
