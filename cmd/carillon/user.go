package main

import (
	"context"
	"fmt"
	"strings"

	"github.com/carillonhq/carillon/internal/config"
	"github.com/carillonhq/carillon/internal/session"
	"github.com/carillonhq/carillon/notifier"
	"github.com/carillonhq/carillon/store"
)

type userCmd struct {
	Add    userAddCmd    `cmd:"" help:"Add a user."`
	Import userImportCmd `cmd:"" help:"Add many users from a CSV file, all or none."`
	List   userListCmd   `cmd:"" help:"List users by name."`
	Passwd userPasswdCmd `cmd:"" help:"Set a user's password; signs them out everywhere within seconds."`
	Role   userRoleCmd   `cmd:"" help:"Add a user to a role, or remove them."`
	Delete userDeleteCmd `cmd:"" help:"Delete a user and all their data."`
}

// userLine is a user as commands print them.
type userLine struct {
	Name     string   `json:"name"`
	Seq      int64    `json:"seq"`
	Audience string   `json:"audience"`
	Roles    []string `json:"roles"`
	Locale   string   `json:"locale"`
}

func lineOf(u notifier.User, cfg config.Config) userLine {
	roles := u.Roles
	if roles == nil {
		roles = []string{}
	}
	return userLine{Name: u.Name, Seq: u.Seq, Audience: cfg.Audiences[u.Audience], Roles: roles, Locale: u.Locale}
}

type userAddCmd struct {
	Name          string   `arg:"" help:"The user's name in your application."`
	PasswordStdin bool     `help:"Read a password from standard input; without this flag the user has no password."`
	Audience      string   `default:"user" help:"Their audience (${default})."`
	Role          []string `placeholder:"ROLE" help:"A role; may be repeated. Members of staff see the staff pages."`
	Locale        string   `placeholder:"TAG" help:"Their language, such as ja; empty: the language of their browser."`
}

// Run adds one user.
func (u userAddCmd) Run(ctx context.Context, cfg config.Config, c *console) error {
	audience, err := cfg.AudienceOf(u.Audience)
	if err != nil {
		return usageError{fmt.Errorf("--audience: %w", err)}
	}
	added := notifier.NewUser{Name: u.Name, Audience: audience, Locale: u.Locale, Roles: u.Role}
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
		if err = record(ctx, db, "user.add", notifier.UserRef(user), strings.Join(user.Roles, ",")); err != nil {
			return err
		}
		return c.result(lineOf(user, cfg), "added %s", user.Name)
	})
}

type userListCmd struct {
	Prefix string `placeholder:"TEXT" help:"Only names that begin with this."`
}

// Run prints all users. It reads the directory page by page.
func (u userListCmd) Run(ctx context.Context, cfg config.Config, c *console) error {
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
func (u userPasswdCmd) Run(ctx context.Context, cfg config.Config, c *console) error {
	hash, err := hashedPassword(c)
	if err != nil {
		return err
	}
	return withStore(ctx, cfg, func(db *store.Store) error {
		if err := db.SetPassword(ctx, u.Name, hash); err != nil {
			return missed(err, "user %q", u.Name)
		}
		if err := record(ctx, db, "user.passwd", notifier.UserNamed(u.Name), ""); err != nil {
			return err
		}
		return c.result(map[string]string{"name": u.Name}, "%s has a new password", u.Name)
	})
}

// hashedPassword reads a password and hashes it. Its errors are in the words of explain.
func hashedPassword(c *console) (string, error) {
	password, err := c.password()
	if err != nil {
		return "", err
	}
	hash, err := session.HashPassword(password)
	return hash, explain(err)
}
