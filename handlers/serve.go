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

	"github.com/carillonhq/carillon/internal/web"
)

// maxPooled is the maximum size of a buffer, in bytes, that is reused for another page.
const maxPooled = 256 << 10

// answerWait is the time limit of a response. A Redis that is down is noticed at once, but one that accepts
// connections and does not respond is not.
const answerWait = 10 * time.Second

// serve handles one address: it checks access, then the method, calls the handler and turns its error into a page.
func (h *Handlers) serve(m methods) http.HandlerFunc {
	who := m.who()
	return func(w http.ResponseWriter, r *http.Request) {
		rt, known := m.find(r.Method)
		// The error page is rendered without the deadline, which may have passed.
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
			r.Form, r.PostForm = bounded.Form, bounded.PostForm // the body can be read only once
			h.fail(w, r, err)
		}
	}
}

// bound limits a request's time. The event stream is long-lived by design and limits its own start.
func (rt route) bound(r *http.Request) (*http.Request, context.CancelFunc) {
	if rt.pattern == eventsPath {
		return r, func() {}
	}
	ctx, cancel := context.WithTimeout(r.Context(), answerWait)
	return r.WithContext(ctx), cancel
}

// toLogin redirects to the login page, which returns to this address's page after sign-in.
func (h *Handlers) toLogin(w http.ResponseWriter, r *http.Request, m methods) {
	next := "/inbox"
	if r.Method == http.MethodGet || r.Method == http.MethodHead {
		next = r.URL.RequestURI()
	} else if _, ok := m[http.MethodGet]; ok {
		next = r.URL.Path
	}
	if fragment(r) {
		// The login page cannot be part of another page: make htmx navigate there.
		w.Header().Set("HX-Redirect", web.At(r.Context(), loginFor(r, shownPage(r))))
		w.WriteHeader(http.StatusUnauthorized)
		return
	}
	redirect(w, r, loginFor(r, next))
}

// loginFor returns the address of the login page that continues to next.
func loginFor(r *http.Request, next string) string {
	return "/login?next=" + url.QueryEscape(web.At(r.Context(), next))
}

// redirect redirects to one of our pages with 303, so that the browser always continues with GET.
func redirect(w http.ResponseWriter, r *http.Request, to string) {
	w.Header().Set("Location", web.At(r.Context(), to))
	w.WriteHeader(http.StatusSeeOther)
}

// page sends a page; unless the handler set Cache-Control, it is not cached.
func (h *Handlers) page(w http.ResponseWriter, r *http.Request, status int, c templ.Component) error {
	return h.render(r, c, func(body []byte) { writePage(w, status, pack(r, body)) })
}

// render renders into a buffer first, so that a rendering error still gives a complete error page. The buffer is
// valid only until send returns.
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

func writePage(w http.ResponseWriter, status int, page packed) {
	head := w.Header()
	head.Set("Content-Type", "text/html; charset=utf-8")
	head.Set("Vary", "Accept-Encoding")
	if page.coding != "" {
		head.Set("Content-Encoding", page.coding)
	}
	head.Set("Content-Length", strconv.Itoa(len(page.body)))
	if head.Get("Cache-Control") == "" {
		head.Set("Cache-Control", "no-store")
	}
	w.WriteHeader(status)
	_, _ = w.Write(page.body) // the browser may have disconnected
}
