package epoch

import (
	"context"
	"errors"
	"fmt"
	"strings"

	"github.com/redis/go-redis/v9"

	"github.com/carillonhq/carillon/internal/script"
)

// identity is who answers at the other end of a connection.
type identity struct {
	// life names an uninterrupted life as a master: its process (run_id), and the
	// history of changes that it is the master of (master_replid). The second is what
	// tells a process that was a replica in between. Empty: it does not say, as
	// miniredis, whose process is its life.
	life     string
	master   bool
	sentinel bool // it holds no data, and knows where the master is
}

// question is what a connection was asked, within a pipeline.
type question struct{ server, replication *redis.StringCmd }

func ask(ctx context.Context, p redis.Pipeliner) question {
	return question{p.Info(ctx, "server"), p.Info(ctx, "replication")}
}

// answer is there once the pipeline was sent.
func (q question) answer() (identity, error) {
	who := identity{master: true}
	process, history := "", ""
	for _, cmd := range []*redis.StringCmd{q.server, q.replication} {
		var answer redis.Error
		if err := cmd.Err(); err != nil && (script.Away(err) || !errors.As(err, &answer)) {
			return who, fmt.Errorf("ask redis who it is: %w", err)
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
