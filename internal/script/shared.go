package script

import (
	"context"
	"time"

	"github.com/redis/go-redis/v9"

	"github.com/carillonhq/carillon/internal/batch"
)

const (
	sharedMost = 256             // calls in one round trip
	sharedWait = 5 * time.Second // limit of a round trip
)

// Shared combines concurrent calls into round trips. On a cluster each call runs alone: otherwise
// callers would wait for nodes that they do not need. It is safe for concurrent use.
type Shared struct {
	rdb     redis.UniversalClient
	apart   bool
	waiting *batch.Queue[*call]
}

// call is a command of a caller. Its reply is in cmd.
type call struct {
	script *Script // nil: not a script
	keys   []string
	args   []any
	cmd    *redis.Cmd
}

// NewShared returns a Shared. It runs no goroutine while there are no callers.
func NewShared(rdb redis.UniversalClient) *Shared {
	_, cluster := rdb.(*redis.ClusterClient)
	s := &Shared{rdb: rdb, apart: cluster}
	s.waiting = batch.New(batch.Options[*call]{Call: s.runAll, Limit: sharedWait, Most: sharedMost})
	return s
}

// Run runs a script like Script.Run. If ctx ends while another caller's round trip is running, the
// script does not run; if its own round trip has begun, the script runs although Run has returned.
func (s *Shared) Run(ctx context.Context, script *Script, keys []string, args ...any) *redis.Cmd {
	return s.do(ctx, &call{script: script, keys: keys, args: args})
}

// Do sends a command that is not a script, such as "HMGET", under the same conditions as Run.
func (s *Shared) Do(ctx context.Context, args ...any) *redis.Cmd {
	return s.do(ctx, &call{args: args})
}

// Waiting returns how many callers wait for the next round trip.
func (s *Shared) Waiting() int {
	n, _ := s.waiting.Waiting()
	return n
}

func (s *Shared) do(ctx context.Context, c *call) *redis.Cmd {
	if s.apart {
		s.alone(ctx, c)
	} else if err := s.waiting.Do(ctx, c); err != nil {
		return redis.NewCmdResult(nil, err)
	}
	return c.cmd
}

func (s *Shared) alone(ctx context.Context, c *call) {
	if c.script == nil {
		c.cmd = s.rdb.Do(ctx, c.args...)
	} else {
		c.cmd = c.script.Run(ctx, s.rdb, c.keys, c.args...)
	}
}

func (s *Shared) runAll(ctx context.Context, some []*call) {
	if len(some) == 1 {
		s.alone(ctx, some[0])
		return
	}
	p := NewPipe(s.rdb, len(some))
	for _, c := range some {
		if c.script == nil {
			c.cmd = redis.NewCmd(ctx, c.args...)
			p.runs = append(p.runs, run{cmd: c.cmd})
			continue
		}
		args := make([]any, 0, len(c.keys)+len(c.args))
		for _, key := range c.keys {
			args = append(args, key)
		}
		c.cmd = p.Add(ctx, c.script, len(c.keys), append(args, c.args...)...)
	}
	_ = p.Exec(ctx) // each command has its own error
}
