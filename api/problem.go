package api

import (
	"cmp"
	"context"
	"encoding/json"
	"errors"
	"log/slog"
	"net/http"
	"reflect"
	"strconv"
	"time"

	"github.com/danielgtaylor/huma/v2"

	"github.com/carillonhq/carillon/internal/web"
	"github.com/carillonhq/carillon/notifier"
)

// typeProblem is the content type of a problem (RFC 9457).
const typeProblem = "application/problem+json"

// defaultRetry is the Retry-After of a 429 or 503 whose error sets none.
const defaultRetry = 5 * time.Second

// problem is the body of an answer with an error status. The document describes it as Huma's model, with the members
// that addCodes adds.
type problem struct {
	huma.ErrorModel
	Code    string       `json:"code"`
	Outcome string       `json:"outcome,omitempty"` // of the question that has ended
	Errors  []fieldError `json:"errors,omitempty"`  // in place of the model's
}

// fieldError is one fault of a request.
type fieldError struct {
	Code string `json:"code,omitempty"` // empty for a value of the wrong form
	huma.ErrorDetail
}

// Schema describes a problem within an answer as one that is an answer.
func (problem) Schema(r huma.Registry) *huma.Schema {
	return r.Schema(reflect.TypeFor[huma.ErrorModel](), true, "")
}

// addCodes adds the codes to the document's description of problems.
func addCodes(schemas map[string]*huma.Schema) {
	model, detail := schemas["ErrorModel"], schemas["ErrorDetail"]
	model.Properties["code"] = &huma.Schema{Type: huma.TypeString, Description: "What is wrong, for programs: it tells apart what has the same status.", Examples: []any{"scope_missing"}}
	model.Properties["outcome"] = &huma.Schema{Type: huma.TypeString, Description: "Of an answer to a question that has ended: the ID of the choice that is its outcome.", Examples: []any{"approve"}}
	model.Required = append(model.Required, "code")
	detail.Properties["code"] = &huma.Schema{Type: huma.TypeString, Description: "What is wrong with the field, for programs.", Examples: []any{"too_long"}}
}

// statusCodes are the codes of problems that nothing describes better than their status.
var statusCodes = map[int]string{
	http.StatusBadRequest: "bad_request", http.StatusUnauthorized: "unauthenticated", http.StatusForbidden: "forbidden",
	http.StatusNotFound: "not_found", http.StatusMethodNotAllowed: "method_not_allowed", http.StatusNotAcceptable: "not_acceptable",
	http.StatusRequestTimeout: "timeout", http.StatusConflict: "conflict", http.StatusRequestEntityTooLarge: "too_large",
	http.StatusUnsupportedMediaType: "unsupported_media_type", http.StatusUnprocessableEntity: "invalid", http.StatusTooManyRequests: "too_many",
	http.StatusInternalServerError: "internal", http.StatusServiceUnavailable: "unavailable", http.StatusInsufficientStorage: "full",
}

// outcomes maps each error to its status, its code and its fixed sentence for applications. Without a code it has the default
// code of its status.
var outcomes = []struct {
	err    error
	status int
	code   string
	detail string
}{
	{notifier.ErrUnauthenticated, http.StatusUnauthorized, "", "A valid key is required: Authorization: Bearer ck_…"},
	{notifier.ErrForbidden, http.StatusForbidden, "", "You are not allowed to do this."},
	{notifier.ErrNotFound, http.StatusNotFound, "", "It does not exist, or you cannot see it."},
	{notifier.ErrOtherRequest, http.StatusUnprocessableEntity, "idempotency_key_reused", "This Idempotency-Key was already used for a different request."},
	{notifier.ErrLeaving, http.StatusConflict, "user_leaving", "A user with this name is being deleted. Try again later."},
	{notifier.ErrConflict, http.StatusConflict, "", "It has changed since you read it, or it is over."},
	{notifier.ErrTooLarge, http.StatusRequestEntityTooLarge, "", "The request is too large."},
	{notifier.ErrTooMany, http.StatusTooManyRequests, "", "Too many requests, or too much data, at once. Try again later."},
	{notifier.ErrFull, http.StatusInsufficientStorage, "", "There is no room for another: this installation has reached its configured limit, which its operator can raise."},
	{notifier.ErrUnavailable, http.StatusServiceUnavailable, "", "The service is temporarily unavailable. Try again later."},
	{context.Canceled, http.StatusServiceUnavailable, "cancelled", "The request was cancelled."},
	{context.DeadlineExceeded, http.StatusServiceUnavailable, "", "The service is temporarily unavailable. Try again later."},
}

