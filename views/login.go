package views

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
