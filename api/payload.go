package api

import (
	"bytes"
	"errors"
	"io"
	"net/http"
	"reflect"
	"strings"

	"github.com/danielgtaylor/huma/v2"
	"github.com/go-json-experiment/json"
	"github.com/go-json-experiment/json/jsontext"

	"github.com/carillonhq/carillon/notifier"
)

// maxBody is the maximum size of a body in bytes, unless its call sets another.
const maxBody = 64 << 10

// maxNamesBody is the maximum size of a notice or toast to users in bytes: notifier.MaxNames of the longest names.
const maxNamesBody = 4 << 20

// payload is the decoded body of a call: a field `Payload payload[T]` of its input. It is
// stricter than Huma's own decoding: unknown or repeated fields, invalid UTF-8 and deep
// nesting are faults. The schema of T serves to explain why a body does not decode. A body
// that decodes is not compared with it, so the handler must check limits and patterns.
type payload[T any] struct{ Value T }

// bodied is a payload of any type.
type bodied interface {
	schema(r huma.Registry, hint string) *huma.Schema
}

func (p *payload[T]) schema(r huma.Registry, hint string) *huma.Schema {
	return r.Schema(reflect.TypeFor[T](), true, hint)
}

// fault is a fault of the body that sets the status of the answer.
type fault struct {
	status  int
	message string
}

func (f fault) Error() string { return f.message }

// GetStatus returns the status of the answer, for Huma.
func (f fault) GetStatus() int { return f.status }

// ErrorDetail returns the fault as a problem lists it.
func (f fault) ErrorDetail() *huma.ErrorDetail {
	return &huma.ErrorDetail{Location: "body", Message: f.message}
}

func bodyFault(status int, message string) []error {
	return []error{fault{status, message}}
}

// Resolve reads and decodes the body.
func (p *payload[T]) Resolve(c huma.Context) []error {
	if kind, _, _ := strings.Cut(c.Header("Content-Type"), ";"); kind != "" && !strings.EqualFold(strings.TrimSpace(kind), "application/json") {
		return bodyFault(http.StatusUnsupportedMediaType, "must be JSON, sent with Content-Type: application/json")
	}
	limit := c.Operation().MaxBodyBytes
	raw, err := receive(c, limit)
	var full noRoomError
	switch {
	case errors.As(err, &full):
		c.SetHeader("Retry-After", seconds(roomWait))
		return bodyFault(http.StatusTooManyRequests, full.Error())
	case errors.Is(err, notifier.ErrTooLarge):
		return bodyFault(http.StatusRequestEntityTooLarge, "is too large")
	case err != nil:
		return bodyFault(http.StatusRequestTimeout, "was not received completely")
	}
	return decode(raw, &p.Value, c.Operation())
}

// decode decodes raw into a value. A body that does not decode is compared with the schema,
// which finds all its faults. So is a body with a null anywhere, because decoding treats a null
// as a missing field.
func decode(raw []byte, into any, op *huma.Operation) []error {
	err := json.Unmarshal(raw, into, json.RejectUnknownMembers(true))
	if err == nil && !bytes.Contains(raw, []byte("null")) {
		return nil
	}
	if long := tooMany(err); long != nil {
		return []error{long.detail()}
	}
	if errors.Is(err, jsontext.ErrDuplicateName) {
		return []error{decodeFault(err)}
	}
	schema := op.RequestBody.Content["application/json"].Schema
	document, fields, syntax := outlineOf(raw, registryOf(op), schema)
	switch long := tooMany(syntax); {
	case long != nil:
		return []error{long.detail()}
	case errors.Is(syntax, errOutline):
		return fields.explain(decodeFault(err))
	case syntax != nil:
		return []error{decodeFault(syntax)}
	}
	var found huma.ValidateResult
	path := huma.NewPathBuffer([]byte("body"), len("body"))
	huma.Validate(registryOf(op), schema, path, huma.ModeWriteToServer, document, &found)
	if len(found.Errors) == 0 && err != nil {
		return fields.explain(decodeFault(err))
	}
	return fields.explain(found.Errors...)
}

// decodeFault describes where in the body decoding stopped, and why.
func decodeFault(err error) *huma.ErrorDetail {
	var pointer jsontext.Pointer
	syntax, semantic := (*jsontext.SyntacticError)(nil), (*json.SemanticError)(nil)
	message := "does not have the required form"
	switch {
	case errors.As(err, &syntax):
		pointer, message = syntax.JSONPointer, "is not valid JSON"
	case errors.As(err, &semantic):
		pointer = semantic.JSONPointer
	}
	switch {
	case errors.Is(err, jsontext.ErrDuplicateName):
		message = "occurs twice"
	case errors.Is(err, json.ErrUnknownName):
		message = unknownField
	case errors.Is(err, io.ErrUnexpectedEOF):
		message = "is incomplete"
	}
	return &huma.ErrorDetail{Location: location(pointer), Message: message}
}

// location converts a JSON pointer such as /notices/3/title to body.notices[3].title.
func location(p jsontext.Pointer) string {
	var b strings.Builder
	b.WriteString("body")
	for token := range p.Tokens() {
		if token != "" && strings.Trim(token, "0123456789") == "" {
			b.WriteString("[" + token + "]")
			continue
		}
		b.WriteString("." + token)
	}
	return b.String()
}