// outcome returns the status, the code and the sentence of an error. Unknown errors are internal ones.
func outcome(err error) (status int, code, detail string) {
	for _, o := range outcomes {
		if errors.Is(err, o.err) {
			return o.status, o.code, o.detail
		}
	}
	return http.StatusInternalServerError, "", "An internal error occurred. It has been logged."
}

// problem converts an error to the problem that is sent: with fixed sentences, never the
// error's own text. An error that is already a problem stays as it is.
func (s *server) problem(ctx context.Context, err error) error {
	var known huma.StatusError
	if errors.As(err, &known) {
		return err
	}
	if bad := (*notifier.InvalidError)(nil); errors.As(err, &bad) {
		return invalid(bad, bodyField)
	}
	if refused := (*notifier.RefusedAnswerError)(nil); errors.As(err, &refused) {
		return refusedAnswer(refused, time.UTC)
	}
	if refused := (*notifier.RefusedTaskError)(nil); errors.As(err, &refused) {
		return refusedTask(refused, time.UTC)
	}
	status, code, detail := outcome(err)
	switch {
	case errors.Is(err, context.Canceled): // the client has gone
	case status >= http.StatusInternalServerError:
		level := slog.LevelError
		if status == http.StatusServiceUnavailable {
			level = slog.LevelWarn // another service is down, and there may be many of these
		}
		s.Log.LogAttrs(ctx, level, "call failed", slog.String("request_id", web.Of(ctx).ID), slog.Any("err", err))
	}
	return huma.ErrorWithHeaders(newProblem(status, code, detail), problemHeaders(status, err))
}

// newProblem returns a problem. Without a code it has the default code of its status.
func newProblem(status int, code, detail string) *problem {
	return &problem{
		ErrorModel: huma.ErrorModel{Status: status, Title: http.StatusText(status), Detail: detail},
		Code:       cmp.Or(code, statusCodes[status]),
	}
}

// problemHeaders returns the headers that belong to an error status.
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

// bodyField returns the place of a field that has the same name in the body.
func bodyField(field string) string { return "body." + field }

// invalid returns the problem that lists every fault with its place in the request.
func invalid(bad *notifier.InvalidError, place func(field string) string) *problem {
	p := newProblem(http.StatusUnprocessableEntity, "", "The request is invalid. All faults are listed in errors.")
	for _, f := range bad.Fields {
		p.Errors = append(p.Errors, fieldError{f.Code, huma.ErrorDetail{Message: sentence(f.Code, f.Params), Location: place(f.Field)}})
	}
	return p
}

// invalidAt returns the problem for a single fault.
func invalidAt(location, code string, params map[string]any) *problem {
	var bad notifier.InvalidError
	bad.Add(location, code, params)
	return invalid(&bad, func(field string) string { return field })
}

// writeProblem answers with a problem outside of any operation.
func writeProblem(w http.ResponseWriter, status int, detail string) {
	send(w, newProblem(status, "", detail))
}

// send answers with a problem outside of any call.
func send(w http.ResponseWriter, p *problem) {
	body, err := json.Marshal(p)
	if err != nil {
		w.WriteHeader(http.StatusInternalServerError)
		return
	}
	head := w.Header()
	head.Set("Content-Type", typeProblem)
	head.Set("Content-Length", strconv.Itoa(len(body)))
	w.WriteHeader(p.Status)
	_, _ = w.Write(body) // the client may have gone
}

// problemOf converts an error to a problem that is part of an answer, as in a batch.
func (s *server) problemOf(ctx context.Context, err error) *problem {
	var known *problem
	if errors.As(s.problem(ctx, err), &known) {
		return known
	}
	return newProblem(outcome(err))
}
