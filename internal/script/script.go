// Package script runs Lua scripts on Redis, on one node or on a cluster, one by one or in
// pipelines. It sends their hashes and loads missing scripts.
package script

import (
	"context"
	"fmt"
	"strings"

	"github.com/redis/go-redis/v9"
)

// Script is one Lua script. It is immutable.
type Script struct {
	name, src, sha string
	shaArg         any // sha, boxed once
}

// New returns a script. Its source consists of the parts, joined with line feeds: shared functions come before
// the script itself. Read creates the scripts of a package.
func New(name string, parts ...string) *Script {
	src := strings.Join(parts, "\n")
	sha := redis.NewScript(src).Hash()
	return &Script{name: name, src: src, sha: sha, shaArg: sha}
}

// Name returns the name of the script in errors.
func (s *Script) Name() string { return s.name }

// Run runs the script. If the node lacks it, Run loads it and retries once. All keys must
// share a hash tag.
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

// Load loads the scripts on every master.
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

func missing(err error) bool { return redis.HasErrorPrefix(err, "NOSCRIPT") }
