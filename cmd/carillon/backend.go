package main

import (
	"context"
	"errors"
	"fmt"
	"os"
	"time"

	"github.com/redis/go-redis/v9"
	"github.com/redis/go-redis/v9/maintnotifications"

	"github.com/carillonhq/carillon/internal/embedded"
	"github.com/carillonhq/carillon/notifier"
	"github.com/carillonhq/carillon/store"
)

// pingWait is how long a command waits for Redis before it goes on without.
const pingWait = 2 * time.Second

// errNoRedis says that no server runs on this data directory, so that there is
// no built-in Redis to reach.
var errNoRedis = errors.New("no server runs on this data directory, and --redis-url is not set")

// openStore opens SQL and brings it up to date.
func openStore(ctx context.Context, cfg config) (*store.Store, error) {
	if err := makeDataDir(cfg.DataDir); err != nil {
		return nil, err
	}
	db, err := store.Open(ctx, store.Config{URL: cfg.DatabaseURL, DataDir: cfg.DataDir, MaxSeq: cfg.MaxSeq})
	if err != nil {
		return nil, fmt.Errorf("open the database: %w", err)
	}
	return db, nil
}

// makeDataDir makes the directory for its owner alone: it holds keys.
func makeDataDir(dir string) error {
	if err := os.MkdirAll(dir, 0o700); err != nil {
		return fmt.Errorf("make the data directory: %w", err)
	}
	return nil
}

// redisBeside returns a client of the Redis that a server with this
// configuration uses, and as reason why it cannot be reached when it cannot.
// The client is never nil: without Redis each of its calls fails at once.
func redisBeside(ctx context.Context, cfg config) (rdb redis.UniversalClient, reason error) {
	target, err := targetBeside(cfg)
	if err != nil {
		return nowhere(err), err
	}
	rdb = target.open()
	ctx, cancel := context.WithTimeout(ctx, pingWait)
	defer cancel()
	if err := rdb.Ping(ctx).Err(); err != nil {
		return rdb, fmt.Errorf("reach redis: %w", err)
	}
	return rdb, nil
}

// targetBeside says which Redis a server with this configuration uses.
func targetBeside(cfg config) (redisTarget, error) {
	if !cfg.Redis.builtIn() {
		return cfg.Redis, nil
	}
	raw, err := embedded.URL(cfg.DataDir)
	switch {
	case err != nil:
		return redisTarget{}, err
	case raw == "":
		return redisTarget{}, errNoRedis
	}
	return parseRedisURL(raw)
}

// nowhere is a client that connects to nothing.
func nowhere(reason error) redis.UniversalClient {
	return redis.NewClient(&redis.Options{
		Dialer:     noDial(reason),
		MaxRetries: -1, DialerRetries: 1,
		MaintNotificationsConfig: &maintnotifications.Config{Mode: maintnotifications.ModeDisabled},
	})
}

// withStore opens SQL for the length of one command.
func withStore(ctx context.Context, cfg config, work func(*store.Store) error) error {
	db, err := openStore(ctx, cfg)
	if err != nil {
		return err
	}
	return errors.Join(work(db), db.Close())
}

// record writes what a command changed to the audit log. A notice needs no
// entry: it keeps its sender itself.
func record(ctx context.Context, db *store.Store, action, object, detail string) error {
	return db.Audit(ctx, notifier.AuditEntry{Actor: "command line", Action: action, Object: object, Detail: detail})
}
