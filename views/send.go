package views

// Send is the form that sends a notice.
type Send struct {
	Frame
	Form      SendForm
	Faults    map[string]string // by field
	Roles     []string          // as hints, with how many they are
	Expiry    []Option
	Preview   *Preview
	Confirm   *Confirm
	FaultList []FaultLink // all of them, also those of no field
}

// SendForm is what the sender has typed.
type SendForm struct {
	Target, To, Type, Scope, Subject, Title, Body, Link, ExpiresIn string
}

// Option is one choice of a list.
type Option struct {
	Value, Text string
	Selected    bool
}

// FaultLink leads from the summary of faults to the field.
type FaultLink struct{ Field, Text string }

// Preview shows the notice before it is sent.
type Preview struct {
	Recipients string
	Card       Card
}

// Card is a notice as its recipients see it.
type Card struct {
	Title, Body, Link, Reason string
}

// Confirm asks whether so many people are meant.
type Confirm struct {
	Count        string // what the field confirm sends
	Text, Submit string
}
