package main

import (
	"context"
	"errors"
	"fmt"

	"github.com/carillonhq/carillon/internal/session"
	"github.com/carillonhq/carillon/notifier/announcement"
	"github.com/carillonhq/carillon/notifier/inbox"
	"github.com/carillonhq/carillon/notifier/keys"
	"github.com/carillonhq/carillon/notifier/toast"
	"github.com/carillonhq/carillon/store"
)

type userDeleteCmd struct {
	Name string `arg:"" help:"The user."`
}

// Help says what goes and what stays.
func (userDeleteCmd) Help() string {
	return "His account, roles, settings and inbox go, and he is signed out everywhere; so do notices to him alone, his place among the " +
		"recipients of others, what he has read, and his name in the audit log and as a sender. What he sent to others stays, without his name. " +
		"It needs Redis, which knows him too. After a failure call it again: it goes on with what is left."
}

// Run deletes a user everywhere: in SQL, which knows who he was until the end, and
// in Redis before and after.
func (u userDeleteCmd) Run(ctx context.Context, cfg config, c *console) error {
	return withStore(ctx, cfg, func(db *store.Store) error {
		user, err := db.UserByName(ctx, u.Name)
		if err != nil {
			return missed(err, "user %q", u.Name)
		}
		rdb, closeRedis, reason := redisGuarded(ctx, cfg, db, c.log)
		if reason != nil {
			return errors.Join(fmt.Errorf("nobody was deleted: Redis knows him too, and cannot be reached: %w", reason), closeRedis())
		}
		space := keys.New(cfg.RedisPrefix)
		gone := eraser{
			db: db, sessions: session.New(session.Config{SQL: db, Redis: rdb, Space: space, Log: c.log}),
			board:  announcement.New(rdb, space, db, boardOptions(cfg, c.log)),
			inbox:  inbox.New(rdb, space, inbox.Options{Cap: cfg.InboxCap, SQL: db, Log: c.log}),
			toasts: toast.New(rdb, space, toast.Options{Log: c.log}),
		}
		line, err := gone.erase(ctx, user)
		if err == nil {
			err = record(ctx, db, "user.delete", fmt.Sprintf("user %d", user.Seq), "")
		}
		if err = errors.Join(err, closeRedis()); err != nil {
			return fmt.Errorf("delete user %d, who may be half deleted (call it again): %w", user.Seq, err)
		}
		return c.result(line, "deleted %s, who was user %d: signed out of %s; nothing is kept of him in SQL or Redis",
			line.Name, line.Seq, plural(line.Sessions, "session"))
	})
}
