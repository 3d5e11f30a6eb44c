// Package script runs Lua scripts on Redis, on one node or on a cluster: one
// by one or in pipelines, by their hash, loading them where they are missing.
package script

import (
	"context"
	"errors"
	"fmt"
	"strings"

	"github.com/redis/go-redis/v9"
)

// Script is one Lua script. It never changes.
type Script struct {
	name, src, sha string
	shaArg         any // sha, boxed once
}

// New returns the script with this source. The parts are joined with line
// feeds: functions that several scripts share come before the script itself.
func New(name string, parts ...string) *Script {
	src := strings.Join(parts, "\n")
	sha := redis.NewScript(src).Hash()
	return &Script{name: name, src: src, sha: sha, shaArg: sha}
}

// Name is how errors call the script.
func (s *Script) Name() string { return s.name }

// Run runs the script once. A node that lacks it is given it, and the run is
// tried a second time. All keys must share a hash tag.
func (s *Script) Run(ctx context.Context, rdb redis.UniversalClient, keys []string, args ...any) *redis.Cmd {
	cmd := rdb.EvalSha(ctx, s.sha, keys, args...)
	if !missing(cmd.Err()) {
		return cmd
	}
	if err := Load(ctx, rdb, s); err != nil {
		cmd.SetErr(err)
		return cmd
	}
	return rdb.EvalSha(ctx, s.sha, keys, args...)
}

// Load puts the scripts on every master.
func Load(ctx context.Context, rdb redis.UniversalClient, scripts ...*Script) error {
	load := func(ctx context.Context, c redis.Cmdable) error {
		_, err := c.Pipelined(ctx, func(p redis.Pipeliner) error {
			for _, s := range scripts {
				p.ScriptLoad(ctx, s.src)
			}
			return nil
		})
		return err
	}
	var err error
	if cluster, ok := rdb.(*redis.ClusterClient); ok {
		err = cluster.ForEachMaster(ctx, func(ctx context.Context, c *redis.Client) error { return load(ctx, c) })
	} else {
		err = load(ctx, rdb)
	}
	if err != nil {
		return fmt.Errorf("load %d scripts: %w", len(scripts), err)
	}
	return nil
}

// Away says whether err means that Redis cannot be reached or cannot serve now.
// It is false when Redis refused what was asked, and when the caller gave up.
func Away(err error) bool {
	if err == nil || errors.Is(err, context.Canceled) {
		return false
	}
	var answer redis.Error
	if !errors.As(err, &answer) {
		return true
	}
	for _, prefix := range []string{"LOADING", "CLUSTERDOWN", "MASTERDOWN", "READONLY", "TRYAGAIN", "MISCONF", "OOM", "BUSY "} {
		if redis.HasErrorPrefix(err, prefix) {
			return true
		}
	}
	return false
}

func missing(err error) bool { return redis.HasErrorPrefix(err, "NOSCRIPT") }
