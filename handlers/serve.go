package handlers

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"net/http"
	"net/url"
	"strconv"
	"time"

	"github.com/a-h/templ"
)

// maxPooled is the largest buffer that is kept for the next page.
const maxPooled = 256 << 10

// answerWait is how long an answer may take. A Redis that is away is noticed at
// once; one that keeps the connection and says nothing is not.
const answerWait = 10 * time.Second

// serve answers a request for one address: who may, then which method, then the
// handler, then a page for its error.
func (h *Handlers) serve(m methods) http.HandlerFunc {
	who := m.who()
	return func(w http.ResponseWriter, r *http.Request) {
		rt, known := m.find(r.Method)
		// The page of an error is made without the deadline, which may have passed.
		bounded, cancel := rt.bound(r)
		defer cancel()
		err := h.admit(bounded, who)
		switch {
		case errors.Is(err, errSignIn):
			h.toLogin(w, r, m)
			return
		case err != nil:
		case !known:
			w.Header().Set("Allow", m.allowed())
			err = errMethod
		default:
			err = rt.handle(w, bounded)
		}
		if err != nil {
			r.Form, r.PostForm = bounded.Form, bounded.PostForm // what was read of the body is gone
			h.fail(w, r, err)
		}
	}
}

// bound gives a request the time that its answer may take. A stream takes longer
// by its nature, and bounds its own beginning.
func (rt route) bound(r *http.Request) (*http.Request, context.CancelFunc) {
	if rt.pattern == eventsPath {
		return r, func() {}
	}
	ctx, cancel := context.WithTimeout(r.Context(), answerWait)
	return r.WithContext(ctx), cancel
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
	if fragment(r) {
		// The sign-in page is no part of a page: the script is to go there.
		w.Header().Set("HX-Redirect", "/login?next="+url.QueryEscape(shownPage(r)))
		w.WriteHeader(http.StatusUnauthorized)
		return
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
	return h.render(r, c, func(body []byte) { writePage(w, status, body, zipped(r, body)) })
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

// writePage sends a page, or its zipped form where there is one.
func writePage(w http.ResponseWriter, status int, body, zipped []byte) {
	head := w.Header()
	head.Set("Content-Type", "text/html; charset=utf-8")
	head.Set("Vary", "Accept-Encoding")
	if zipped != nil {
		body = zipped
		head.Set("Content-Encoding", "gzip")
	}
	head.Set("Content-Length", strconv.Itoa(len(body)))
	if head.Get("Cache-Control") == "" {
		head.Set("Cache-Control", "no-store")
	}
	w.WriteHeader(status)
	_, _ = w.Write(body) // a browser that went away needs no answer
}
