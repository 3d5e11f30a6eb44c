package inbox

import (
	"context"
	"time"

	"github.com/redis/go-redis/v9"

	"github.com/carillonhq/carillon/internal/script"
	"github.com/carillonhq/carillon/internal/turns"
)

// pollWait bounds a shared round trip, which must not end with the request of the caller who
// happens to make it.
const pollWait = 5 * time.Second

// polling lets concurrent polls share round trips. On a cluster each poll runs alone: otherwise
// callers would wait for nodes that they do not need.
type polling struct {
	rdb     redis.UniversalClient
	apart   bool
	waiting turns.Queue[*poller]
}

func newPolling(rdb redis.UniversalClient) *polling {
	_, cluster := rdb.(*redis.ClusterClient)
	return &polling{rdb: rdb, apart: cluster}
}

// poller is a poll. Its reply is in cmd.
type poller struct {
	keys []string // of poll_inbox
	args []any
	cmd  *redis.Cmd
}

// run runs poll_inbox, together with other polls.
func (g *polling) run(ctx context.Context, keys []string, args ...any) *redis.Cmd {
	if g.apart {
		return pollInbox.Run(ctx, g.rdb, keys, args...)
	}
	w := &poller{keys: keys, args: args}
	err := g.waiting.Do(ctx, w, batch, func(some []*poller) {
		if len(some) > 1 {
			g.runAll(ctx, some)
		} else {
			w.cmd = pollInbox.Run(ctx, g.rdb, keys, args...)
		}
	})
	if err != nil {
		return redis.NewCmdResult(nil, err)
	}
	return w.cmd
}

// runAll runs poll_inbox for all of these.
func (g *polling) runAll(ctx context.Context, some []*poller) {
	ctx, cancel := context.WithTimeout(context.WithoutCancel(ctx), pollWait)
	defer cancel()
	p := script.NewPipe(g.rdb, len(some))
	var buf []any
	for _, w := range some {
		buf = buf[:0]
		for _, key := range w.keys {
			buf = append(buf, key)
		}
		w.cmd = p.Add(ctx, pollInbox, len(w.keys), append(buf, w.args...)...) // copies the arguments
	}
	_ = p.Exec(ctx) // each command holds its own error
}
