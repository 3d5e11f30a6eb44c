package config

import (
	"context"

	"github.com/redis/go-redis/v9"
)

// refused gives every command of a pipeline the error with which Redis has refused the connection, such as a wrong
// password. go-redis returns that error from Exec and leaves the commands without one, so their zero values would be
// taken for answers.
type refused struct{}

func (refused) DialHook(next redis.DialHook) redis.DialHook { return next }

func (refused) ProcessHook(next redis.ProcessHook) redis.ProcessHook { return next }

func (refused) ProcessPipelineHook(next redis.ProcessPipelineHook) redis.ProcessPipelineHook {
	return func(ctx context.Context, cmds []redis.Cmder) error {
		err := next(ctx, cmds)
		if err == nil {
			return nil
		}
		for _, cmd := range cmds {
			if cmd.Err() != nil {
				return err // the commands have their own errors
			}
		}
		for _, cmd := range cmds {
			cmd.SetErr(err)
		}
		return err
	}
}
