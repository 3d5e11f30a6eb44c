package main

import (
	"context"
	"errors"
	"fmt"
	"log/slog"
	"maps"
	"net"
	"net/http"
	"slices"
	"sync/atomic"
	"time"

	"github.com/redis/go-redis/v9"

	"github.com/carillonhq/carillon/internal/embedded"
	"github.com/carillonhq/carillon/internal/session"
	"github.com/carillonhq/carillon/notifier"
	"github.com/carillonhq/carillon/notifier/announcement"
	"github.com/carillonhq/carillon/notifier/epoch"
	"github.com/carillonhq/carillon/notifier/inbox"
	"github.com/carillonhq/carillon/notifier/keys"
	"github.com/carillonhq/carillon/notifier/live"
	"github.com/carillonhq/carillon/notifier/pipeline"
	"github.com/carillonhq/carillon/notifier/route"
	"github.com/carillonhq/carillon/notifier/rule"
	"github.com/carillonhq/carillon/notifier/topic"
	"github.com/carillonhq/carillon/notifier/unread"
	"github.com/carillonhq/carillon/store"
)

// boardLease is after how long another instance opens and closes announcements
// when the one that did so has died.
const boardLease = 2 * time.Second

// topicLease is after how long another instance repairs the sets of subscribers when
// the one that did so has died.
const topicLease = 10 * time.Second

// pageWait is how long the page after sending waits to say that it was delivered.
const pageWait = 2 * time.Second

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

// pipeConfig is what a pipeline of this instance is made of.
func (i *instance) pipeConfig() pipeline.Config {
	return pipeline.Config{
		Store: i.db, Redis: i.rdb, Raw: i.raw, Keys: keys.New(i.cfg.RedisPrefix), Inbox: i.inbox, Router: route.New(i.db, i.topics), Types: i.topics,
		Board: i.board, Hub: i.hub, Unread: i.unread, Log: i.log, Limits: limits(i.cfg, i.topics), Wait: pageWait,
		Away: func() bool { return !gate{i.guard}.Open() },
	}
}

// limits is what drafts are measured by.
func limits(cfg config, t *topic.Topics) notifier.Limits {
	return notifier.Limits{
		LinkHosts: cfg.LinkHosts, Keep: cfg.Keep, Audiences: slices.Sorted(maps.Keys(cfg.Audiences)), Expiry: t.Expiry,
	}
}

// boardOptions is what announcements are made of.
func boardOptions(cfg config, log *slog.Logger) announcement.Options {
	return announcement.Options{MaxSeq: cfg.MaxSeq, Audiences: slices.Sorted(maps.Keys(cfg.Audiences)), Log: log}
}

func (i *instance) makeStages(ctx context.Context, demo bool) error {
	signing, err := sessionKeys(i.cfg)
	if err != nil {
		return err
	}
	space := keys.New(i.cfg.RedisPrefix)
	i.inbox = inbox.New(i.rdb, space, inbox.Options{Cap: i.cfg.InboxCap, SQL: i.db, Log: i.log})
	i.unread = unread.New(unread.Config{
		Inbox: i.inbox, Store: i.db, Redis: i.rdb, Keys: space, Log: i.log,
		Leases: func(name string, life time.Duration) unread.Lease { return pipeline.NewLease(i.rdb, space, name, life) },
		Oldest: func(ctx context.Context) (time.Time, bool, error) { return i.pipe.OnItsWay(ctx) }, // the pipeline is made later: it runs this
	})
	board := boardOptions(i.cfg, i.log)
	board.Lease = pipeline.NewLease(i.rdb, space, "announcements", boardLease)
	i.board = announcement.New(i.rdb, space, i.db, board)
	i.sessions = session.New(session.Config{
		Keys: signing, SQL: i.db, Redis: i.rdb, Space: space, Log: i.log,
		Secure: i.cfg.PublicURL != nil && i.cfg.PublicURL.Scheme == "https",
	})
	i.hub = live.New(live.Config{
		Redis: i.rdb, Keys: space, Badges: pipeline.Badges{Inbox: i.inbox, Board: i.board}, Sessions: i.sessions,
		Health: gate{i.guard}, Audiences: slices.Sorted(maps.Keys(i.cfg.Audiences)), Log: i.log,
	})
	i.topics = topic.New(i.rdb, space, i.db, topic.Options{
		Keep: i.cfg.Keep, Log: i.log, Lease: pipeline.NewLease(i.rdb, space, "topics", topicLease),
	})
	i.pipe = pipeline.New(i.pipeConfig())
	if err := i.makeRules(space); err != nil {
		return err
	}
	if err := i.openGate(ctx); err != nil {
		i.log.Warn("redis cannot be used yet", "err", err)
	}
	if err := i.topics.Load(ctx); err != nil {
		return err
	}
	pages, err := i.pages(space, demo)
	if err != nil {
		return err
	}
	applications, err := i.applications()
	if err != nil {
		return err
	}
	mux := http.NewServeMux()
	mux.Handle("GET "+probePath, probe(signing, time.Now))
	mux.Handle("/api/v1/", applications)
	mux.Handle("/", pages)
	i.web = i.server(mux)
	return nil
}

// openGate has the guard look at Redis, and then loads all scripts there. What
// fails is done when Redis comes.
func (i *instance) openGate(ctx context.Context) error {
	if err := i.guard.Check(ctx); err != nil {
		return err
	}
	ctx, cancel := context.WithTimeout(ctx, pingWait)
	defer cancel()
	return errors.Join(i.inbox.Load(ctx), i.board.Load(ctx))
}

// gate tells the hub whether Redis may be used.
type gate struct{ *epoch.Guard }

// Open says so now; Changed says when to ask again.
func (g gate) Open() bool { return g.State() == epoch.Open }

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
