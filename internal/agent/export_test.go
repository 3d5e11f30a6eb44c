package agent

import (
	"context"
	"encoding/json"

	"github.com/modelcontextprotocol/go-sdk/mcp"
)

// Post calls the API as tools do.
func (c Config) Post(ctx context.Context, path string, body json.RawMessage) (json.RawMessage, error) {
	return (&caller{to: c}).post(ctx, path, body)
}

// Ask calls the tool ask for a client that follows no progress.
func (c Config) Ask(ctx context.Context, arguments string) (json.RawMessage, error) {
	a := &agent{api: &caller{to: c}}
	return a.ask(ctx, &mcp.CallToolRequest{Params: &mcp.CallToolParamsRaw{Arguments: json.RawMessage(arguments)}})
}
