package instance

import (
	"context"
	"log/slog"
	"time"

	"github.com/redis/go-redis/v9"

	"github.com/carillonhq/carillon/internal/config"
	"github.com/carillonhq/carillon/internal/identity"
	"github.com/carillonhq/carillon/internal/lease"
	"github.com/carillonhq/carillon/internal/session"
	"github.com/carillonhq/carillon/notifier/announcement"
	"github.com/carillonhq/carillon/notifier/inbox"
	"github.com/carillonhq/carillon/notifier/keys"
	"github.com/carillonhq/carillon/notifier/person"
	"github.com/carillonhq/carillon/notifier/toast"
	"github.com/carillonhq/carillon/store"
)

// deletionWait is how long a call of the API waits for a deletion before it continues in the
// background.
const deletionWait = 2 * time.Second

// makePeople makes the changes of users for pages and the API, and what finds out who makes a request.
func (i *instance) makePeople(space keys.Space) {
	i.people = person.New(person.Config{
		Store: i.db, Audit: i.db, Sessions: i.sessions, Toasts: i.toasts, Announcements: i.announcements, Inbox: i.inbox, Topics: i.topics, Hub: i.hub, Looking: i.looking,
		Audiences: i.cfg.Audiences, Clear: clearing(i.cfg, i.db, i.rdb, i.log), Wait: deletionWait,
		Lease: lease.New(i.rdb, space, "deletions", person.DeletionLease), Log: i.log,
	})
	i.who = identity.New(identity.Config{Tokens: i.tokens, People: i.people, Sessions: i.sessions, Stamps: i.sessions, Header: identityHeader(i.cfg.Identity)})
}

// profileNoted logs that a user's profile was not as it should be. The store calls it once for the same fault.
func (i *instance) profileNoted(ctx context.Context, seq int64, notes string) {
	i.log.WarnContext(ctx, "a user's profile is not as it should be, and was mended: what was dropped must be put right where the user comes from",
		"user_id", seq, "mended", notes)
}

// identityHeader returns nil if no proxy signs users in.
func identityHeader(c *config.Identity) *identity.Header {
	if c == nil {
		return nil
	}
	return &identity.Header{
		Name: c.Header, Display: c.NameHeader, Email: c.EmailHeader, Groups: c.GroupsHeader, Separator: c.Separator, StaffGroup: c.StaffGroup, From: c.From, Audience: c.Audience,
	}
}

// NewPeople makes the changes of users for a command, except deletions. A change is published
// before the command ends. If Redis cannot be reached, a server publishes it when it is back.
func NewPeople(cfg config.Config, db *store.Store, log *slog.Logger) (p *person.People, closeRedis func() error) {
	sessions := session.Config{SQL: db, Space: keys.New(cfg.RedisPrefix), Log: log}
	target, err := TargetBeside(cfg)
	if err != nil { // no server runs, so nothing has to be published
		rdb := nowhere(err)
		sessions.Log = nil
		return peopleBeside(cfg, db, rdb, sessions, log), rdb.Close
	}
	rdb := target.Open(nil)
	sessions.Redis = rdb
	return peopleBeside(cfg, db, rdb, sessions, log), rdb.Close
}

// NewEraser makes the changes of users for a command that deletes them, beside a server or without
// one. If Redis cannot be reached, reason is why, and no user may be deleted. closeRedis is never
// nil.
func NewEraser(ctx context.Context, cfg config.Config, db *store.Store, log *slog.Logger) (p *person.People, closeRedis func() error, reason error) {
	rdb, closeRedis, reason := redisGuarded(ctx, cfg, db, log)
	sessions := session.Config{SQL: db, Redis: rdb, Space: keys.New(cfg.RedisPrefix), Log: log}
	return peopleBeside(cfg, db, rdb, sessions, log), closeRedis, reason
}

func peopleBeside(cfg config.Config, db *store.Store, rdb redis.UniversalClient, sessions session.Config, log *slog.Logger) *person.People {
	space := keys.New(cfg.RedisPrefix)
	return person.New(person.Config{
		Store: db, Audit: db, Sessions: session.New(sessions),
		Toasts:        toast.New(rdb, space, toast.Options{Log: log}),
		Announcements: announcement.New(rdb, space, db, announcementOptions(cfg, log)),
		Inbox:         inbox.New(rdb, space, inbox.Options{Cap: cfg.InboxCap, SQL: db, Log: log}),
		Audiences:     cfg.Audiences, Clear: clearing(cfg, db, rdb, log), Log: log,
	})
}

// clearing returns a function that clears copies of deleted data in files: pages in the write-ahead
// log of SQLite, and commands in the append-only file of the built-in Redis. If that fails, SQLite
// and Redis do it later by themselves. The files of an external PostgreSQL or Redis, and all
// backups, are up to their operators.
func clearing(cfg config.Config, db *store.Store, rdb redis.UniversalClient, log *slog.Logger) func(context.Context) {
	return func(ctx context.Context) {
		if err := db.ClearLog(ctx); err != nil {
			log.WarnContext(ctx, "deleted text may stay in carillon.db-wal for now", "err", err)
		}
		if !cfg.Redis.BuiltIn() {
			return
		}
		if err := rdb.BgRewriteAOF(ctx).Err(); err != nil && !redis.HasErrorPrefix(err, "ERR Background append only file rewriting already in progress") {
			log.WarnContext(ctx, "deleted text may stay in the append-only file for now", "err", err)
		}
	}
}
