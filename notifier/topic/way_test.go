package topic_test

import (
	"context"
	"errors"
	"net"
	"sync"

	"github.com/redis/go-redis/v9"
)

var errCut = errors.New("the way is cut")

// way is the connection of one client to Redis. It can be cut, and commands can be held.
type way struct {
	mu     sync.Mutex
	left   int // commands left until it is cut; -1: not cut
	before func(cmd redis.Cmder)
	sent   int // round trips since hold
}

func newWay() *way { return &way{left: -1, before: func(redis.Cmder) {}} }

// cut lets through this many commands or pipelines, then none.
func (w *way) cut(after int) {
	w.mu.Lock()
	defer w.mu.Unlock()
	w.left = after
}

func (w *way) mend() { w.cut(-1) }

// hold makes f be called before each command, without a lock held.
func (w *way) hold(f func(cmd redis.Cmder)) {
	w.mu.Lock()
	defer w.mu.Unlock()
	w.before, w.sent = f, 0
}

// trips returns the number of round trips since hold.
func (w *way) trips() int {
	w.mu.Lock()
	defer w.mu.Unlock()
	return w.sent
}

func (w *way) pass(cmds ...redis.Cmder) error {
	w.mu.Lock()
	before, left := w.before, w.left
	w.sent++
	if w.left > 0 {
		w.left--
	}
	w.mu.Unlock()
	if left == 0 {
		for _, cmd := range cmds {
			cmd.SetErr(errCut)
		}
		return errCut
	}
	for _, cmd := range cmds {
		before(cmd)
	}
	return nil
}

func (w *way) DialHook(next redis.DialHook) redis.DialHook {
	return func(ctx context.Context, network, addr string) (net.Conn, error) { return next(ctx, network, addr) }
}

func (w *way) ProcessHook(next redis.ProcessHook) redis.ProcessHook {
	return func(ctx context.Context, cmd redis.Cmder) error {
		if err := w.pass(cmd); err != nil {
			return err
		}
		return next(ctx, cmd)
	}
}

func (w *way) ProcessPipelineHook(next redis.ProcessPipelineHook) redis.ProcessPipelineHook {
	return func(ctx context.Context, cmds []redis.Cmder) error {
		if err := w.pass(cmds...); err != nil {
			return err
		}
		return next(ctx, cmds)
	}
}
