package main

import (
	"context"
	"errors"
	"fmt"

	"github.com/redis/go-redis/v9"

	"github.com/carillonhq/carillon/internal/session"
	"github.com/carillonhq/carillon/notifier"
	"github.com/carillonhq/carillon/notifier/announcement"
	"github.com/carillonhq/carillon/notifier/inbox"
	"github.com/carillonhq/carillon/notifier/keys"
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

// deleted is a user who is no more, as `user delete` prints him.
type deleted struct {
	Name     string `json:"name"`
	Seq      int64  `json:"seq"`
	Sessions int    `json:"sessions"`
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
		line, err := forget(ctx, cfg, db, rdb, user, c)
		if err = errors.Join(err, closeRedis()); err != nil {
			return fmt.Errorf("delete user %d, who may be half deleted (call it again): %w", user.Seq, err)
		}
		return c.result(line, "deleted %s, who was user %d: signed out of %s; nothing is kept of him in SQL or Redis",
			line.Name, line.Seq, plural(line.Sessions, "session"))
	})
}

// forget deletes a user step by step, so that nothing of him is written anew
// behind what is deleted already.
func forget(ctx context.Context, cfg config, db *store.Store, rdb redis.UniversalClient, user notifier.User, c *console) (deleted, error) {
	space := keys.New(cfg.RedisPrefix)
	line := deleted{Name: user.Name, Seq: user.Seq}
	var err error
	if line.Sessions, err = session.New(session.Config{SQL: db, Redis: rdb, Space: space, Log: c.log}).Expel(ctx, user.Seq); err != nil {
		return line, err
	}
	// What he has read is a bit in Redis, which SQL is given again and again.
	board := announcement.New(rdb, space, db, boardOptions(cfg, c.log))
	reader := notifier.Reader{Seq: user.Seq, Audience: user.Audience}
	posts, err := board.List(ctx, reader)
	if err != nil {
		return line, err
	}
	for _, post := range posts.Items {
		if _, err = board.MarkUnread(ctx, reader, post.ID); err != nil && !errors.Is(err, notifier.ErrNotFound) {
			return line, err
		}
	}
	// Once before, as this can be called again only while SQL knows the name; and once
	// after, for what came in between.
	box := inbox.New(rdb, space, inbox.Options{Cap: cfg.InboxCap, SQL: db, Log: c.log})
	if err = box.Erase(ctx, user.Seq); err != nil {
		return line, err
	}
	if _, err = db.DeleteUser(ctx, user.Name); err != nil {
		return line, err
	}
	if err = box.Erase(ctx, user.Seq); err != nil {
		return line, err
	}
	return line, record(ctx, db, "user.delete", fmt.Sprintf("user %d", user.Seq), "")
}
