package views

import "github.com/carillonhq/carillon/views/components"

// Showcase contains one of each component, for developers of the pages.
type Showcase struct {
	Frame
	Labels  components.Labels
	Rows    []components.Row
	Options []components.Option
	Columns []components.Column
	Bars    []components.Bar
	Empty   components.Empty
}

func (p *Showcase) field(id, note, hint, fault string) components.Field {
	return components.Field{ID: id, Label: p.Text.T("showcase.field"), Note: note, Hint: hint, Fault: fault}
}
