package views

import "github.com/carillonhq/carillon/views/components"

// Faults is what is wrong with a form as it was filled in.
type Faults struct {
	Of    map[string]string // by field; of the form itself by the empty name
	Focus string            // the field that gets the focus
}

// field is a field of the form.
func (f *Faults) field(id, label, hint string) components.Field {
	return components.Field{ID: id, Label: label, Hint: hint, Fault: f.Of[id]}
}

// Link is a text that leads somewhere, if anywhere.
type Link struct{ Text, Href string }

// List is what the lists of staff have in common.
type List struct {
	Query       string // what was searched for
	Sort        string // the order, as the form sends it; empty: the usual one
	Here        string // the address of this page of the list
	Columns     []components.Column
	Next, First string // pages; empty: there is none
	Empty       components.Empty
	Say         string // what a screen reader hears after a search
}

// optional is a field that may be left empty.
func (f *Faults) optional(id, label, hint, note string) components.Field {
	field := f.field(id, label, hint)
	field.Note = note
	return field
}
