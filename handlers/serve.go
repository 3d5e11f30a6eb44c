package handlers

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"log/slog"
	"math"
	"net/http"
	"net/url"
	"strconv"
	"time"

	"github.com/a-h/templ"

	"github.com/carillonhq/carillon/notifier"
	"github.com/carillonhq/carillon/views"
)

var (
	errMalformed = errors.New("malformed request")
	errMethod    = errors.New("method not allowed")
	errSignIn    = errors.New("sign in first")
)

// statuses says which status an error is. What is not in it is our fault.
var statuses = []struct {
	err    error
	status int
}{
	{errMalformed, http.StatusBadRequest},
	{notifier.ErrUnauthenticated, http.StatusUnauthorized},
	{notifier.ErrForbidden, http.StatusForbidden},
	{notifier.ErrNotFound, http.StatusNotFound},
	{errMethod, http.StatusMethodNotAllowed},
	{notifier.ErrConflict, http.StatusConflict},
	{notifier.ErrTooLarge, http.StatusRequestEntityTooLarge},
	{notifier.ErrUnavailable, http.StatusServiceUnavailable},
	{notifier.ErrTooMany, http.StatusTooManyRequests},
	{context.DeadlineExceeded, http.StatusServiceUnavailable},
}

// statusGone is what the log says of a browser that did not wait.
const statusGone = 499

// maxPooled is the largest buffer that is kept for the next page.
const maxPooled = 256 << 10

// defaultRetry is when to come back from a 429 or 503 that says nothing else.
const defaultRetry = 5 * time.Second

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

// fail answers an error with its page: fixed texts, never the error's own.
func (h *Handlers) fail(w http.ResponseWriter, r *http.Request, err error) {
	v := visitOf(r)
	status := statusOf(err)
	if errors.Is(err, context.Canceled) && r.Context().Err() != nil {
		v.status = statusGone
		return
	}
	if status >= http.StatusInternalServerError {
		level := slog.LevelError
		if status == http.StatusServiceUnavailable {
			level = slog.LevelWarn // not ours to mend, and there may be many
		}
		h.Log.LogAttrs(r.Context(), level, "request went wrong",
			slog.String("path", r.URL.Path), slog.String("request_id", v.id), slog.Any("err", err))
	}
	if v.written {
		return
	}
	if status == http.StatusTooManyRequests || status == http.StatusServiceUnavailable {
		w.Header().Set("Retry-After", retryAfter(err))
	}
	if err := h.page(w, r, status, views.FailurePage(h.failure(r, status))); err != nil {
		h.Log.LogAttrs(r.Context(), slog.LevelError, "error page not rendered",
			slog.String("request_id", v.id), slog.Any("err", err))
		w.WriteHeader(status)
	}
}

func (h *Handlers) failure(r *http.Request, status int) *views.Failure {
	code := strconv.Itoa(status)
	f := h.bareFrame(r)
	f.Title = f.Text.T("status." + code + ".heading")
	p := &views.Failure{Frame: f, Status: code, Advice: f.Text.T("status." + code + ".text")}
	if status >= http.StatusInternalServerError {
		p.Request = f.Text.F("status.request", "ID", visitOf(r).id)
	} else if f.Viewer != nil {
		p.Viewer.Bell = h.bell(r, f.Text)
	}
	return p
}

func statusOf(err error) int {
	if bad := (*notifier.InvalidError)(nil); errors.As(err, &bad) {
		return http.StatusUnprocessableEntity
	}
	for _, s := range statuses {
		if errors.Is(err, s.err) {
			return s.status
		}
	}
	return http.StatusInternalServerError
}

// retryAfter is the header Retry-After of an error, in whole seconds.
func retryAfter(err error) string {
	wait := defaultRetry
	if busy := (*notifier.TooManyError)(nil); errors.As(err, &busy) && busy.RetryAfter > 0 {
		wait = busy.RetryAfter
	}
	return strconv.Itoa(int(math.Ceil(wait.Seconds())))
}
