package views

import "github.com/carillonhq/carillon/views/components"

// DeadLetters is the page of dead letters.
type DeadLetters struct {
	Frame
	Rows        []DeadLetterRow
	Next, First string // addresses of pages; empty: none
	Empty       components.Empty
}

// DeadLetterRow is one dead letter.
type DeadLetterRow struct {
	ID                   string
	Action               string // the common address prefix of its forms
	Title, Href          string // of its notice; without Href, the notice has no page
	Reason, Entry, Tries string
	PutAside             Dated
	Replay, Discard      string // the accessible names of the actions; empty: not possible
}
