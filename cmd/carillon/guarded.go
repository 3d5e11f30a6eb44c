package main

import (
	"context"
	"errors"
	"fmt"
	"log/slog"

	"github.com/redis/go-redis/v9"

	"github.com/carillonhq/carillon/notifier/keys"
	"github.com/carillonhq/carillon/notifier/pipeline"
	"github.com/carillonhq/carillon/store"
)

// redisGuarded is redisBeside for a command that changes something there. A Redis
// that came back empty or old is healed first, as a server does it: what is changed
// there before would count as newer than what SQL has.
func redisGuarded(ctx context.Context, cfg config, db *store.Store, log *slog.Logger) (
	rdb redis.UniversalClient, closeAll func() error, reason error,
) {
	target, reason := targetBeside(cfg)
	if reason != nil {
		rdb = nowhere(reason)
		return rdb, rdb.Close, reason
	}
	raw := target.open()
	again := pipeline.New(pipeline.Config{Store: db, Redis: raw, Keys: keys.New(cfg.RedisPrefix), Log: log})
	guard := newGuard(cfg, raw, db, again.Resend, log)
	rdb = target.behind(guard)
	closeAll = func() error { return errors.Join(rdb.Close(), raw.Close()) }
	if err := guard.Check(ctx); err != nil {
		return rdb, closeAll, fmt.Errorf("reach redis: %w", err)
	}
	return rdb, closeAll, nil
}
