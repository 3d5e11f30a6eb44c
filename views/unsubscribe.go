package views

// Unsubscribe is the page to which the link in the foot of a mail leads.
type Unsubscribe struct {
	Frame
	Action   string // where the form posts; empty: it is done
	Settings string // where the user can choose again, without signing in
}
