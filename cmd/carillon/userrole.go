package main

import (
	"context"

	"github.com/carillonhq/carillon/internal/config"
	"github.com/carillonhq/carillon/notifier"
	"github.com/carillonhq/carillon/store"
)

type userRoleCmd struct {
	Add    roleAddCmd    `cmd:"" help:"Add a user to a role, which is created if it does not exist."`
	Remove roleRemoveCmd `cmd:"" help:"Remove a user from a role."`
}

type roleArgs struct {
	Name string `arg:"" help:"The user."`
	Role string `arg:"" help:"The role."`
}

type (
	roleAddCmd    struct{ roleArgs }
	roleRemoveCmd struct{ roleArgs }
)

// Run adds a member.
func (r roleAddCmd) Run(ctx context.Context, cfg config.Config, c *console) error {
	return withStore(ctx, cfg, func(db *store.Store) error {
		if err := db.AddRole(ctx, r.Name, r.Role); err != nil {
			return missed(err, "user %q", r.Name)
		}
		if err := record(ctx, db, "user.role.add", notifier.UserNamed(r.Name), r.Role); err != nil {
			return err
		}
		return c.result(r.line(), "%s is in %s", r.Name, r.Role)
	})
}

// Run removes a member.
func (r roleRemoveCmd) Run(ctx context.Context, cfg config.Config, c *console) error {
	return withStore(ctx, cfg, func(db *store.Store) error {
		if err := db.RemoveRole(ctx, r.Name, r.Role); err != nil {
			return missed(err, "user %q, or no role %q", r.Name, r.Role)
		}
		if err := record(ctx, db, "user.role.remove", notifier.UserNamed(r.Name), r.Role); err != nil {
			return err
		}
		return c.result(r.line(), "%s is not in %s", r.Name, r.Role)
	})
}

func (r roleArgs) line() map[string]string { return map[string]string{"name": r.Name, "role": r.Role} }
