package main

import (
	"context"
	"errors"
	"fmt"

	"github.com/carillonhq/carillon/internal/config"
	"github.com/carillonhq/carillon/internal/instance"
	"github.com/carillonhq/carillon/notifier"
	"github.com/carillonhq/carillon/store"
)

type userDeleteCmd struct {
	Name string `arg:"" help:"The user."`
}

// Help explains which data is deleted and which is kept.
func (userDeleteCmd) Help() string {
	return "Deletes the account, roles, settings and inbox, and signs the user out everywhere. Also deleted are notices to them alone, their place among the " +
		"recipients of others, the record of what they have read, and their name in the audit log and as a sender. Notices that they sent to others stay, without their name. " +
		"Redis must be reachable, because it has data of the user too. All notices are searched; if the command is interrupted, the server completes the deletion, or run it again. " +
		"Backups, logs, and the files of a Redis or PostgreSQL of your own may still contain the user's data."
}

// deleted is a deleted user as `user delete` prints them.
type deleted struct {
	Name     string `json:"name"`
	Seq      int64  `json:"seq"`
	Sessions int    `json:"sessions"`
}

// Run deletes a user everywhere, and waits until the deletion is complete.
func (u userDeleteCmd) Run(ctx context.Context, cfg config.Config, c *console) error {
	return withStore(ctx, cfg, func(db *store.Store) error {
		gone, closeRedis, reason := instance.NewEraser(ctx, cfg, db, c.log)
		if reason != nil {
			return errors.Join(fmt.Errorf("nobody was deleted: Redis has data of them too, and cannot be reached: %w", reason), closeRedis())
		}
		line, err := u.delete(ctx, db, gone, c)
		if err = errors.Join(err, closeRedis()); err != nil {
			return err
		}
		return c.result(line, "deleted %s, who was user %d: signed out of %s; nothing is left of them in SQL or Redis. "+
			"Backups, logs, and files that Redis or PostgreSQL have yet to write anew may hold what was written before.",
			line.Name, line.Seq, plural(line.Sessions, "session"))
	})
}

func (u userDeleteCmd) delete(ctx context.Context, db *store.Store, gone instance.Eraser, c *console) (deleted, error) {
	d, sessions, begun, err := gone.Begin(ctx, u.Name)
	if err != nil {
		return deleted{}, missed(err, "user %q", u.Name)
	}
	if begun {
		if err = record(ctx, db, "user.delete", notifier.UserRef(notifier.User{Seq: d.Seq}), ""); err != nil {
			return deleted{}, err
		}
	}
	var bar *progress
	err = gone.Finish(ctx, d, func(at, last int64) {
		if bar == nil {
			bar = newProgress(c, "notices", int(last))
		}
		bar.at(int(at))
	})
	if bar != nil {
		bar.end()
	}
	if err != nil {
		return deleted{}, fmt.Errorf("delete user %d, of whom something is left (call it again, or leave it to the server): %w", d.Seq, err)
	}
	return deleted{Name: d.Name, Seq: d.Seq, Sessions: sessions}, nil
}
