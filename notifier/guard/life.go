package guard

import (
	"context"
	"errors"
	"fmt"
	"strings"

	"github.com/redis/go-redis/v9"

	"github.com/carillonhq/carillon/internal/script"
)

// identity describes the server at the other end of a connection.
type identity struct {
	// life names an uninterrupted life as a master: the process (run_id) and the replication
	// history that it is the master of (master_replid). The latter changes when a process was a
	// replica in the meantime. Empty: the server does not report it, like miniredis, which has only
	// one life per process.
	life     string
	master   bool
	sentinel bool // holds no data, but knows where the master is
}

// question holds the identity commands that were queued on a pipeline.
type question struct{ server, replication *redis.StringCmd }

func ask(ctx context.Context, p redis.Pipeliner) question {
	return question{p.Info(ctx, "server"), p.Info(ctx, "replication")}
}

// answer returns the identity. Call it after the pipeline has been executed.
func (q question) answer() (identity, error) {
	who := identity{master: true}
	process, history := "", ""
	for _, cmd := range []*redis.StringCmd{q.server, q.replication} {
		var answer redis.Error
		if err := cmd.Err(); err != nil && (script.Away(err) || !errors.As(err, &answer)) {
			return who, fmt.Errorf("ask redis for its identity: %w", err)
		}
		for line := range strings.Lines(cmd.Val()) {
			name, value, _ := strings.Cut(strings.TrimSpace(line), ":")
			switch name {
			case "run_id":
				process = value
			case "master_replid":
				history = value
			case "role":
				who.master = value == "master"
			case "redis_mode":
				who.sentinel = value == "sentinel"
			}
		}
	}
	if process != "" || history != "" {
		who.life = process + ":" + history
	}
	return who, nil
}
