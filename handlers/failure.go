package handlers

import (
	"context"
	"errors"
	"fmt"
	"log/slog"
	"maps"
	"math"
	"mime"
	"net/http"
	"net/url"
	"slices"
	"strconv"
	"time"

	"github.com/a-h/templ"

	"github.com/carillonhq/carillon/internal/web"
	"github.com/carillonhq/carillon/notifier"
	"github.com/carillonhq/carillon/views"
)

var (
	errMalformed = errors.New("malformed request")
	errMethod    = errors.New("method not allowed")
	errSignIn    = errors.New("sign in first")

	// errOrigin is the error for a form from a page of another origin.
	errOrigin = fmt.Errorf("%w: another origin", notifier.ErrForbidden)

	// errOtherUser is the error for a form from a page of the previously signed-in user.
	errOtherUser = fmt.Errorf("%w: a form from another user's page", notifier.ErrConflict)
)

// refusal is a conflict without a race: the object's state does not allow the action. It has an error page of its
// own.
type refusal struct {
	code string // part of its text IDs
	back string // the page of the object
	text string // text ID of the link there
}

func (e *refusal) Error() string { return "refused: " + e.code }

func (e *refusal) Unwrap() error { return notifier.ErrConflict }

// unsent is a form that cannot be accepted for now. It is shown again with its input.
type unsent struct {
	error
	form func(r *http.Request) templ.Component
}

func (e *unsent) Unwrap() error { return e.error }

// Errors for actions that the state of this announcement or notice does not allow.
func refusedAsOpen(id int64) error { return &refusal{"not_over", noticePath(id), "status.back_notice"} }
func refusedAsOver(id int64) error { return &refusal{"over", noticePath(id), "status.back_notice"} }
func refusedAsGone(id int64) error {
	return &refusal{"notice_over", noticePath(id), "status.back_notice"}
}

// statuses maps errors to HTTP statuses. Any other error is a 500.
var statuses = []struct {
	err    error
	status int
}{
	{errMalformed, http.StatusBadRequest},
	{notifier.ErrAmbiguous, http.StatusBadRequest},
	{notifier.ErrBadIdentity, http.StatusBadRequest},
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

// statusGone is the status logged when the browser closed the connection.
const statusGone = 499

// defaultRetry is the Retry-After of a 429 or 503 whose error has none.
const defaultRetry = 5 * time.Second

// fail responds with the error's page. It contains fixed texts, never the error's own.
func (h *Handlers) fail(w http.ResponseWriter, r *http.Request, err error) {
	v := visitOf(r)
	status := statusOf(err)
	if errors.Is(err, context.Canceled) && r.Context().Err() != nil {
		v.Status = statusGone
		return
	}
	if status >= http.StatusInternalServerError {
		level := slog.LevelError
		if status == http.StatusServiceUnavailable {
			level = slog.LevelWarn // a dependency is down, which may cause many of these
		}
		h.Log.LogAttrs(r.Context(), level, "request failed",
			slog.String("path", web.Shown(r)), slog.String("request_id", v.ID), slog.Any("err", err))
	}
	if v.Status != 0 {
		return
	}
	if status == http.StatusTooManyRequests || status == http.StatusServiceUnavailable {
		w.Header().Set("Retry-After", retryAfter(err))
	}
	if err := h.page(w, r, status, h.failurePage(r, status, err)); err != nil {
		h.Log.LogAttrs(r.Context(), slog.LevelError, "could not render the error page",
			slog.String("request_id", v.ID), slog.Any("err", err))
		w.WriteHeader(status)
	}
}

// failurePage returns the unsent form if there is one, or the error's page.
func (h *Handlers) failurePage(r *http.Request, status int, err error) templ.Component {
	if typed := (*unsent)(nil); errors.As(err, &typed) && !fragment(r) {
		return typed.form(r)
	}
	return views.FailurePage(h.failure(r, status, err))
}

func (h *Handlers) failure(r *http.Request, status int, err error) *views.Failure {
	code := strconv.Itoa(status)
	f := h.bareFrame(r)
	f.Title = f.Text.T("status." + code + ".heading")
	back := h.frameOfStaff(r, &f)
	p := &views.Failure{Frame: f, Status: code, Back: back, Advice: f.Text.T("status." + code + ".text")}
	if errors.Is(err, errOtherUser) {
		p.Title = f.Text.T("status.other_user.heading")
		p.Advice = f.Text.F("status.other_user.text", "Name", f.Viewer.Name)
	}
	if errors.Is(err, errOrigin) {
		p.Title, p.Advice = f.Text.T("status.other_origin.heading"), f.Text.T("status.other_origin.text")
	}
	if no := (*refusal)(nil); errors.As(err, &no) {
		p.Title, p.Advice, p.About = f.Text.T("status."+no.code+".heading"), f.Text.T("status."+no.code+".text"), &views.Link{Text: f.Text.T(no.text), Href: no.back}
	}
	switch {
	case status != http.StatusServiceUnavailable:
	case r.Method == http.MethodGet:
		p.Again = safeNext(r.URL.RequestURI())
	case r.Method == http.MethodPost && repeatable(r):
		p.Title, p.Advice, p.Retry = f.Text.T("status.not_now.heading"), f.Text.T("status.not_now.text"), h.retry(r, back)
	}
	if status >= http.StatusInternalServerError {
		p.Request = f.Text.F("status.request", "ID", visitOf(r).ID)
	} else if f.Viewer != nil {
		h.surround(r, &p.Frame, h.announced(r))
	}
	return p
}

// repeatable reports whether a form can be put on a page again: it has no password, which must not be there, and no file,
// which only its user can choose.
func repeatable(r *http.Request) bool {
	kind, _, _ := mime.ParseMediaType(r.Header.Get("Content-Type"))
	if kind == "multipart/form-data" || r.PostForm == nil && r.ParseForm() != nil {
		return false
	}
	return r.PostForm.Get("password") == "" && r.PostForm.Get("current") == ""
}

// retry returns the request's form, ready to be submitted again: nothing was done, so the user need not retype it.
func (h *Handlers) retry(r *http.Request, list views.Link) *views.Retry {
	text := h.text(r)
	form := &views.Retry{Action: r.URL.RequestURI(), Back: list.Href, BackText: list.Text}
	from, err := url.Parse(r.Referer())
	if err != nil {
		from = &url.URL{}
	}
	for _, back := range []string{web.Inside(r.Context(), from.RequestURI()), r.PostForm.Get("back")} {
		if _, ok := ourPage(back); ok && back != "/" && back != form.Back {
			form.Back, form.BackText = back, text.T("status.back_page")
		}
	}
	for _, name := range slices.Sorted(maps.Keys(r.PostForm)) {
		for _, value := range r.PostForm[name] {
			form.Fields = append(form.Fields, views.Hidden{Name: kept(name), Value: kept(value)})
		}
	}
	return form
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

// retryAfter returns an error's Retry-After header, in whole seconds.
func retryAfter(err error) string {
	wait := defaultRetry
	if busy := (*notifier.TooManyError)(nil); errors.As(err, &busy) && busy.RetryAfter > 0 {
		wait = busy.RetryAfter
	}
	return strconv.Itoa(int(math.Ceil(wait.Seconds())))
}
