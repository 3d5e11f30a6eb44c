package views

// Retry is a form that may succeed later, with all its input, and the page it was on.
type Retry struct {
	Action, Back, BackText string
	Fields                 []Hidden
}

// Failure is the page of an error. Its texts are fixed per status; it never shows internal
// errors.
type Failure struct {
	Frame
	Status  string // such as 404
	Advice  string
	Again   string // the same address, if it may work soon; empty: it will not
	Back    Link   // the list to go back to
	About   *Link  // the page of the affected object; nil: none
	Retry   *Retry // the form that failed; nil: sending it again would not help
	Request string // the line with the request id; empty: not useful here
}
