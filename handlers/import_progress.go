package handlers

import (
	"bytes"
	"errors"
	"net/http"
	"strconv"

	"github.com/a-h/templ"

	"github.com/carillonhq/carillon/notifier"
	"github.com/carillonhq/carillon/store"
	"github.com/carillonhq/carillon/views"
)

// importSteps is where the page of an import continues while the import runs.
const importSteps = "<!--steps-->"

// importStream answers an import with a page that says how far it is, piece by piece. Nothing is sent before the first step
// that is not the last, so that a short import is answered by the form or the list.
type importStream struct {
	h     *Handlers
	w     http.ResponseWriter
	r     *http.Request
	page  *views.Importing
	total int
	rest  []byte // what follows the steps
	begun bool
	err   error // of rendering
}

// step shows that some people have been added, within the transaction that adds all of them.
func (s *importStream) step(done int) {
	if done >= s.total && !s.begun || s.err != nil {
		return
	}
	if !s.begun {
		s.begin()
	}
	s.page.Done, s.page.Of = strconv.Itoa(done), strconv.Itoa(max(s.total, done))
	s.page.Progress = s.page.Text.N("import.progress", int64(max(s.total, done)), "Done", s.page.Text.Number(int64(done)))
	s.send(views.ImportStep(s.page))
}

func (s *importStream) begin() {
	s.begun = true
	var whole bytes.Buffer
	if s.err = views.ImportingPage(s.page).Render(s.r.Context(), &whole); s.err != nil {
		return
	}
	head, rest, _ := bytes.Cut(whole.Bytes(), []byte(importSteps))
	s.rest = rest
	s.w.Header().Set("Content-Type", "text/html; charset=utf-8")
	s.w.Header().Set("Cache-Control", "no-store")
	s.w.Header().Set("X-Accel-Buffering", "no") // nginx would keep it until the end
	s.w.WriteHeader(http.StatusOK)
	_, _ = s.w.Write(head) // the browser may have disconnected
}

// end says that everybody was added, or why nobody was.
func (s *importStream) end(err error) {
	bad, line := (*notifier.InvalidError)(nil), (*store.ImportError)(nil)
	switch {
	case errors.As(err, &line), errors.As(err, &bad):
		s.page.Fault = s.h.importFault(s.r, err)
	case err != nil:
		s.h.lacks(s.r, "import of users", err)
		s.page.Fault = s.page.Text.T("import.failed")
	}
	s.send(views.ImportEnd(s.page))
	_, _ = s.w.Write(s.rest)
}

func (s *importStream) send(piece templ.Component) {
	if err := piece.Render(s.r.Context(), s.w); err != nil {
		s.err = err
	}
	_ = http.NewResponseController(s.w).Flush() // a writer that cannot be flushed sends all at the end
}
