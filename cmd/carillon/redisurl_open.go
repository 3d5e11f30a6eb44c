package main

import (
	"context"
	"log/slog"
	"time"

	"github.com/redis/go-redis/v9"

	"github.com/carillonhq/carillon/notifier/epoch"
	"github.com/carillonhq/carillon/notifier/inbox"
	"github.com/carillonhq/carillon/notifier/keys"
	"github.com/carillonhq/carillon/notifier/pipeline"
	"github.com/carillonhq/carillon/store"
)

// redisTarget says which Redis: one of the three is set, or none for the
// built-in one.
type redisTarget struct {
	node     *redis.Options
	sentinel *redis.FailoverOptions
	cluster  *redis.ClusterOptions
}

func (t redisTarget) builtIn() bool { return t == redisTarget{} }

// open makes the client; it connects when it is first used.
func (t redisTarget) open() redis.UniversalClient {
	switch {
	case t.cluster != nil:
		return redis.NewClusterClient(t.cluster)
	case t.sentinel != nil:
		return redis.NewFailoverClient(t.sentinel)
	default:
		return redis.NewClient(t.node)
	}
}

// behind makes a client that asks nothing of Redis while the guard's gate is closed.
func (t redisTarget) behind(g *epoch.Guard) redis.UniversalClient {
	switch {
	case t.cluster != nil:
		o := *t.cluster
		o.OnConnect = g.OnConnect
		t = redisTarget{cluster: &o}
	case t.sentinel != nil:
		o := *t.sentinel
		o.OnConnect = g.OnConnect
		t = redisTarget{sentinel: &o}
	default:
		o := *t.node
		o.OnConnect = g.OnConnect
		t = redisTarget{node: &o}
	}
	rdb := t.open()
	g.Attach(rdb)
	return rdb
}

// newGuard makes the guard of a Redis that raw is a client of, one without a gate. The
// resend of a pipeline is called while it heals.
func newGuard(cfg config, raw redis.UniversalClient, db *store.Store, resend func(context.Context, time.Time) error, log *slog.Logger) *epoch.Guard {
	space := keys.New(cfg.RedisPrefix)
	return epoch.New(epoch.Config{
		Raw: raw, Keys: space, Store: db, Log: log, Resend: resend,
		Inboxes: inbox.New(raw, space, inbox.Options{Cap: cfg.InboxCap, SQL: db, Log: log}),
		Lease:   pipeline.NewLease(raw, space, "epoch", epoch.LeaseLife),
	})
}
