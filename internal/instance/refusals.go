package instance

import (
	"context"
	"errors"
	"sync"
	"time"

	"github.com/redis/go-redis/v9"

	"github.com/carillonhq/carillon/internal/trouble"
)

// refusals holds which commands Redis has refused lately. It is a hook of the client for users' calls.
type refusals struct {
	mu  sync.Mutex
	now map[string]refusal // by command; a right that a script lacks by its name, because the next script may not need it
}

type refusal struct {
	err error
	why trouble.Trouble
	at  time.Time
}

// refusedFor is how long a refusal counts if the command was not run again.
const refusedFor = time.Minute

func newRefusals() *refusals { return &refusals{now: map[string]refusal{}} }

func (r *refusals) note(cmd redis.Cmder) {
	err := cmd.Err()
	name := cmd.Name()
	r.mu.Lock()
	defer r.mu.Unlock()
	if err == nil || errors.Is(err, redis.Nil) {
		if len(r.now) > 0 {
			delete(r.now, name)
		}
		return
	}
	why := trouble.OfRedis(err)
	if why.Kind != trouble.Changes && why.Kind != trouble.Rights {
		return
	}
	if why.Kind == trouble.Rights && (name == "evalsha" || name == "eval") {
		name = why.Found
	}
	r.now[name] = refusal{err, why, time.Now()}
}

// lately lists what Redis refuses, each trouble once.
func (r *refusals) lately(now time.Time) (all []refusal) {
	r.mu.Lock()
	defer r.mu.Unlock()
	seen := map[string]bool{}
	for name, one := range r.now {
		switch {
		case now.Sub(one.at) > refusedFor:
			delete(r.now, name)
		case !seen[one.why.Found]:
			seen[one.why.Found] = true
			all = append(all, one)
		}
	}
	return all
}

// DialHook changes nothing.
func (r *refusals) DialHook(next redis.DialHook) redis.DialHook { return next }

// ProcessHook notes the result of single commands.
func (r *refusals) ProcessHook(next redis.ProcessHook) redis.ProcessHook {
	return func(ctx context.Context, cmd redis.Cmder) error {
		err := next(ctx, cmd)
		if err != nil {
			cmd.SetErr(err)
		}
		r.note(cmd)
		return err
	}
}

// ProcessPipelineHook notes the result of each command.
func (r *refusals) ProcessPipelineHook(next redis.ProcessPipelineHook) redis.ProcessPipelineHook {
	return func(ctx context.Context, cmds []redis.Cmder) error {
		err := next(ctx, cmds)
		for _, cmd := range cmds {
			r.note(cmd)
		}
		return err
	}
}
