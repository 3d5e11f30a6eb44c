package handlers

import (
	"bytes"
	"errors"
	"fmt"
	"net/http"
	"net/url"
	"strconv"

	"github.com/a-h/templ"
)

// maxPooled is the largest buffer that is kept for the next page.
const maxPooled = 256 << 10

// serve answers a request for one address: who may, then which method, then the
// handler, then a page for its error.
func (h *Handlers) serve(m methods) http.HandlerFunc {
	who := m.who()
	return func(w http.ResponseWriter, r *http.Request) {
		rt, known := m.find(r.Method)
		err := h.admit(r, who)
		switch {
		case errors.Is(err, errSignIn):
			h.toLogin(w, r, m)
			return
		case err != nil:
		case !known:
			w.Header().Set("Allow", m.allowed())
			err = errMethod
		default:
			err = rt.handle(w, r)
		}
		if err != nil {
			h.fail(w, r, err)
		}
	}
}

// toLogin sends on to the login page, and from there back to where a form of
// this address is.
func (h *Handlers) toLogin(w http.ResponseWriter, r *http.Request, m methods) {
	next := "/inbox"
	if r.Method == http.MethodGet || r.Method == http.MethodHead {
		next = r.URL.RequestURI()
	} else if _, ok := m[http.MethodGet]; ok {
		next = r.URL.Path
	}
	redirect(w, "/login?next="+url.QueryEscape(next))
}

// redirect answers a form, or leads on: always with 303, so that the browser
// asks for a page.
func redirect(w http.ResponseWriter, to string) {
	w.Header().Set("Location", to)
	w.WriteHeader(http.StatusSeeOther)
}

// page sends a page that nobody keeps.
func (h *Handlers) page(w http.ResponseWriter, r *http.Request, status int, c templ.Component) error {
	return h.render(r, c, func(body []byte) { writePage(w, status, body) })
}

// render renders into a buffer first, so that an error while rendering is
// still answered with a whole page. The body is send's until it returns.
func (h *Handlers) render(r *http.Request, c templ.Component, send func(body []byte)) error {
	buf, ok := h.buffers.Get().(*bytes.Buffer)
	if !ok {
		buf = new(bytes.Buffer)
	}
	defer func() {
		if buf.Cap() <= maxPooled {
			buf.Reset()
			h.buffers.Put(buf)
		}
	}()
	if err := c.Render(r.Context(), buf); err != nil {
		return fmt.Errorf("render a page: %w", err)
	}
	send(buf.Bytes())
	return nil
}

func writePage(w http.ResponseWriter, status int, body []byte) {
	head := w.Header()
	head.Set("Content-Type", "text/html; charset=utf-8")
	head.Set("Content-Length", strconv.Itoa(len(body)))
	if head.Get("Cache-Control") == "" {
		head.Set("Cache-Control", "no-store")
	}
	w.WriteHeader(status)
	_, _ = w.Write(body) // a browser that went away needs no answer
}
