package main

import (
	"context"
	"errors"
	"log/slog"
	"maps"
	"net/http"
	"slices"
	"time"

	"github.com/carillonhq/carillon/internal/session"
	"github.com/carillonhq/carillon/notifier"
	"github.com/carillonhq/carillon/notifier/announcement"
	"github.com/carillonhq/carillon/notifier/epoch"
	"github.com/carillonhq/carillon/notifier/inbox"
	"github.com/carillonhq/carillon/notifier/keys"
	"github.com/carillonhq/carillon/notifier/live"
	"github.com/carillonhq/carillon/notifier/pipeline"
	"github.com/carillonhq/carillon/notifier/route"
	"github.com/carillonhq/carillon/notifier/toast"
	"github.com/carillonhq/carillon/notifier/topic"
	"github.com/carillonhq/carillon/notifier/unread"
)

// boardLease is after how long another instance opens and closes announcements
// when the one that did so has died.
const boardLease = 2 * time.Second

// topicLease is after how long another instance repairs the sets of subscribers when
// the one that did so has died.
const topicLease = 10 * time.Second

// toastLease is after how long another instance clears toasts away when the one that did
// so has died.
const toastLease = 20 * time.Second

// pageWait is how long the page after sending waits to say that it was delivered.
const pageWait = 2 * time.Second

// pipeConfig is what a pipeline of this instance is made of.
func (i *instance) pipeConfig() pipeline.Config {
	return pipeline.Config{
		Store: i.db, Redis: i.rdb, Raw: i.raw, Keys: keys.New(i.cfg.RedisPrefix), Inbox: i.inbox, Router: route.New(i.db, i.topics), Types: i.topics,
		Board: i.board, Hub: i.hub, Unread: i.unread, Toasts: i.toasts, Log: i.log, Limits: limits(i.cfg, i.topics), Wait: pageWait,
		Away: func() bool { return !gate{i.guard}.Open() },
	}
}

// limits is what drafts are measured by.
func limits(cfg config, t *topic.Topics) notifier.Limits {
	return notifier.Limits{
		LinkHosts: cfg.LinkHosts, Keep: cfg.Keep, Toast: cfg.ToastRetention, Audiences: slices.Sorted(maps.Keys(cfg.Audiences)), Expiry: t.Expiry,
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
	i.toasts = toast.New(i.rdb, space, toast.Options{
		Retention: i.cfg.ToastRetention, Log: i.log, Lease: pipeline.NewLease(i.rdb, space, "toasts", toastLease),
	})
	i.hub = live.New(live.Config{
		Redis: i.rdb, Keys: space, Toasts: i.toasts, Posts: posts{i.board}, Badges: pipeline.Badges{Inbox: i.inbox, Board: i.board}, Sessions: i.sessions,
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
	return errors.Join(i.inbox.Load(ctx), i.board.Load(ctx), i.toasts.Load(ctx))
}

// gate tells the hub whether Redis may be used.
type gate struct{ *epoch.Guard }

// Open says so now; Changed says when to ask again.
func (g gate) Open() bool { return g.State() == epoch.Open }
