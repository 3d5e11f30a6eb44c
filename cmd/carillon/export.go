package main

import (
	"context"
	"encoding/json"
	"errors"

	"github.com/carillonhq/carillon/internal/config"
	"github.com/carillonhq/carillon/internal/instance"
	"github.com/carillonhq/carillon/notifier"
	"github.com/carillonhq/carillon/notifier/keys"
	"github.com/carillonhq/carillon/notifier/toast"
	"github.com/carillonhq/carillon/store"
)

type exportCmd struct {
	User string `required:"" placeholder:"NAME" help:"The user."`
}

// Run prints all stored data of a user as JSON, with or without --json. The inbox is the one in
// SQL, which a running server updates about a second after each change.
func (x exportCmd) Run(ctx context.Context, cfg config.Config, c *console) error {
	return withStore(ctx, cfg, func(db *store.Store) error {
		all, err := db.ExportUser(ctx, x.User)
		if err != nil {
			return missed(err, "user %q", x.User)
		}
		if all.Toasts, err = exportToasts(ctx, cfg, all.User.Seq); err != nil {
			c.log.WarnContext(ctx, "the export lacks undelivered toasts, which are only in redis", "err", err)
		}
		if err = all.Encode(c.stdout); err != nil {
			return err
		}
		return record(ctx, db, "user.export", notifier.UserRef(all.User), "")
	})
}

// exportToasts reads a user's undelivered toasts. Without an error the result is never nil.
func exportToasts(ctx context.Context, cfg config.Config, seq int64) ([]notifier.ExportedToast, error) {
	target, err := instance.TargetBeside(cfg)
	if err != nil {
		return nil, err
	}
	rdb := target.Open(nil)
	waiting, err := toast.New(rdb, keys.New(cfg.RedisPrefix), toast.Options{}).List(ctx, seq)
	if err = errors.Join(err, rdb.Close()); err != nil {
		return nil, err
	}
	all := make([]notifier.ExportedToast, 0, len(waiting))
	for _, w := range waiting {
		var says notifier.Content
		if json.Unmarshal(w.Content, &says) == nil { // a toast that cannot be decoded is left out
			all = append(all, notifier.ExportedToast{NoticeID: w.NoticeID, RaisedAt: w.RaisedAt, Title: says.Title, Body: says.Body, Link: says.Link})
		}
	}
	return all, nil
}
