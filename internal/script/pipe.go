package script

import (
	"context"

	"github.com/redis/go-redis/v9"
)

// Pipe collects runs of scripts and sends them together. It is not safe for concurrent use.
type Pipe struct {
	rdb  redis.UniversalClient
	runs []run
}

type run struct {
	script *Script
	cmd    *redis.Cmd
}

// NewPipe returns an empty pipe with room for size runs.
func NewPipe(rdb redis.UniversalClient, size int) *Pipe {
	return &Pipe{rdb: rdb, runs: make([]run, 0, size)}
}

// Add appends a run of s. The first `keys` args are its KEYS, the others its ARGV. After Exec the
// returned command has the reply.
func (p *Pipe) Add(ctx context.Context, s *Script, keys int, args ...any) *redis.Cmd {
	full := make([]any, 0, 3+len(args))
	full = append(full, "evalsha", s.shaArg, keys)
	cmd := redis.NewCmd(ctx, append(full, args...)...)
	cmd.SetFirstKeyPos(3)
	p.runs = append(p.runs, run{s, cmd})
	return cmd
}

// Exec sends all runs and returns the first error among their replies. If nodes lack scripts, it
// loads them on every master and sends those runs once more; no other run is sent twice. The pipe
// is empty afterwards.
func (p *Pipe) Exec(ctx context.Context) error {
	runs := p.runs
	p.runs = p.runs[:0]
	p.send(ctx, runs)
	var again []run
	var lacking []*Script
	var first error
	for _, r := range runs {
		err := r.cmd.Err()
		if missing(err) {
			again = append(again, r)
			lacking = addOnce(lacking, r.script)
		} else if first == nil {
			first = err
		}
	}
	if len(again) == 0 {
		return first
	}
	if err := Load(ctx, p.rdb, lacking...); err != nil {
		for _, r := range again {
			r.cmd.SetErr(err)
		}
		return err
	}
	p.send(ctx, again)
	for _, r := range again {
		if first == nil {
			first = r.cmd.Err()
		}
	}
	return first
}

func (p *Pipe) send(ctx context.Context, runs []run) {
	pipe := p.rdb.Pipeline()
	for _, r := range runs {
		r.cmd.SetErr(nil)
		_ = pipe.Process(ctx, r.cmd) // only queues
	}
	_, _ = pipe.Exec(ctx) // each command has its own error
}

func addOnce(list []*Script, s *Script) []*Script {
	for _, have := range list {
		if have == s {
			return list
		}
	}
	return append(list, s)
}
