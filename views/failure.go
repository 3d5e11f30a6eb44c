package views

// Retry is a form that may get through later, with all that was typed, and the
// page it was on.
type Retry struct {
	Action, Back, BackText string
	Fields                 []Hidden
}

// Failure is the page of an error. Its texts are fixed per status; it never
// shows what went wrong inside.
type Failure struct {
	Frame
	Status  string // 404
	Advice  string
	Again   string // the same address, where it may work soon; empty: it will not
	About   *Link  // the page of what it is about; nil: of nothing
	Retry   *Retry // the form that did not get through; nil: it is of no use again
	Request string // the line with the request's id; empty: of no use here
}
