package views

import "github.com/carillonhq/carillon/views/components"

// OwnSession is a browser in which the user is signed in.
type OwnSession struct {
	ID    string
	Name  string
	Here  bool   // it is the one that shows this page
	Times string // when the user signed in there, and was there last
	End   string // the accessible name of the button
}

// PasswordForm is the form to change the user's password.
type PasswordForm struct {
	Shown  bool              // they are signed in by one
	Faults map[string]string // by field; "": of the whole form
}

func (p *Settings) password(id, label, hint string) components.Field {
	return components.Field{ID: id, Label: label, Hint: hint, Fault: p.Password.Faults[id]}
}
