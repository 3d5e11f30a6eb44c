package instance

import (
	"context"
	"errors"
	"net/http"
	"time"

	"github.com/redis/go-redis/v9"

	"github.com/carillonhq/carillon/internal/tracing"
	"github.com/carillonhq/carillon/internal/web"
	"github.com/carillonhq/carillon/notifier/inbox"
	"github.com/carillonhq/carillon/store"
)

// openTraces prepares traces, if a collector is configured. Whether that answers does not matter.
func (i *instance) openTraces(ctx context.Context) (func() error, error) {
	var err error
	if i.traces, err = tracing.Open(ctx, i.cfg.Traces, i.id, i.log); err != nil || i.traces == nil {
		return nil, err
	}
	return func() error { return within(ctx, i.traces.Close) }, nil
}

// traced returns how the spans of requests begin. With follow they belong to the traces of callers.
func (i *instance) traced(follow bool) web.Traced {
	if i.traces == nil {
		return nil
	}
	return func(ctx context.Context, r *http.Request) (context.Context, func(string, int)) {
		return i.traces.Request(ctx, r, follow)
	}
}

// sqlCalled is a store.Timing.
func (i *instance) sqlCalled(ctx context.Context, call store.Call, took time.Duration) {
	i.times.called(call, took)
	if i.traces != nil {
		i.traces.Call(ctx, "sql "+call.String(), 1, took, nil)
	}
}

// commandName returns the name of a command or of the script that it runs. Arguments hold names and
// texts, and are left out.
func commandName(cmd redis.Cmder) string {
	name, args := cmd.Name(), cmd.Args()
	if name != "evalsha" || len(args) < 2 {
		return name
	}
	if sha, ok := args[1].(string); ok {
		if script := inbox.ScriptName(sha); script != "" {
			return script
		}
	}
	return "script"
}

// pipelineName returns the name that all commands have.
func pipelineName(cmds []redis.Cmder) string {
	if len(cmds) == 0 {
		return "pipeline"
	}
	name := commandName(cmds[0])
	for _, cmd := range cmds {
		if cmd.Name() != cmds[0].Name() {
			return "pipeline"
		}
	}
	return name
}

// fault returns no error for a missing value.
func fault(err error) error {
	if errors.Is(err, redis.Nil) {
		return nil
	}
	return err
}
