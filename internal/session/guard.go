package session

import (
	"context"
	"errors"
	"sync/atomic"
	"time"

	"github.com/redis/go-redis/v9"
)

const (
	redisLimit  = 250 * time.Millisecond
	insistLimit = time.Second // for changes, which other instances should receive immediately
	// restAfter is how long Redis is not called after a failure, so that pages do not wait for it every time.
	restAfter = time.Second
)

var (
	errNone    = errors.New("no redis")
	errResting = errors.New("redis failed a moment ago")
)

// guard calls a Redis that may be unavailable: with a short timeout, and not again right after a failure.
type guard struct {
	rdb   redis.UniversalClient // nil: always unavailable
	now   func() time.Time
	until atomic.Int64 // ns since 1970: not called before that
}

// do makes a call that may be skipped.
func (g *guard) do(ctx context.Context, call func(context.Context, redis.UniversalClient) error) error {
	if g.now().UnixNano() < g.until.Load() {
		return errResting
	}
	return g.within(ctx, redisLimit, call)
}

// insist makes a call that must be tried even right after a failure.
func (g *guard) insist(ctx context.Context, call func(context.Context, redis.UniversalClient) error) error {
	return g.within(ctx, insistLimit, call)
}

func (g *guard) within(ctx context.Context, limit time.Duration, call func(context.Context, redis.UniversalClient) error) error {
	if g.rdb == nil {
		return errNone
	}
	limited, cancel := context.WithTimeout(ctx, limit)
	defer cancel()
	err := call(limited, g.rdb)
	if err != nil && ctx.Err() == nil { // not because the caller cancelled
		g.until.Store(g.now().Add(restAfter).UnixNano())
	}
	return err
}
