package handlers

import "net/http"

// answer notes the status that a handler sends. The event stream takes the
// connection over through Unwrap.
type answer struct {
	http.ResponseWriter
	visit *visit
}

func (a *answer) WriteHeader(status int) {
	if !a.visit.written {
		a.visit.written, a.visit.status = true, status
	}
	a.ResponseWriter.WriteHeader(status)
}

func (a *answer) Write(p []byte) (int, error) {
	if !a.visit.written {
		a.visit.written, a.visit.status = true, http.StatusOK
	}
	return a.ResponseWriter.Write(p)
}

// Unwrap is for http.ResponseController.
func (a *answer) Unwrap() http.ResponseWriter { return a.ResponseWriter }
