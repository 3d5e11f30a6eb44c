package doctor

import (
	"context"
	"errors"
	"slices"
	"strings"
	"time"

	"github.com/redis/go-redis/v9"

	"github.com/carillonhq/carillon/internal/trouble"
)

// rightsWait limits the wait for the confirmation of a subscription.
const rightsWait = 2 * time.Second

// rightsLine refers to the documentation of the rights that a Redis user needs.
const rightsLine = `; docs/operations.md, "A user of Redis", has the whole line`

// tried contains one call of each command that Carillon uses, on keys of the examination. %K is such a key. Redis
// checks rights before it reads values, so the calls need not succeed, and they leave nothing behind.
var tried = [][]string{
	{"SET", "%K", "v", "PX", "5000"},
	{"GET", "%K"},
	{"MGET", "%K"},
	{"EXISTS", "%K"},
	{"TYPE", "%K"},
	{"PEXPIRE", "%K", "5000"},
	{"PTTL", "%K"},
	{"PERSIST", "%K"},
	{"STRLEN", "%K"},
	{"SETRANGE", "%K", "0", "v"},
	{"SETBIT", "%K", "1", "1"},
	{"GETBIT", "%K", "1"},
	{"BITCOUNT", "%K"},
	{"BITOP", "AND", "%K", "%K"},
	{"BITFIELD", "%K", "GET", "u8", "0"},
	{"INCRBY", "%K", "1"},
	{"RENAME", "%K", "%K"},
	{"DEL", "%K"},
	{"HSET", "%K", "f", "v"},
	{"HGET", "%K", "f"},
	{"HMGET", "%K", "f"},
	{"HGETALL", "%K"},
	{"HINCRBY", "%K", "n", "1"},
	{"HSCAN", "%K", "0"},
	{"HDEL", "%K", "f", "n"},
	{"ZADD", "%K", "1", "m"},
	{"ZSCORE", "%K", "m"},
	{"ZSCAN", "%K", "0"},
	{"ZCARD", "%K"},
	{"ZRANGE", "%K", "0", "-1"},
	{"ZREVRANGE", "%K", "0", "-1"},
	{"ZRANGEBYSCORE", "%K", "0", "1"},
	{"ZINCRBY", "%K", "1", "m"},
	{"ZREMRANGEBYSCORE", "%K", "5", "6"},
	{"ZREM", "%K", "m"},
	{"RPUSH", "%K", "v"},
	{"LRANGE", "%K", "0", "-1"},
	{"LLEN", "%K"},
	{"LREM", "%K", "1", "v"},
	{"SADD", "%K", "m"},
	{"SMEMBERS", "%K"},
	{"SCARD", "%K"},
	{"SISMEMBER", "%K", "m"},
	{"SREM", "%K", "m"},
	{"XGROUP", "CREATE", "%K", "g", "0", "MKSTREAM"},
	{"XADD", "%K", "*", "f", "v"},
	{"XREADGROUP", "GROUP", "g", "c", "COUNT", "1", "STREAMS", "%K", ">"},
	{"XPENDING", "%K", "g"},
	{"XCLAIM", "%K", "g", "c", "0", "0-1"},
	{"XACK", "%K", "g", "0-1"},
	{"XINFO", "STREAM", "%K"},
	{"XRANGE", "%K", "-", "+", "COUNT", "1"},
	{"XTRIM", "%K", "MAXLEN", "0"},
	{"XDEL", "%K", "0-1"},
	{"UNLINK", "%K"},
	{"EVAL", "return 1", "1", "%K"},
	{"SCRIPT", "LOAD", "return 1"},
	{"EVALSHA", "e0e1f9fabfc9d4800c877a703b823ac0578ff8db", "1", "%K"},
	{"SCAN", "0", "COUNT", "1"},
	{"TIME"},
	{"PUBLISH", "%K", "v"},
}

// rights tries everything for which the Redis user may lack the right.
func (e *examination) rights(ctx context.Context, rdb redis.UniversalClient, prefix string) {
	key := prefix + "{doctor}:rights"
	var commands []string
	var others []trouble.Trouble
	note := func(name string, err error) {
		why := trouble.OfRedis(err)
		switch {
		case !redis.HasErrorPrefix(err, "NOPERM"):
		case strings.Contains(why.Cure, " +"):
			commands = append(commands, name)
		case !slices.Contains(others, why):
			others = append(others, why)
		}
	}
	for _, words := range tried {
		args := make([]any, len(words))
		for i, word := range words {
			args[i] = strings.ReplaceAll(word, "%K", key)
		}
		name := strings.ToLower(words[0])
		if name == "script" || name == "xgroup" || name == "xinfo" {
			name += "|" + strings.ToLower(words[1])
		}
		note(name, rdb.Do(ctx, args...).Err())
	}
	_, err := rdb.TxPipelined(ctx, func(p redis.Pipeliner) error { return p.Exists(ctx, key).Err() })
	note("@transaction", err)
	err = subscribes(ctx, rdb, key)
	note("subscribe", err)
	_ = rdb.Unlink(ctx, key).Err() // a user without the right has created nothing
	for _, why := range others {
		e.fail("redis rights", why.Found, why.Cure)
	}
	if len(commands) > 0 {
		e.fail("redis rights", "its user may not run "+strings.ToUpper(strings.ReplaceAll(strings.Join(commands, ", "), "|", " ")),
			"add +"+strings.Join(commands, " +")+" to the user"+rightsLine)
	}
	switch {
	case len(others)+len(commands) > 0:
	case err != nil:
		e.trouble("redis rights", err, trouble.OfRedis(err), "see its log: without subscriptions bells do not change by themselves")
	default:
		e.ok("redis rights", "its user may do all that Carillon does")
	}
}

// subscribes subscribes to a channel, and waits for the confirmation.
func subscribes(ctx context.Context, rdb redis.UniversalClient, channel string) error {
	ctx, cancel := context.WithTimeout(ctx, rightsWait)
	defer cancel()
	sub := rdb.Subscribe(ctx, channel)
	_, err := sub.Receive(ctx)
	return errors.Join(err, sub.Close())
}
