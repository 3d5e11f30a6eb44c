package views

import (
	"github.com/a-h/templ"

	"github.com/carillonhq/carillon/views/components"
)

// Login is the sign-in page.
type Login struct {
	Frame
	Username               string // as typed
	Next                   string // the page after sign-in
	Fault                  string // why signing in failed; empty: first attempt
	Demo                   []DemoUser
	Provider, ProviderText string // the address and text of the link to the identity provider; empty: none
	ProviderFault          string // why sign-in there failed; empty: it has not
	PasswordsOff           bool   // signing in with a password is disabled
	Shop                   string // the page of another application that shows the bell; empty: none
	First                  string // the command that adds the first user; empty: there are users
}

// Leaving is the page between sign-out here and at the identity provider.
type Leaving struct {
	Frame
	Link         string // sign-out address at the provider
	Line, Button string
}

// DemoUser can sign in with one click in a demo.
type DemoUser struct {
	Name     string
	Password string
	Label    string
	Line     string // describes the user; empty: no description
	Note     string // empty: nothing special
	Face     components.Face
}

// input links a control to the error. Both controls have the same error, so that it does not reveal which
// one is wrong.
func (p *Login) input(id string) templ.Attributes {
	attrs := templ.Attributes{"id": id, "name": id}
	if p.Fault != "" {
		attrs["aria-invalid"], attrs["aria-describedby"] = "true", "login-fault"
	}
	return attrs
}
