package agent

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"net/http"
	"net/url"
	"sync"
	"time"

	"github.com/modelcontextprotocol/go-sdk/mcp"
)

// Config holds what an agent server needs.
type Config struct {
	URL     *url.URL     // of the Carillon server, with the path under which it is mounted
	Key     string       // an API key
	Version string       // of this program
	OpenAPI []byte       // the document of the API, whose schemas the tools take
	HTTP    *http.Client // nil: http.DefaultClient
}

const instructions = "Carillon is a notification centre. notify sends a notice to people, ask asks them to choose and waits for their decision, find_people finds " +
	"their user names, and why tells whether one of them got a notice. Ask before an action that people want to decide on, and go on according to the outcome."

// withdrawIn is how long the withdrawal of a cancelled question may take, which the server waits for before it ends.
const withdrawIn = 10 * time.Second

// Serve offers the tools over two streams until in ends or ctx does.
func Serve(ctx context.Context, c Config, in io.ReadCloser, out io.WriteCloser) error {
	schemas, err := readSchemas(c.OpenAPI)
	if err != nil {
		return err
	}
	if c.HTTP == nil {
		c.HTTP = http.DefaultClient
	}
	gone, leave := context.WithCancel(ctx)
	defer leave()
	a := &agent{api: &caller{to: c}, whenGone: func(do func()) func() bool { return context.AfterFunc(gone, do) }}
	s := mcp.NewServer(&mcp.Implementation{Name: "carillon", Title: "Carillon", Version: c.Version}, &mcp.ServerOptions{Instructions: instructions})
	no, yes := false, true
	for _, tool := range []struct {
		mcp.Tool
		do func(context.Context, *mcp.CallToolRequest) (json.RawMessage, error)
	}{
		{mcp.Tool{
			Name: "notify", Description: "Sends a notice to the inboxes of people: users by name, a role, a topic or an audience. It cannot be taken back unseen.",
			InputSchema: schemas["notify"], Annotations: &mcp.ToolAnnotations{Title: "Send a notice", DestructiveHint: &no, OpenWorldHint: &yes},
		}, a.notify},
		{mcp.Tool{
			Name: "ask", Description: "Asks people to choose one of two to four choices, and waits until they have decided or their time is up, which may take long: set expires_in. " +
				"The result has state, outcome (the id of a choice, or null), and answers with comments. With only id it goes on waiting for a question whose state was open.",
			InputSchema: schemas["ask"], Annotations: &mcp.ToolAnnotations{Title: "Ask people", DestructiveHint: &no, OpenWorldHint: &yes},
		}, a.ask},
		{mcp.Tool{
			Name: "find_people", Description: "Finds users by a part of their name or of what they are called. The key needs the scope admin.",
			InputSchema: json.RawMessage(`{"type":"object","properties":{"q":{"type":"string","description":"A part of a name."}},"required":["q"],"additionalProperties":false}`),
			Annotations: &mcp.ToolAnnotations{Title: "Find people", ReadOnlyHint: true},
		}, a.findPeople},
		{mcp.Tool{
			Name: "why", Description: "Tells in one sentence and a code why a user got a notice of this key, or did not, or was not told of it by mail or push.",
			InputSchema: json.RawMessage(`{"type":"object","properties":{"notice":{"type":"integer","minimum":1,"description":"The id of the notice."},"user":{"type":"string","minLength":1,"description":"A user name."}},"required":["notice","user"],"additionalProperties":false}`),
			Annotations: &mcp.ToolAnnotations{Title: "Find out why", ReadOnlyHint: true},
		}, a.why},
	} {
		s.AddTool(&tool.Tool, a.handler(tool.do))
	}
	err = s.Run(ctx, &mcp.IOTransport{Reader: leaving{in, leave}, Writer: out})
	leave()
	a.calls.Wait()
	if ctx.Err() != nil || errors.Is(err, io.EOF) {
		return nil
	}
	return err
}

// agent answers the calls of one client.
type agent struct {
	api      *caller
	whenGone func(do func()) (stop func() bool) // the client has left
	calls    sync.WaitGroup
}

// leaving is a stream whose end ends the calls of the client.
type leaving struct {
	io.ReadCloser
	leave func()
}

func (l leaving) Read(b []byte) (int, error) {
	n, err := l.ReadCloser.Read(b)
	if err != nil {
		l.leave()
	}
	return n, err
}

// handler turns a function into a tool. Its errors are results that the model reads.
func (a *agent) handler(do func(context.Context, *mcp.CallToolRequest) (json.RawMessage, error)) mcp.ToolHandler {
	return func(ctx context.Context, req *mcp.CallToolRequest) (*mcp.CallToolResult, error) {
		a.calls.Add(1)
		defer a.calls.Done()
		ctx, cancel := context.WithCancel(ctx)
		defer cancel()
		defer a.whenGone(cancel)()
		result, err := do(ctx, req)
		if err != nil {
			if ctx.Err() != nil {
				return nil, ctx.Err()
			}
			return &mcp.CallToolResult{IsError: true, Content: []mcp.Content{&mcp.TextContent{Text: err.Error()}}}, nil
		}
		return &mcp.CallToolResult{Content: []mcp.Content{&mcp.TextContent{Text: string(result)}}, StructuredContent: result}, nil
	}
}

func (a *agent) notify(ctx context.Context, req *mcp.CallToolRequest) (json.RawMessage, error) {
	return a.api.post(ctx, "/notices", req.Params.Arguments)
}

func (a *agent) findPeople(ctx context.Context, req *mcp.CallToolRequest) (json.RawMessage, error) {
	var in struct {
		Q string `json:"q"`
	}
	if err := json.Unmarshal(req.Params.Arguments, &in); err != nil {
		return nil, fmt.Errorf("q: %w", err)
	}
	return a.api.get(ctx, "/users?"+url.Values{"q": {in.Q}, "limit": {"20"}}.Encode())
}

func (a *agent) why(ctx context.Context, req *mcp.CallToolRequest) (json.RawMessage, error) {
	var in struct {
		Notice int64  `json:"notice"`
		User   string `json:"user"`
	}
	if err := json.Unmarshal(req.Params.Arguments, &in); err != nil {
		return nil, fmt.Errorf("arguments: %w", err)
	}
	return a.api.get(ctx, fmt.Sprintf("/notices/%d/why?%s", in.Notice, url.Values{"user": {in.User}}.Encode()))
}
