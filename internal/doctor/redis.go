package doctor

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"strconv"
	"strings"
	"time"

	"github.com/redis/go-redis/v9"

	"github.com/carillonhq/carillon/internal/config"
	"github.com/carillonhq/carillon/internal/trouble"
)

// redis examines every master. It reports whether Redis can be read, so that the work in it can also be
// examined.
func (e *examination) redis(ctx context.Context, cfg *config.Config, rdb redis.UniversalClient, reason error) (reachable bool) {
	switch {
	case reason == nil:
		return e.nodes(ctx, cfg, rdb)
	case errors.Is(reason, config.ErrNoRedis):
		e.note("redis", "the built-in one runs only while a server does", "start `carillon serve` to have it examined")
	case redis.HasErrorPrefix(reason, "MISCONF"): // it runs, but rejects even PING
		e.fail("redis disk", "it runs, and refuses changes because it cannot write its file: "+reason.Error(),
			"make room on the disk of Redis, or see its log; it recovers by itself. Meanwhile pages are read-only, and sending is kept in SQL")
		return true
	default:
		e.trouble("redis", reason, trouble.OfRedis(reason), "see its log, or correct --redis-url; meanwhile pages are read-only, and sending is kept in SQL")
	}
	return false
}

// nodes examines all nodes. It reports whether they are usable.
func (e *examination) nodes(ctx context.Context, cfg *config.Config, rdb redis.UniversalClient) bool {
	_, err := rdb.Info(ctx, "persistence").Result()
	if err != nil && cfg.Redis.BuiltIn() {
		e.note("redis", "built in, in the memory of the server", "install redis-server or valkey-server, so that inboxes survive a restart")
		return true
	}
	if kind := takenFor(ctx, rdb); kind != (trouble.Trouble{}) {
		e.fail("redis", kind.Found, kind.Cure)
		return false
	}
	e.rights(ctx, rdb, cfg.RedisPrefix)
	if cluster, ok := rdb.(*redis.ClusterClient); ok {
		if err = cluster.ForEachMaster(ctx, e.node); err == nil {
			err = e.spread(ctx, cfg.RedisPrefix, cluster)
		}
	} else if node, ok := rdb.(*redis.Client); ok {
		err = e.node(ctx, node)
	}
	if err != nil {
		e.trouble("redis", err, trouble.OfRedis(err), "see its log")
	}
	return true
}

// takenFor returns what a server is that --redis-url describes as a single node.
func takenFor(ctx context.Context, rdb redis.UniversalClient) trouble.Trouble {
	text, err := rdb.Info(ctx, "server").Result()
	if _, single := rdb.(*redis.Client); !single || err != nil {
		return trouble.Trouble{}
	}
	switch parseInfo(text)["redis_mode"] {
	case "cluster":
		return trouble.ClusterNode
	case "sentinel":
		return trouble.SentinelNode
	}
	return trouble.Trouble{}
}

// node examines one node.
func (e *examination) node(ctx context.Context, rdb *redis.Client) error {
	text, err := rdb.Info(ctx, "everything").Result()
	if err != nil {
		return fmt.Errorf("read the state of %s: %w", rdb.Options().Addr, err)
	}
	info := parseInfo(text)
	e.redisVersion(rdb.Options().Addr, info)
	e.persistence(info)
	e.memory(info)
	return e.latency(ctx, rdb)
}

func (e *examination) redisVersion(addr string, info map[string]string) {
	version := info["redis_version"]
	major, _, _ := strings.Cut(version, ".")
	if n, err := strconv.Atoi(major); err != nil || n < 7 {
		e.fail("redis", fmt.Sprintf("%s is version %q", addr, version), "install 7.0 or newer")
		return
	}
	if valkey := info["valkey_version"]; valkey != "" {
		version = "Valkey " + valkey
	}
	if info["role"] == "slave" {
		e.fail("redis", addr+" is a replica: it refuses every change", "correct --redis-url: name its master, or use redis+sentinel:// to find it")
		return
	}
	e.ok("redis", "%s at %s", version, addr)
}

func (e *examination) memory(info map[string]string) {
	used, _ := strconv.ParseInt(info["used_memory"], 10, 64) // 0 if missing
	most, _ := strconv.ParseInt(info["maxmemory"], 10, 64)
	policy := info["maxmemory_policy"]
	switch {
	case most > 0 && policy != "noeviction":
		e.fail("redis memory", "maxmemory-policy is "+policy, "set it to noeviction: an evicted inbox is a lost inbox")
	case most > 0 && used > most/10*9:
		e.fail("redis memory", fmt.Sprintf("%s of %s used", info["used_memory_human"], info["maxmemory_human"]),
			"raise maxmemory: at the limit nothing can be delivered")
	default:
		e.ok("redis memory", "%s used, nothing is evicted", info["used_memory_human"])
	}
}

func (e *examination) persistence(info map[string]string) {
	switch {
	case info["aof_enabled"] != "1":
		e.fail("redis disk", "there is no append-only file", "set appendonly yes: a restart loses what came since the last snapshot")
	case info["aof_last_write_status"] != "ok" || info["aof_last_bgrewrite_status"] != "ok":
		e.fail("redis disk", "the append-only file could not be written", "check the log of Redis for a full or broken disk")
	default:
		e.ok("redis disk", "append-only file, %s bytes", info["aof_current_size"])
	}
}

// latency measures a round trip, and compares the clocks.
func (e *examination) latency(ctx context.Context, rdb *redis.Client) error {
	const tries = 20
	took := make([]time.Duration, tries)
	for i := range took {
		asked := time.Now()
		if err := rdb.Ping(ctx).Err(); err != nil {
			return fmt.Errorf("ping: %w", err)
		}
		took[i] = time.Since(asked)
	}
	slices.Sort(took)
	median := took[tries/2].Round(time.Microsecond)
	if median > 10*time.Millisecond {
		e.fail("redis speed", fmt.Sprintf("a round trip takes %v", median), "run it in the same data centre; each page needs one to three")
	} else {
		e.ok("redis speed", "a round trip takes %v", median)
	}
	asked := time.Now()
	theirs, err := rdb.Time(ctx).Result()
	if err != nil {
		return fmt.Errorf("read its clock: %w", err)
	}
	e.clock("redis", theirs, asked, time.Now())
	return nil
}

func parseInfo(text string) map[string]string {
	info := map[string]string{}
	for line := range strings.Lines(text) {
		if key, value, ok := strings.Cut(strings.TrimSpace(line), ":"); ok {
			info[key] = value
		}
	}
	return info
}
