package main

import (
	"context"
	"fmt"
	"maps"
	"slices"
	"strings"

	"github.com/carillonhq/carillon/internal/session"
	"github.com/carillonhq/carillon/notifier"
	"github.com/carillonhq/carillon/store"
)

type userCmd struct {
	Add    userAddCmd    `cmd:"" help:"Add a user."`
	Import userImportCmd `cmd:"" help:"Add many users from a CSV file, all or none."`
	List   userListCmd   `cmd:"" help:"List users by name."`
	Passwd userPasswdCmd `cmd:"" help:"Set a user's password; signs him out everywhere within a minute."`
	Role   userRoleCmd   `cmd:"" help:"Add a user to a role, or remove him."`
	Delete userDeleteCmd `cmd:"" help:"Delete a user and everything that is kept of him."`
}

// userLine is a user as commands print him.
type userLine struct {
	Name     string   `json:"name"`
	Seq      int64    `json:"seq"`
	Audience string   `json:"audience"`
	Roles    []string `json:"roles"`
	Locale   string   `json:"locale"`
}

func lineOf(u notifier.User, cfg config) userLine {
	roles := u.Roles
	if roles == nil {
		roles = []string{}
	}
	return userLine{Name: u.Name, Seq: u.Seq, Audience: cfg.Audiences[u.Audience], Roles: roles, Locale: u.Locale}
}

type userAddCmd struct {
	Name          string   `arg:"" help:"The user's name in your application."`
	PasswordStdin bool     `help:"Read a password from standard input; without, the user cannot sign in by one."`
	Audience      string   `default:"user" help:"His audience (${default})."`
	Role          []string `placeholder:"ROLE" help:"A role; may be repeated. Members of staff see the staff pages."`
	Locale        string   `placeholder:"TAG" help:"His language, such as ja; empty: as his browser asks."`
}

// Run adds one user.
func (u userAddCmd) Run(ctx context.Context, cfg config, c *console) error {
	audience, err := audienceOf(u.Audience, cfg)
	if err != nil {
		return usageError{fmt.Errorf("--audience: %w", err)}
	}
	added := store.NewUser{Name: u.Name, Audience: audience, Locale: u.Locale, Roles: u.Role}
	if u.PasswordStdin {
		if added.PasswordHash, err = hashedPassword(c); err != nil {
			return err
		}
	}
	return withStore(ctx, cfg, func(db *store.Store) error {
		user, err := db.CreateUser(ctx, added)
		if err != nil {
			return missed(err, "user %q", u.Name)
		}
		if err = record(ctx, db, "user.add", user.Name, strings.Join(user.Roles, ",")); err != nil {
			return err
		}
		return c.result(lineOf(user, cfg), "added %s", user.Name)
	})
}

type userListCmd struct {
	Prefix string `placeholder:"TEXT" help:"Only names that begin so."`
}

// Run prints every user, a page of the directory at a time.
func (u userListCmd) Run(ctx context.Context, cfg config, c *console) error {
	return withStore(ctx, cfg, func(db *store.Store) error {
		const page = 1000
		after := ""
		for {
			users, err := db.Users(ctx, notifier.UserQuery{Prefix: u.Prefix, After: after, Limit: page})
			if err != nil {
				return err
			}
			for _, user := range users {
				l := lineOf(user, cfg)
				if err = c.result(l, "%s\t%s\t%s\t%s", l.Name, l.Audience, strings.Join(l.Roles, ","), l.Locale); err != nil {
					return err
				}
			}
			if len(users) < page {
				return nil
			}
			after = users[len(users)-1].Name
		}
	})
}

type userPasswdCmd struct {
	Name          string `arg:"" help:"The user."`
	PasswordStdin bool   `required:"" help:"Read the password from standard input."`
}

// Run sets a password.
func (u userPasswdCmd) Run(ctx context.Context, cfg config, c *console) error {
	hash, err := hashedPassword(c)
	if err != nil {
		return err
	}
	return withStore(ctx, cfg, func(db *store.Store) error {
		if err := db.SetPassword(ctx, u.Name, hash); err != nil {
			return missed(err, "user %q", u.Name)
		}
		if err := record(ctx, db, "user.passwd", u.Name, ""); err != nil {
			return err
		}
		return c.result(map[string]string{"name": u.Name}, "%s has a new password", u.Name)
	})
}

// hashedPassword reads a password and hashes it; its faults are explained.
func hashedPassword(c *console) (string, error) {
	password, err := c.password()
	if err != nil {
		return "", err
	}
	hash, err := session.HashPassword(password)
	return hash, explain(err)
}

func audienceOf(name string, cfg config) (notifier.Audience, error) {
	for number, known := range cfg.Audiences {
		if known == name {
			return number, nil
		}
	}
	names := slices.Sorted(maps.Values(cfg.Audiences))
	return 0, fmt.Errorf("there is no %q; there is %s", name, strings.Join(names, ", "))
}
