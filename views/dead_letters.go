package views

import "github.com/carillonhq/carillon/views/components"

// DeadLetters is what was put aside.
type DeadLetters struct {
	Frame
	Rows        []DeadLetterRow
	Next, First string // pages; empty: there is none
	Empty       components.Empty
}

// DeadLetterRow is one dead letter.
type DeadLetterRow struct {
	ID                   string
	Action               string // where its forms go, up to what is done
	Title, Href          string // of its notice; without an address there is none to look at
	Reason, Entry, Tries string
	PutAside             Dated
	Replay, Discard      string // the accessible names of what can be done; empty: it cannot
}
