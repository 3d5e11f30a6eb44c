package api

import (
	"context"
	"encoding/json"
	"net/http"
	"reflect"
	"slices"
	"strconv"
	"strings"
	"time"

	"github.com/danielgtaylor/huma/v2"

	"github.com/carillonhq/carillon/notifier"
)

// answerWait bounds the time that a call may take.
const answerWait = 10 * time.Second

// call describes an operation for the document and the reference page; its input and output
// are described by their types.
type call struct {
	id       string // such as send-notice
	group    string // the heading under which it is listed
	method   string
	path     string // below /api/v1
	scope    notifier.KeyScope
	user     bool // the user of a token makes the call, not a key with a scope
	status   int  // on success
	summary  string
	about    string        // Markdown: paragraphs, `code`
	maxBody  int64         // in bytes; 0: maxBody
	also     []int         // other statuses on success; a 2xx has the same body as status
	waits    time.Duration // how long the call may wait, beside answerWait
	errors   []int         // in addition to usualErrors, and to bodyErrors if the call has a body
	examples []example
}

// example is a request that works on an installation with the users of the demonstration.
// The document and the reference page show it, and a test sends it.
type example struct {
	name    string            // unique within its call, such as topic
	summary string            // one line on its effect
	params  map[string]string // path, query and header parameters by name
	body    string            // JSON
	status  int               // 0: the status of the call
}

// usualErrors are the error statuses that every call may answer with. Huma documents 500 by
// itself.
var usualErrors = []int{
	http.StatusUnauthorized, http.StatusForbidden, http.StatusUnprocessableEntity, http.StatusTooManyRequests, http.StatusServiceUnavailable,
}

// bodyErrors are the additional error statuses of a call with a body: see payload.Resolve.
var bodyErrors = []int{http.StatusRequestTimeout, http.StatusRequestEntityTooLarge, http.StatusUnsupportedMediaType}

// userErrors are the additional error statuses of a call with a token: two of them, or an unknown user.
var userErrors = []int{http.StatusBadRequest, http.StatusNotFound}

const (
	metaCall     = "call"
	metaRegistry = "registry"
)

func scopeOf(op *huma.Operation) notifier.KeyScope { return callOf(op).scope }

func callOf(op *huma.Operation) call {
	c, _ := op.Metadata[metaCall].(call)
	return c
}

func registryOf(op *huma.Operation) huma.Registry {
	r, _ := op.Metadata[metaRegistry].(huma.Registry)
	return r
}

// register adds a call. Its handler may return the errors of package notifier, each of which
// has a status and a sentence. The fields of a *notifier.InvalidError are treated as fields of
// the body. An input with a field `Payload payload[T]` has a body.
func register[I, O any](s *server, c call, handle func(context.Context, *I) (*O, error)) {
	registry := s.api.OpenAPI().Components.Schemas
	if c.maxBody == 0 {
		c.maxBody = maxBody
	}
	s.calls = append(s.calls, c)
	refusals := slices.Concat(usualErrors, c.errors)
	if c.user {
		refusals = slices.Concat(refusals, userErrors)
	}
	if _, ok := reflect.TypeFor[I]().FieldByName("Payload"); ok {
		refusals = append(refusals, bodyErrors...)
	}
	op := &huma.Operation{
		OperationID: c.id, Method: c.method, Path: prefix + c.path, Summary: c.summary, Description: c.described(),
		Tags: []string{c.group}, DefaultStatus: c.status, MaxBodyBytes: c.maxBody, SkipValidateBody: true,
		Errors:   refusals,
		Security: c.security(),
		Metadata: map[string]any{metaCall: c, metaRegistry: registry},
	}
	huma.Register(s.api, *op, func(ctx context.Context, in *I) (*O, error) {
		ctx, cancel := context.WithTimeout(ctx, answerWait+c.waits)
		defer cancel()
		out, err := handle(ctx, in)
		if err != nil {
			return nil, s.problem(ctx, err)
		}
		return out, nil
	})
	documented := s.operation(c.method, prefix+c.path)
	for _, status := range c.also {
		documented.Responses[strconv.Itoa(status)] = alsoResponse(documented, c.status, status)
	}
	for _, p := range documented.Parameters {
		if p.In == "path" && p.Name == "id" && !c.user {
			p.Schema = &huma.Schema{Type: huma.TypeInteger, Format: "int64", Minimum: new(1.0)}
		}
	}
	addBody[I](documented, registry)
	addExamples(documented, c.examples)
}

func (c *call) security() []map[string][]string {
	if c.user {
		return []map[string][]string{{"user": {}}}
	}
	return []map[string][]string{{"key": {}}}
}

// alsoResponse describes an answer that differs from the usual one only in its status.
func alsoResponse(op *huma.Operation, usual, status int) *huma.Response {
	r := &huma.Response{Description: http.StatusText(status)}
	if of := op.Responses[strconv.Itoa(usual)]; of != nil {
		r.Headers = of.Headers
		if status < http.StatusMultipleChoices {
			r.Content = of.Content
		}
	}
	return r
}

// addBody describes the body. This happens after the registration, because Huma would
// otherwise read the body itself.
func addBody[I any](op *huma.Operation, registry huma.Registry) {
	field, ok := reflect.TypeFor[I]().FieldByName("Payload")
	if !ok {
		return
	}
	body, ok := reflect.New(field.Type).Interface().(bodied)
	if !ok {
		return
	}
	op.RequestBody = &huma.RequestBody{Required: true, Content: map[string]*huma.MediaType{
		"application/json": {Schema: body.schema(registry, op.OperationID+"-body")},
	}}
	op.RequestBody.Content["application/json"].Schema.PrecomputeMessages()
}

// addExamples adds the examples to the parameters and the body that they are for.
func addExamples(op *huma.Operation, all []example) {
	for _, e := range all {
		for _, p := range op.Parameters {
			if value, ok := e.params[p.Name]; ok {
				if p.Examples == nil {
					p.Examples = map[string]*huma.Example{}
				}
				p.Examples[e.name] = &huma.Example{Summary: e.summary, Value: typed(p.Schema, value)}
			}
		}
		if e.body != "" && op.RequestBody != nil {
			media := op.RequestBody.Content["application/json"]
			if media.Examples == nil {
				media.Examples = map[string]*huma.Example{}
			}
			media.Examples[e.name] = &huma.Example{Summary: e.summary, Value: json.RawMessage(e.body)}
		}
	}
}

// typed converts the value of a parameter to the type of its schema.
func typed(of *huma.Schema, value string) any {
	if of.Type == huma.TypeInteger {
		if n, err := strconv.ParseInt(value, 10, 64); err == nil {
			return n
		}
	}
	return value
}

// operation returns the operation that the document has for a method and path.
func (s *server) operation(method, path string) *huma.Operation {
	item := s.api.OpenAPI().Paths[path]
	switch strings.ToUpper(method) {
	case http.MethodGet:
		return item.Get
	case http.MethodPut:
		return item.Put
	case http.MethodPost:
		return item.Post
	case http.MethodPatch:
		return item.Patch
	default:
		return item.Delete
	}
}
