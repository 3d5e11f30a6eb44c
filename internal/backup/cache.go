package backup

import (
	"context"
	"errors"
	"fmt"
	"strings"

	"github.com/redis/go-redis/v9"

	"github.com/carillonhq/carillon/internal/config"
)

// cache is the Redis of an instance. It must not contain data that is newer than the restored database:
// notices in its inboxes would have the numbers of future notices.
type cache interface {
	empty(ctx context.Context) error
	close() error
}

// openCache returns the Redis of the configuration. Unless forced, it rejects one that has data.
func openCache(ctx context.Context, settings config.Config, force bool) (cache, error) {
	if settings.Redis.BuiltIn() {
		return builtIn{settings.DataDir}, nil
	}
	s := server{rdb: settings.Redis.Open(nil), prefix: settings.RedisPrefix}
	if force {
		return s, nil
	}
	err := s.each(ctx, func(context.Context, redis.UniversalClient, []string) error { return errKeys })
	if errors.Is(err, errKeys) {
		err = fmt.Errorf("%w that begin with %s: give a --redis-prefix that was not used before, or remove them with --force", errKeys, s.prefix)
	} else if err != nil {
		err = fmt.Errorf("check redis for keys: %w", err)
	}
	if err != nil {
		return nil, errors.Join(err, s.close())
	}
	return s, nil
}

var errKeys = errors.New("redis has keys")

// server is a Redis that other programs may also use. Only keys with the prefix belong to Carillon.
type server struct {
	rdb    redis.UniversalClient
	prefix string
}

// pageKeys is the number of keys that Redis scans in each step.
const pageKeys = 1000

// empty removes all keys of Carillon.
func (s server) empty(ctx context.Context) error {
	err := s.each(ctx, func(ctx context.Context, node redis.UniversalClient, keys []string) error {
		pipe := node.Pipeline() // one command per key: on a cluster they are in different slots
		for _, key := range keys {
			pipe.Unlink(ctx, key)
		}
		_, err := pipe.Exec(ctx)
		return err
	})
	if err != nil {
		return fmt.Errorf("empty redis: %w", err)
	}
	return nil
}

func (s server) close() error { return s.rdb.Close() }

// each passes all keys of Carillon to do, in batches, with their node.
func (s server) each(ctx context.Context, do func(ctx context.Context, node redis.UniversalClient, keys []string) error) error {
	cluster, ok := s.rdb.(*redis.ClusterClient)
	if !ok {
		return s.scan(ctx, s.rdb, do)
	}
	return cluster.ForEachMaster(ctx, func(ctx context.Context, node *redis.Client) error { return s.scan(ctx, node, do) })
}

func (s server) scan(ctx context.Context, node redis.UniversalClient, do func(context.Context, redis.UniversalClient, []string) error) error {
	pattern := strings.NewReplacer(`\`, `\\`, "*", `\*`, "?", `\?`, "[", `\[`).Replace(s.prefix) + "*"
	for cursor := uint64(0); ; {
		keys, next, err := node.Scan(ctx, cursor, pattern, pageKeys).Result()
		if err == nil && len(keys) > 0 {
			err = do(ctx, node, keys)
		}
		if err != nil || next == 0 {
			return err
		}
		cursor = next
	}
}
