package notifier

// Request is a draft, and what makes it the same request when it comes again.
type Request struct {
	Draft Draft
	Once  *Once // nil: it is a notice of its own each time
}

// Result is what became of a request.
type Result struct {
	Notice   Notice
	Replayed bool // it came before, and Notice is of then
	Err      error
}
