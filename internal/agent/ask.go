package agent

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"time"

	"github.com/modelcontextprotocol/go-sdk/mcp"
)

const (
	// waitEach is the time in seconds between two messages about progress. Clients that extend their time limit with progress
	// have one of 60 seconds.
	waitEach = 20

	// waitSilent is how long a client that follows no progress waits: its time limit is probably 60 seconds, and cancelling
	// would withdraw the question.
	waitSilent = 35 * time.Second
)

// question is what the agent needs of a question.
type question struct {
	ID      int64             `json:"id"`
	State   string            `json:"state"`
	Answers []json.RawMessage `json:"answers"`
}

// ask asks a question, or goes on waiting for the one with an id. It returns the question once it is no longer open; for a client that
// follows no progress, also before that. A cancelled call withdraws its question.
func (a *agent) ask(ctx context.Context, req *mcp.CallToolRequest) (json.RawMessage, error) {
	id, err := onlyID(req.Params.Arguments)
	if err != nil {
		return nil, err
	}
	if id == 0 {
		asked, err := a.post(ctx, req.Params.Arguments)
		if err != nil {
			return nil, err
		}
		q, err := questionOf(asked)
		if err != nil {
			return nil, err
		}
		id = q.ID
	}
	return a.wait(ctx, req, id)
}

// post asks a question. A call that is cancelled meanwhile may have asked it already, so its id must still arrive, to withdraw it.
func (a *agent) post(ctx context.Context, arguments json.RawMessage) (json.RawMessage, error) {
	posting, cancel := context.WithCancel(context.WithoutCancel(ctx))
	defer cancel()
	defer context.AfterFunc(ctx, func() { time.AfterFunc(withdrawIn, cancel) })()
	return a.api.post(posting, "/asks", arguments)
}

// wait waits for the end of a question.
func (a *agent) wait(ctx context.Context, req *mcp.CallToolRequest, id int64) (json.RawMessage, error) {
	token := req.Params.GetProgressToken()
	begun := time.Now()
	for told := 1.0; ; told++ {
		text, err := a.api.get(ctx, fmt.Sprintf("/asks/%d?wait=%d", id, waitEach))
		if ctx.Err() != nil {
			a.withdraw(context.WithoutCancel(ctx), id)
			return nil, ctx.Err()
		}
		if err != nil {
			return nil, err
		}
		q, err := questionOf(text)
		switch {
		case err != nil || q.State != "open":
			return text, err
		case token != nil:
			_ = req.Session.NotifyProgress(ctx, &mcp.ProgressNotificationParams{ // without it, the client only knows less
				ProgressToken: token, Progress: told, Message: fmt.Sprintf("question %d is open, with %d answers", id, len(q.Answers)),
			})
		case time.Since(begun) > waitSilent:
			return text, nil
		}
	}
}

// withdraw withdraws a question that nobody waits for any more.
func (a *agent) withdraw(ctx context.Context, id int64) {
	ctx, cancel := context.WithTimeout(ctx, withdrawIn)
	defer cancel()
	_ = a.api.remove(ctx, fmt.Sprintf("/asks/%d", id)) // it ends when its time is up
}

// onlyID returns the id in arguments that have only an id; 0: they are a question.
func onlyID(arguments json.RawMessage) (int64, error) {
	var in map[string]json.RawMessage
	if err := json.Unmarshal(arguments, &in); err != nil {
		return 0, fmt.Errorf("arguments: %w", err)
	}
	raw, given := in["id"]
	if !given {
		return 0, nil
	}
	if len(in) > 1 {
		return 0, errors.New("id: goes on waiting for that question, so leave out the other fields")
	}
	var id int64
	if err := json.Unmarshal(raw, &id); err != nil || id <= 0 {
		return 0, errors.New("id: must be the number of a question")
	}
	return id, nil
}

func questionOf(text json.RawMessage) (q question, err error) {
	if err = json.Unmarshal(text, &q); err == nil && q.ID == 0 {
		err = fmt.Errorf("the server answered without a question: %.200s", text)
	}
	return q, err
}
