package views

import "github.com/carillonhq/carillon/views/components"

// OwnSession is a browser in which the user is signed in.
type OwnSession struct {
	ID    string
	Name  string
	Here  bool   // it is the browser that shows this page
	Times string // when the user signed in there, and when they were last active
	End   string // the accessible name of the button
}

// PasswordForm is the form to change the user's password.
type PasswordForm struct {
	Shown  bool              // the user is signed in with a password
	Faults map[string]string // by field; errors of the form itself have the empty name
}

func (p *Settings) password(id, label, hint string) components.Field {
	return components.Field{ID: id, Label: label, Hint: hint, Fault: p.Password.Faults[id]}
}
