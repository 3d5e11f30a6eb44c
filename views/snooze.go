package views

// Snooze offers the times until which a notice can be put away.
type Snooze struct {
	Frame
	Notice string // its title
	Key    string
	At     string
	Back   string // the page to return to
	Until  string // as entered
	Fault  string // of Until
}
