package views

import "github.com/carillonhq/carillon/views/components"

// Faults contains the errors of a submitted form.
type Faults struct {
	Of    map[string]string // by field; errors of the form itself have the empty name
	Focus string            // the field to focus
}

// field returns a field of the form.
func (f *Faults) field(id, label, hint string) components.Field {
	return components.Field{ID: id, Label: label, Hint: hint, Fault: f.Of[id]}
}

// Link is text that links to Href, if that is not empty.
type Link struct{ Text, Href string }

// List contains the common parts of all staff lists.
type List struct {
	Query       string // the search
	Sort        string // the order as it appears in addresses; empty: the default
	Here        string // the address of this page of the list
	Columns     []components.Column
	Next, First string // addresses of pages; empty: none
	Empty       components.Empty
	Say         string // the screen reader announcement after a search
}

// optional returns a field that may be left empty.
func (f *Faults) optional(id, label, hint, note string) components.Field {
	field := f.field(id, label, hint)
	field.Note = note
	return field
}
