//go:build linux

package main

import (
	"context"
	"crypto/rand"
	"encoding/hex"
	"errors"
	"fmt"
	"log/slog"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"sync/atomic"
	"time"

	"github.com/redis/go-redis/v9"
	"github.com/redis/go-redis/v9/maintnotifications"

	"github.com/carillonhq/carillon/internal/embedded"
	"github.com/carillonhq/carillon/notifier/inbox"
	"github.com/carillonhq/carillon/notifier/keys"
)

// world is shared by all lines: a directory, a redis-server configured like the built-in one,
// the program, and users with sessions.
type world struct {
	opt         options
	log         *slog.Logger
	dir         string
	self        string // path of this program, to run it as a bound
	carillon    string // path of carillon, once it is built
	sessionKeys string

	lock   *embedded.Lock
	server *embedded.Server
	socket string
	rdb    *redis.Client
	space  keys.Space
	inbox  *inbox.Inbox

	members []member     // set by crowd
	notices atomic.Int64 // last ID of a notice
	runs    int64        // last run number of marks
}

func newWorld(ctx context.Context, opt options, log *slog.Logger) (*world, error) {
	dir, err := os.MkdirTemp("", "carillon-bench-")
	if err != nil {
		return nil, fmt.Errorf("make a directory: %w", err)
	}
	key := make([]byte, 32)
	_, _ = rand.Read(key) // never fails
	w := &world{opt: opt, log: log, dir: dir, space: keys.New("carillon:"), sessionKeys: hex.EncodeToString(key)}
	if w.self, err = os.Executable(); err != nil {
		return nil, errors.Join(fmt.Errorf("find this program: %w", err), w.close())
	}
	if err := w.startRedis(ctx); err != nil {
		return nil, errors.Join(err, w.close())
	}
	return w, nil
}

// close stops Redis and removes all files written.
func (w *world) close() error {
	var err error
	if w.rdb != nil {
		err = w.rdb.Close()
	}
	if w.server != nil {
		err = errors.Join(err, w.server.Close())
	}
	if w.lock != nil {
		err = errors.Join(err, w.lock.Close())
	}
	return errors.Join(err, os.RemoveAll(w.dir))
}

// program returns the path of carillon. The first call builds it.
func (w *world) program(ctx context.Context) (string, error) {
	if w.carillon != "" {
		return w.carillon, nil
	}
	path := filepath.Join(w.dir, "carillon")
	cmd := exec.CommandContext(ctx, "go", "install", "./cmd/carillon")
	cmd.Env = append(os.Environ(), "GOBIN="+w.dir)
	if out, err := cmd.CombinedOutput(); err != nil {
		return "", fmt.Errorf("build carillon (run this in the root of the repository): %w\n%s", err, out)
	}
	w.carillon = path
	return path, nil
}

func (w *world) startRedis(ctx context.Context) (err error) {
	if w.lock, err = embedded.LockDir(filepath.Join(w.dir, "redis")); err != nil {
		return err
	}
	if w.server, err = embedded.Start(ctx, w.lock, embedded.Options{Log: w.log}); err != nil {
		return err
	}
	var child bool
	if w.socket, child = strings.CutPrefix(w.server.URL(), "unix://"); !child {
		return errors.New("redis-server is not on PATH")
	}
	w.rdb = redis.NewClient(&redis.Options{
		Network: "unix", Addr: w.socket, PoolSize: 80,
		ReadBufferSize: 128 << 10, WriteBufferSize: 128 << 10,
		MaintNotificationsConfig: &maintnotifications.Config{Mode: maintnotifications.ModeDisabled},
	})
	w.inbox = inbox.New(w.rdb, w.space, inbox.Options{})
	return w.inbox.Load(ctx)
}

// reset empties Redis and its append-only file for the next measurement. No instance of
// Carillon may be running.
func (w *world) reset(ctx context.Context) error {
	if err := w.rdb.FlushAll(ctx).Err(); err != nil {
		return fmt.Errorf("empty redis: %w", err)
	}
	if err := w.rewritten(ctx); err != nil { // Redis may have started one by itself
		return err
	}
	if err := w.rdb.BgRewriteAOF(ctx).Err(); err != nil {
		return fmt.Errorf("shrink the append-only file: %w", err)
	}
	return w.rewritten(ctx)
}

// rewritten waits until no rewrite of the append-only file is in progress.
func (w *world) rewritten(ctx context.Context) error {
	for {
		info, err := w.rdb.Info(ctx, "persistence").Result()
		if err != nil {
			return fmt.Errorf("wait for the append-only file: %w", err)
		}
		if strings.Contains(info, "aof_rewrite_in_progress:0") && strings.Contains(info, "aof_rewrite_scheduled:0") {
			return nil
		}
		if err := pause(ctx, 20*time.Millisecond); err != nil {
			return err
		}
	}
}

// stopped stops a server and joins the error of stopping it to err.
func stopped(p *process, err error) error { return errors.Join(err, p.stop()) }
