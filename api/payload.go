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
)

// maxBody is the largest request that is read, unless its call says otherwise.
const maxBody = 64 << 10

// payload is the body of a call, decoded: a field `Payload payload[T]` of its input.
// It is strict where huma's own is not: an unknown or repeated field, text that
// is not UTF-8 and deep nesting are faults. The schema of T tells what is wrong about
// a body that does not fit; of one that does it checks nothing more, so limits
// and patterns are for who uses it to look at.
type payload[T any] struct{ Value T }

// bodied is an input that has a payload.
type bodied interface {
	schema(r huma.Registry, hint string) *huma.Schema
}

func (p *payload[T]) schema(r huma.Registry, hint string) *huma.Schema {
	return r.Schema(reflect.TypeFor[T](), true, hint)
}

// fault is one that decides the status of the answer.
type fault struct {
	status  int
	message string
}

func (f fault) Error() string { return f.message }

// GetStatus makes it the status of the answer.
func (f fault) GetStatus() int { return f.status }

// ErrorDetail is how it is listed.
func (f fault) ErrorDetail() *huma.ErrorDetail {
	return &huma.ErrorDetail{Location: "body", Message: f.message}
}

func bodyFault(status int, message string) []error {
	return []error{fault{status, message}}
}

// Resolve reads and decodes the body.
func (p *payload[T]) Resolve(c huma.Context) []error {
	if kind, _, _ := strings.Cut(c.Header("Content-Type"), ";"); kind != "" && !strings.EqualFold(strings.TrimSpace(kind), "application/json") {
		return bodyFault(http.StatusUnsupportedMediaType, "is not JSON: send it with Content-Type: application/json")
	}
	limit := c.Operation().MaxBodyBytes
	raw, err := io.ReadAll(io.LimitReader(c.BodyReader(), limit+1))
	switch {
	case int64(len(raw)) > limit:
		return bodyFault(http.StatusRequestEntityTooLarge, "is larger than is read")
	case err != nil:
		return bodyFault(http.StatusRequestTimeout, "did not arrive whole")
	}
	return decode(raw, &p.Value, c.Operation())
}

// decode decodes at once what fits. What does not is compared with the schema,
// which finds all that is wrong. So is what holds a null, which decoding takes for
// what is left out wherever it stands.
func decode(raw []byte, into any, op *huma.Operation) []error {
	err := json.Unmarshal(raw, into, json.RejectUnknownMembers(true))
	if err == nil && !bytes.Contains(raw, []byte("null")) {
		return nil
	}
	var document any
	if syntax := json.Unmarshal(raw, &document); syntax != nil {
		return []error{decodeFault(syntax)}
	}
	var found huma.ValidateResult
	path := huma.NewPathBuffer([]byte("body"), len("body"))
	huma.Validate(registryOf(op), op.RequestBody.Content["application/json"].Schema, path, huma.ModeWriteToServer, document, &found)
	if len(found.Errors) == 0 && err != nil {
		return []error{decodeFault(err)}
	}
	return found.Errors
}

// decodeFault says where in the body decoding stopped, and why.
func decodeFault(err error) *huma.ErrorDetail {
	var pointer jsontext.Pointer
	syntax, semantic := (*jsontext.SyntacticError)(nil), (*json.SemanticError)(nil)
	message := "is not as the call wants it"
	switch {
	case errors.As(err, &syntax):
		pointer, message = syntax.JSONPointer, "is not JSON that can be read"
	case errors.As(err, &semantic):
		pointer = semantic.JSONPointer
	}
	switch {
	case errors.Is(err, jsontext.ErrDuplicateName):
		message = "stands there twice"
	case errors.Is(err, json.ErrUnknownName):
		message = "is not known"
	case errors.Is(err, io.ErrUnexpectedEOF):
		message = "ends too early"
	}
	return &huma.ErrorDetail{Location: location(pointer), Message: message}
}

// location writes /notices/3/title as body.notices[3].title.
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
