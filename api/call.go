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

// answerWait is how long an answer may take.
const answerWait = 10 * time.Second

// call is what the document and the page say of an operation beside its types.
type call struct {
	id       string // such as send-notice
	group    string // the heading it stands under
	method   string
	path     string // below /api/v1
	scope    notifier.KeyScope
	status   int // when all is well
	summary  string
	about    string // Markdown: paragraphs, `code`
	maxBody  int64  // 0: maxBody
	also     []int  // other statuses when all is well: the body of a 2xx is that of status
	errors   []int  // beside usualErrors, and bodyErrors where there is a body
	examples []example
}

// example is a request that works on an installation that has the demonstration's
// users. It stands in the document and on the page, and a test makes it.
type example struct {
	name    string            // unique in its call, such as topic
	summary string            // what it does
	params  map[string]string // of path, query and header, by name
	body    string            // JSON
	status  int               // 0: that of the call
}

// usualErrors is how any call may refuse. 500 stands in the document by itself.
var usualErrors = []int{
	http.StatusUnauthorized, http.StatusForbidden, http.StatusUnprocessableEntity, http.StatusTooManyRequests, http.StatusServiceUnavailable,
}

// bodyErrors is how a call may refuse a body: see payload.Resolve.
var bodyErrors = []int{http.StatusRequestTimeout, http.StatusRequestEntityTooLarge, http.StatusUnsupportedMediaType}

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

// register adds a call. The errors of its handler may be those of notifier: each
// has its status and sentence, and an *notifier.InvalidError names fields of the
// body. Input that has a field `Payload payload[T]` takes a body.
func register[I, O any](s *server, c call, handle func(context.Context, *I) (*O, error)) {
	registry := s.api.OpenAPI().Components.Schemas
	if c.maxBody == 0 {
		c.maxBody = maxBody
	}
	s.calls = append(s.calls, c)
	refusals := slices.Concat(usualErrors, c.errors)
	if _, ok := reflect.TypeFor[I]().FieldByName("Payload"); ok {
		refusals = append(refusals, bodyErrors...)
	}
	op := &huma.Operation{
		OperationID: c.id, Method: c.method, Path: prefix + c.path, Summary: c.summary, Description: c.about,
		Tags: []string{c.group}, DefaultStatus: c.status, MaxBodyBytes: c.maxBody, SkipValidateBody: true,
		Errors:   refusals,
		Security: []map[string][]string{{"key": {string(c.scope)}}},
		Metadata: map[string]any{metaCall: c, metaRegistry: registry},
	}
	huma.Register(s.api, *op, func(ctx context.Context, in *I) (*O, error) {
		ctx, cancel := context.WithTimeout(ctx, answerWait)
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
	addBody[I](documented, registry)
	addExamples(documented, c.examples)
}

// alsoResponse describes an answer that is as the usual one, but for its status.
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

// addBody describes the body. huma is told of it only now, as it would read it.
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

// addExamples puts the examples where the document wants them.
func addExamples(op *huma.Operation, all []example) {
	for _, e := range all {
		for _, p := range op.Parameters {
			if value, ok := e.params[p.Name]; ok {
				if p.Examples == nil {
					p.Examples = map[string]*huma.Example{}
				}
				p.Examples[e.name] = &huma.Example{Summary: e.summary, Value: value}
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

// operation finds what the document holds under a path.
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
