package views

import "github.com/carillonhq/carillon/views/components"

// Send is the form that sends a notice.
type Send struct {
	Frame
	Form      SendForm
	Faults    map[string]string // by field
	Roles     []string          // as hints, with how many they are
	Expiry    []components.Option
	Preview   *Preview
	Confirm   *Confirm
	FaultList []FaultLink // all of them, also those of no field
}

// SendForm is what the sender has typed.
type SendForm struct {
	Target, To, Type, Scope, Subject, Title, Body, Link, ExpiresIn string
}

// FaultLink leads from the summary of faults to the field.
type FaultLink struct{ Field, Text string }

// Preview shows the notice before it is sent.
type Preview struct {
	Recipients string
	Card       Card
}

// Card is a notice as its recipients see it.
type Card struct{ Row components.Row }

// Confirm asks whether so many people are meant.
type Confirm struct {
	Count        string // what the field confirm sends
	Text, Submit string
}

func (p *Send) field(id, label, hint string) components.Field {
	return components.Field{ID: id, Label: label, Hint: hint, Fault: p.Faults[id]}
}

// optional is a field that may be left empty.
func (p *Send) optional(id, label, hint string) components.Field {
	f := p.field(id, label, hint)
	f.Note = p.Text.T("send.optional")
	return f
}
