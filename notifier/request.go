package notifier

// Request is a draft with what is needed to recognise the same request when it is repeated.
type Request struct {
	Draft Draft
	Once  *Once // nil: each request creates a notice
}

// Result is the outcome of a Request.
type Result struct {
	Notice   Notice
	Replayed bool // the request was accepted before, and Notice is the notice from then
	Err      error
}
