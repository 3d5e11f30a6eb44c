package config

import (
	"context"
	"errors"
	"net"

	"github.com/redis/go-redis/v9"

	"github.com/carillonhq/carillon/internal/trouble"
)

// attributed gives every command of a pipeline the error with which Redis rejected the connection, such as a wrong
// password. go-redis returns that error from Exec but leaves the commands without one, so their zero values would be
// mistaken for results. It also marks errors of connections as errors of Redis.
type attributed struct{}

func (attributed) DialHook(next redis.DialHook) redis.DialHook {
	return func(ctx context.Context, network, addr string) (net.Conn, error) {
		conn, err := next(ctx, network, addr)
		return conn, mark(err)
	}
}

func (attributed) ProcessHook(next redis.ProcessHook) redis.ProcessHook {
	return func(ctx context.Context, cmd redis.Cmder) error {
		err := mark(next(ctx, cmd))
		if err != nil {
			cmd.SetErr(err)
		}
		return err
	}
}

func (attributed) ProcessPipelineHook(next redis.ProcessPipelineHook) redis.ProcessPipelineHook {
	return func(ctx context.Context, cmds []redis.Cmder) error {
		err := mark(next(ctx, cmds))
		if err == nil {
			return nil
		}
		own := false
		for _, cmd := range cmds {
			if e := cmd.Err(); e != nil {
				own = true // the commands have their own errors
				cmd.SetErr(mark(e))
			}
		}
		if !own {
			for _, cmd := range cmds {
				cmd.SetErr(err)
			}
		}
		return err
	}
}

// mark marks an error unless it is about the command itself, such as a value that does not exist.
func mark(err error) error {
	var answer redis.Error
	if err == nil || errors.Is(err, context.Canceled) || errors.As(err, &answer) && trouble.OfRedis(err) == (trouble.Trouble{}) {
		return err
	}
	if source, _ := trouble.Of(err); source != "" {
		return err
	}
	return trouble.Mark(trouble.Redis, err)
}
