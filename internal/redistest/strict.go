package redistest

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"strings"
	"sync"
	"testing"

	"github.com/redis/go-redis/v9"
)

// Strict returns a client of the package's server that checks, on one node, the requirements of a cluster and of
// a restarted server. A command, script or transaction with keys in two slots fails the test. The first run of
// each script fails with NOSCRIPT, and so do other runs until the client loads the script, like on a server that
// has lost its scripts. The client is closed when the test ends.
func Strict(t testing.TB) *redis.Client {
	t.Helper()
	c := Client(t)
	c.AddHook(newStrict(func(fault string) { t.Error(fault) }))
	return c
}

// strict is the hook of a Strict client.
type strict struct {
	fault func(string)

	mu      sync.Mutex
	scripts map[string]state // by hash
}

// state is whether a script has been run and loaded.
type state int

const (
	untried state = iota
	missing       // the client received NOSCRIPT
	loaded        // the client has loaded it since
)

func newStrict(fault func(string)) *strict { return &strict{fault: fault, scripts: map[string]state{}} }

func (s *strict) DialHook(next redis.DialHook) redis.DialHook { return next }

func (s *strict) ProcessHook(next redis.ProcessHook) redis.ProcessHook {
	return func(ctx context.Context, cmd redis.Cmder) error {
		s.check(cmd)
		if s.forgotten(cmd) {
			return cmd.Err()
		}
		return next(ctx, cmd)
	}
}

func (s *strict) ProcessPipelineHook(next redis.ProcessPipelineHook) redis.ProcessPipelineHook {
	return func(ctx context.Context, cmds []redis.Cmder) error {
		if cmds[0].Name() == "multi" {
			s.check(cmds...)
			return next(ctx, cmds)
		}
		var first error
		sent := make([]redis.Cmder, 0, len(cmds))
		for _, cmd := range cmds {
			s.check(cmd)
			if !s.forgotten(cmd) {
				sent = append(sent, cmd)
			} else if first == nil {
				first = cmd.Err()
			}
		}
		if len(sent) == 0 {
			return first
		}
		return errors.Join(next(ctx, sent), first)
	}
}

// forgotten answers the run of a script that is not loaded in place of the server.
func (s *strict) forgotten(cmd redis.Cmder) bool {
	s.mu.Lock()
	defer s.mu.Unlock()
	switch args := cmd.Args(); cmd.Name() {
	case "script":
		if len(args) == 3 && args[1] == "load" {
			if sha := redis.NewScript(fmt.Sprint(args[2])).Hash(); s.scripts[sha] == missing {
				s.scripts[sha] = loaded
			}
		}
	case "evalsha":
		sha := fmt.Sprint(args[1])
		if s.scripts[sha] != loaded {
			s.scripts[sha] = missing
			cmd.SetErr(noScriptError{})
			return true
		}
	}
	return false
}

// noScriptError is the error of a server without the script.
type noScriptError struct{}

func (noScriptError) Error() string { return "NOSCRIPT No matching script. Please use EVAL." }
func (noScriptError) RedisError()   {}

// check reports a fault if the keys of commands that must run together are not in one slot.
func (s *strict) check(cmds ...redis.Cmder) {
	first := ""
	for _, cmd := range cmds {
		for _, key := range keysOf(cmd.Name(), cmd.Args()) {
			tag := tagOf(fmt.Sprint(key))
			if first == "" {
				first = tag
			}
			if tag != first {
				s.fault(fmt.Sprintf("%s has keys of two slots, {%s} and {%s}: %v", cmd.Name(), first, tag, cmd.Args()))
				return
			}
		}
	}
}

// keysOf returns the keys of a command.
func keysOf(name string, args []any) []any {
	switch name {
	case "evalsha", "eval", "evalsha_ro", "eval_ro":
		return counted(args[2:])
	case "zunion", "zinter", "zdiff", "sintercard":
		return counted(args[1:])
	case "zunionstore", "zinterstore", "zdiffstore":
		return append(counted(args[2:]), args[1])
	case "del", "unlink", "exists", "touch", "mget", "sunion", "sinter", "sdiff", "sunionstore", "sinterstore", "sdiffstore",
		"rename", "renamenx", "pfcount", "pfmerge", "watch":
		return args[1:]
	case "copy", "smove", "lmove", "rpoplpush":
		return args[1:3]
	case "bitop":
		return args[2:]
	case "mset", "msetnx":
		return everySecond(args[1:])
	case "xread", "xreadgroup":
		streams := slices.IndexFunc(args, func(a any) bool { return a == "streams" }) + 1
		return args[streams : streams+(len(args)-streams)/2]
	case "multi", "exec", "ping", "script", "publish", "info", "time", "flushdb", "flushall", "dbsize", "scan", "client", "config",
		"wait", "cluster", "subscribe", "unsubscribe", "psubscribe":
		return nil
	}
	return args[1:min(2, len(args))] // the others have one key
}

// counted returns the keys that follow their number.
func counted(args []any) []any {
	n := 0
	_, _ = fmt.Sscan(fmt.Sprint(args[0]), &n)
	return slices.Clone(args[1 : 1+n])
}

func everySecond(args []any) (keys []any) {
	for i := 0; i < len(args); i += 2 {
		keys = append(keys, args[i])
	}
	return keys
}

// tagOf returns the part of a key that determines its slot.
func tagOf(key string) string {
	if _, rest, found := strings.Cut(key, "{"); found {
		if tag, _, closed := strings.Cut(rest, "}"); closed && tag != "" {
			return tag
		}
	}
	return key
}
