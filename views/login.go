package views

import "github.com/a-h/templ"

// Login is the sign-in page.
type Login struct {
	Frame
	Username               string // as typed
	Next                   string // where to go afterwards
	Fault                  string // why signing in failed; empty: first attempt
	Demo                   []DemoUser
	Provider, ProviderText string // where users sign in elsewhere, and the text of the link; empty: nowhere
	ProviderFault          string // why that failed; empty: it has not
	PasswordsOff           bool   // signing in with a password is disabled
	Shop                   string // the page of another application that has the bell; empty: none
	First                  string // the command that adds the first user; empty: there are users
}

// Leaving is the page between signing out here and at the identity provider.
type Leaving struct {
	Frame
	Link         string // of the provider
	Line, Button string
}

// DemoUser can sign in with one click in a demo.
type DemoUser struct {
	Name     string
	Password string
	Label    string
	Line     string // who they are; empty: not known
	Note     string // empty: nothing special
}

// input ties a control to the error, which is the same for both controls so as not to reveal which
// one is wrong.
func (p *Login) input(id string) templ.Attributes {
	attrs := templ.Attributes{"id": id, "name": id}
	if p.Fault != "" {
		attrs["aria-invalid"], attrs["aria-describedby"] = "true", "login-fault"
	}
	return attrs
}
