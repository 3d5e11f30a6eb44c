package handlers

import "net/http"

// answer records the status that a handler sends. The event stream takes the connection over
// through Unwrap.
type answer struct {
	http.ResponseWriter
	visit *visit
	// byScript: the script that sent the form loads the next page itself. If a 303 led there as
	// well, the page would be fetched twice, and a page that can be shown only once would be
	// lost.
	byScript bool
}

// formHeader is the header of forms sent by script; see static/js/forms.js.
const formHeader = "Carillon-Form"

func (a *answer) WriteHeader(status int) {
	if a.byScript && status == http.StatusSeeOther {
		status = http.StatusNoContent // with the Location header
	}
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
