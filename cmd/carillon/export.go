package main

import (
	"context"

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
		if err = all.Encode(c.stdout); err != nil {
			return err
		}
		return record(ctx, db, "user.export", x.User, "")
	})
}
