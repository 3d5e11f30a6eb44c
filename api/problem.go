package api

import (
	"context"
	"encoding/json"
	"errors"
	"log/slog"
	"net/http"
	"strconv"
	"time"

	"github.com/danielgtaylor/huma/v2"

	"github.com/carillonhq/carillon/notifier"
)

// defaultRetry is when to come back from a 429 or 503 that says nothing else.
const defaultRetry = 5 * time.Second

// outcomes says what an error is to an application: a status, and a fixed sentence.
var outcomes = []struct {
	err    error
	status int
	detail string
}{
	{notifier.ErrUnauthenticated, http.StatusUnauthorized, "Give a valid key: Authorization: Bearer ck_…"},
	{notifier.ErrForbidden, http.StatusForbidden, "This key does not have the scope that the call needs."},
	{notifier.ErrNotFound, http.StatusNotFound, "There is nothing of that name or number here."},
	{notifier.ErrOtherRequest, http.StatusUnprocessableEntity, "This Idempotency-Key was used for another request."},
	{notifier.ErrConflict, http.StatusConflict, "It has changed since you looked at it, or is over."},
	{notifier.ErrTooLarge, http.StatusRequestEntityTooLarge, "The request is larger than is read."},
	{notifier.ErrTooMany, http.StatusTooManyRequests, "That is too much at once. Try again later."},
	{notifier.ErrFull, http.StatusInsufficientStorage, "There is no room for another: as many are there as this installation was set up for. Its operator can change that."},
	{notifier.ErrUnavailable, http.StatusServiceUnavailable, "This cannot be answered for now. Try again later."},
	{context.Canceled, http.StatusServiceUnavailable, "This was given up."},
	{context.DeadlineExceeded, http.StatusServiceUnavailable, "This cannot be answered for now. Try again later."},
}

// outcome is the status and sentence of an error. What is not known is our fault.
func outcome(err error) (status int, detail string) {
	for _, o := range outcomes {
		if errors.Is(err, o.err) {
			return o.status, o.detail
		}
	}
	return http.StatusInternalServerError, "Something went wrong here. It has been noted."
}

// problem turns an error into what is answered for it: fixed sentences, never the
// error's own. A problem stays as it is.
func (s *server) problem(ctx context.Context, err error) error {
	var known huma.StatusError
	if errors.As(err, &known) {
		return err
	}
	if bad := (*notifier.InvalidError)(nil); errors.As(err, &bad) {
		return invalid(bad, bodyField)
	}
	status, detail := outcome(err)
	switch {
	case errors.Is(err, context.Canceled): // who asked has gone
	case status >= http.StatusInternalServerError:
		level := slog.LevelError
		if status == http.StatusServiceUnavailable {
			level = slog.LevelWarn // not ours to mend, and there may be many
		}
		s.Log.LogAttrs(ctx, level, "call went wrong", slog.String("request_id", requestID(ctx)), slog.Any("err", err))
	}
	return huma.ErrorWithHeaders(newProblem(status, detail), problemHeaders(status, err))
}

func newProblem(status int, detail string) *huma.ErrorModel {
	return &huma.ErrorModel{Status: status, Title: http.StatusText(status), Detail: detail}
}

// problemHeaders is what goes with a status beside its body.
func problemHeaders(status int, err error) http.Header {
	h := http.Header{}
	switch status {
	case http.StatusUnauthorized:
		h.Set("WWW-Authenticate", `Bearer realm="carillon"`)
	case http.StatusTooManyRequests, http.StatusServiceUnavailable:
		wait := defaultRetry
		if busy := (*notifier.TooManyError)(nil); errors.As(err, &busy) && busy.RetryAfter > 0 {
			wait = busy.RetryAfter
		}
		h.Set("Retry-After", seconds(wait))
	}
	return h
}

// bodyField is where in a request a field is that bears its own name in the body.
func bodyField(field string) string { return "body." + field }

// invalid is the problem that lists every fault, each with its place in the
// request.
func invalid(bad *notifier.InvalidError, place func(field string) string) *huma.ErrorModel {
	p := newProblem(http.StatusUnprocessableEntity, "The request is not right. Each fault is listed.")
	for _, f := range bad.Fields {
		p.Errors = append(p.Errors, &huma.ErrorDetail{Message: sentence(f.Code, f.Params), Location: place(f.Field)})
	}
	return p
}

// invalidAt is the problem of one fault.
func invalidAt(location, code string, params map[string]any) *huma.ErrorModel {
	var bad notifier.InvalidError
	bad.Add(location, code, params)
	return invalid(&bad, func(field string) string { return field })
}

// writeProblem answers where there is no operation.
func writeProblem(w http.ResponseWriter, status int, detail string) {
	body, err := json.Marshal(newProblem(status, detail))
	if err != nil {
		w.WriteHeader(http.StatusInternalServerError)
		return
	}
	head := w.Header()
	head.Set("Content-Type", "application/problem+json")
	head.Set("Content-Length", strconv.Itoa(len(body)))
	w.WriteHeader(status)
	_, _ = w.Write(body) // who went away needs no answer
}

// problemOf is the problem of an error that is part of an answer.
func (s *server) problemOf(ctx context.Context, err error) *huma.ErrorModel {
	var model *huma.ErrorModel
	if errors.As(s.problem(ctx, err), &model) {
		return model
	}
	return newProblem(outcome(err))
}
