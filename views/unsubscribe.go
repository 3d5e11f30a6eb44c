package views

// Unsubscribe is the page behind the link in a mail's footer.
type Unsubscribe struct {
	Frame
	Action   string // where the form posts; empty: already unsubscribed
	Settings string // the address to change settings without signing in
}
