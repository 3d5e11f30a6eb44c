package views

import "github.com/a-h/templ"

// Login is the page to sign in on.
type Login struct {
	Frame
	Username string // as it was typed
	Next     string // where to go afterwards
	Fault    string // why it did not work; empty: first attempt
	Demo     []DemoUser
}

// DemoUser is one click away in a demo.
type DemoUser struct {
	Name     string
	Password string
	Label    string
	Note     string // empty: nothing special
}

// input ties a control to the one fault there can be, which does not tell
// which of the two is wrong.
func (p *Login) input(id string) templ.Attributes {
	attrs := templ.Attributes{"id": id, "name": id}
	if p.Fault != "" {
		attrs["aria-invalid"], attrs["aria-describedby"] = "true", "login-fault"
	}
	return attrs
}
