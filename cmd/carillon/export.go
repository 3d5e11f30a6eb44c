package main

import (
	"context"
	"encoding/json"
	"errors"

	"github.com/carillonhq/carillon/notifier"
	"github.com/carillonhq/carillon/notifier/keys"
	"github.com/carillonhq/carillon/notifier/toast"
	"github.com/carillonhq/carillon/store"
)

type exportCmd struct {
	User string `required:"" placeholder:"NAME" help:"Whose."`
}

// Run prints everything that is kept of a person as JSON, whatever --json says.
// His inbox is as it was last written behind: a second ago while a server runs.
func (x exportCmd) Run(ctx context.Context, cfg config, c *console) error {
	return withStore(ctx, cfg, func(db *store.Store) error {
		all, err := db.ExportUser(ctx, x.User)
		if err != nil {
			return missed(err, "user %q", x.User)
		}
		if all.Toasts, err = exportToasts(ctx, cfg, all.User.Seq); err != nil {
			c.log.WarnContext(ctx, "the export lacks what waits to pop up, which only redis knows", "err", err)
		}
		if err = all.Encode(c.stdout); err != nil {
			return err
		}
		return record(ctx, db, "user.export", x.User, "")
	})
}

// exportToasts reads what waits to pop up. It is never nil without an error.
func exportToasts(ctx context.Context, cfg config, seq int64) ([]notifier.ExportedToast, error) {
	target, err := targetBeside(cfg)
	if err != nil {
		return nil, err
	}
	rdb := target.open()
	waiting, err := toast.New(rdb, keys.New(cfg.RedisPrefix), toast.Options{}).List(ctx, seq)
	if err = errors.Join(err, rdb.Close()); err != nil {
		return nil, err
	}
	all := make([]notifier.ExportedToast, 0, len(waiting))
	for _, w := range waiting {
		var says notifier.Content
		if json.Unmarshal(w.Content, &says) == nil { // or it says nothing
			all = append(all, notifier.ExportedToast{NoticeID: w.NoticeID, RaisedAt: w.RaisedAt, Title: says.Title, Body: says.Body, Link: says.Link})
		}
	}
	return all, nil
}
