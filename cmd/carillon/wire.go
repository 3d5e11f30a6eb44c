package main

import (
	"context"
	"errors"
	"fmt"
	"log/slog"
	"net"
	"net/http"
	"slices"
	"sync/atomic"
	"time"

	"github.com/redis/go-redis/v9"

	"github.com/carillonhq/carillon/internal/embedded"
	"github.com/carillonhq/carillon/internal/session"
	"github.com/carillonhq/carillon/notifier/announcement"
	"github.com/carillonhq/carillon/notifier/epoch"
	"github.com/carillonhq/carillon/notifier/inbox"
	"github.com/carillonhq/carillon/notifier/live"
	"github.com/carillonhq/carillon/notifier/pipeline"
	"github.com/carillonhq/carillon/notifier/rule"
	"github.com/carillonhq/carillon/notifier/toast"
	"github.com/carillonhq/carillon/notifier/topic"
	"github.com/carillonhq/carillon/notifier/unread"
	"github.com/carillonhq/carillon/store"
)

// instance is one running server: everything it is made of.
type instance struct {
	cfg config
	log *slog.Logger

	raw      redis.UniversalClient // for the guard
	guard    *epoch.Guard
	rdb      redis.UniversalClient // for all others: behind the guard's gate
	db       *store.Store
	sessions *session.Store
	inbox    *inbox.Inbox
	board    *announcement.Board
	hub      *live.Hub
	unread   *unread.Flusher
	topics   *topic.Topics
	toasts   *toast.Toasts
	pipe     *pipeline.Pipeline
	rules    *rule.Runner // nil: there are none

	web, admin    *http.Server
	url, adminURL string
	addr          string // what url leads to, be it through a proxy
	listeners     map[*http.Server]net.Listener
	stopping      atomic.Bool

	closers []func() error // in the order of opening
}

// build opens everything in the order in which one part needs the other, down
// to the listening sockets; nothing works yet. When one part fails, those
// before it are closed.
func build(ctx context.Context, cfg config, log *slog.Logger, demo bool) (_ *instance, err error) {
	i := &instance{cfg: cfg, log: log, listeners: map[*http.Server]net.Listener{}}
	defer func() {
		if err != nil {
			err = errors.Join(err, i.close())
		}
	}()
	// The lock comes first: a second server is to touch nothing.
	var lock *embedded.Lock
	if cfg.Redis.builtIn() {
		if lock, err = embedded.LockDir(cfg.DataDir); err != nil {
			return nil, err
		}
		i.opened(lock.Close)
	}
	// Then SQL, which says whether these users may be shown to the public at all.
	if i.db, err = openStore(ctx, cfg); err != nil {
		return nil, err
	}
	i.opened(i.db.Close)
	if err = refuseDemo(ctx, i.db, cfg, demo); err != nil {
		return nil, err
	}
	fresh := false
	if demo {
		if fresh, err = addDemoUsers(ctx, i.db, cfg); err != nil {
			return nil, fmt.Errorf("add the demo users: %w", err)
		}
		if fresh {
			if err = addDemoTopics(ctx, i.db); err != nil {
				return nil, fmt.Errorf("add the demo topics: %w", err)
			}
		}
	}
	if err = i.openRedis(ctx, lock); err != nil {
		return nil, err
	}
	if err = i.makeStages(ctx, demo); err != nil {
		return nil, err
	}
	if fresh {
		if err = sendDemo(ctx, i.pipeConfig(), append(demoNotices(), demoPosts(cfg)...)); err != nil {
			return nil, err
		}
	}
	return i, i.listen(ctx)
}

// openRedis starts the built-in Redis of a locked directory, or makes a client of the configured one,
// which may be away: then pages are read-only until it comes.
func (i *instance) openRedis(ctx context.Context, lock *embedded.Lock) error {
	target := i.cfg.Redis
	if lock != nil {
		server, err := embedded.Start(ctx, lock, embedded.Options{Log: i.log})
		if err != nil {
			return err
		}
		i.opened(server.Close)
		if target, err = parseRedisURL(server.URL()); err != nil {
			return fmt.Errorf("connect to the built-in redis: %w", err)
		}
	}
	i.raw = target.open()
	i.opened(i.raw.Close)
	i.guard = newGuard(i.cfg, i.raw, i.db, i.resend, i.log)
	i.rdb = target.behind(i.guard)
	i.opened(i.rdb.Close)
	return nil
}

// resend is called by the guard, which is made before the pipeline, when Redis has lost
// something: sets of subscribers may be among it.
func (i *instance) resend(ctx context.Context, since time.Time) error {
	i.topics.Suspect()
	return i.pipe.Resend(ctx, since)
}

func (i *instance) server(h http.Handler) *http.Server {
	return &http.Server{
		Handler: h,
		// A client that stops in the middle of a form or of a page is let go. A
		// stream is not bound by this: live takes its connection over, which
		// lifts both, and has a deadline of its own for each write.
		ReadHeaderTimeout: 5 * time.Second,
		ReadTimeout:       30 * time.Second,
		WriteTimeout:      60 * time.Second,
		IdleTimeout:       120 * time.Second,
		MaxHeaderBytes:    16 << 10,
		ErrorLog:          slog.NewLogLogger(i.log.Handler(), slog.LevelDebug),
	}
}

// opened remembers how to close what was opened last.
func (i *instance) opened(closeIt func() error) { i.closers = append(i.closers, closeIt) }

// close closes what is open, the last opened first: a part may use those
// before it until it is closed.
func (i *instance) close() error {
	var errs []error
	for _, closeIt := range slices.Backward(i.closers) {
		errs = append(errs, closeIt())
	}
	i.closers = nil
	return errors.Join(errs...)
}
