package main

import (
	"context"
	"errors"
	"fmt"
	"strings"

	"github.com/carillonhq/carillon/internal/config"
	"github.com/carillonhq/carillon/internal/instance"
	"github.com/carillonhq/carillon/internal/session"
	"github.com/carillonhq/carillon/notifier"
	"github.com/carillonhq/carillon/notifier/person"
	"github.com/carillonhq/carillon/store"
)

type userCmd struct {
	Add    userAddCmd    `cmd:"" help:"Add a user."`
	Import userImportCmd `cmd:"" help:"Add many users from a CSV file, all or none."`
	List   userListCmd   `cmd:"" help:"List users by name."`
	Passwd userPasswdCmd `cmd:"" help:"Set a user's password; signs them out everywhere within seconds."`
	Mail   userMailCmd   `cmd:"" help:"Set the address to which a user gets mail."`
	Role   userRoleCmd   `cmd:"" help:"Add a user to a role, or remove them."`
	Delete userDeleteCmd `cmd:"" help:"Delete a user and all their data."`
}

// userLine is a user as commands print them.
type userLine struct {
	Name     string   `json:"name"`
	Display  string   `json:"display,omitempty"`
	Seq      int64    `json:"seq"`
	Audience string   `json:"audience"`
	Roles    []string `json:"roles"`
	Locale   string   `json:"locale"`
}

func lineOf(u notifier.User, cfg config.Config) userLine {
	return userLine{Name: u.Name, Display: u.Display, Seq: u.Seq, Audience: cfg.Audiences[u.Audience], Roles: append([]string{}, u.Roles...), Locale: u.Locale}
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
	return c.withPeople(ctx, cfg, func(people *person.People) error {
		user, err := people.Add(ctx, commandLine(), added)
		if err != nil {
			return missed(err, "user %q", u.Name)
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
	return c.withPeople(ctx, cfg, func(people *person.People) error {
		if err := people.SetPassword(ctx, commandLine(), u.Name, hash); err != nil {
			return missed(err, "user %q", u.Name)
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
	return c.withPeople(ctx, cfg, func(people *person.People) error {
		if err := people.GrantRole(ctx, commandLine(), r.Name, r.Role); err != nil {
			return missed(err, "user %q", r.Name)
		}
		return c.result(r.line(), "%s is in %s", r.Name, r.Role)
	})
}

// Run removes a member.
func (r roleRemoveCmd) Run(ctx context.Context, cfg config.Config, c *console) error {
	return c.withPeople(ctx, cfg, func(people *person.People) error {
		if err := people.RevokeRole(ctx, commandLine(), r.Name, r.Role); err != nil {
			return missed(err, "user %q, or no role %q", r.Name, r.Role)
		}
		return c.result(r.line(), "%s is not in %s", r.Name, r.Role)
	})
}

func (r roleArgs) line() map[string]string { return map[string]string{"name": r.Name, "role": r.Role} }

type userDeleteCmd struct {
	Name string `arg:"" help:"The user."`
}

// Help explains which data is deleted and which is kept.
func (userDeleteCmd) Help() string {
	return "Deletes the account, roles, settings and inbox, and signs the user out everywhere. Also deleted are notices to them alone, their place among the " +
		"recipients of others, the record of what they have read, and their name in the audit log, as a sender and as an actor. Notices that they sent to others stay, without their name. " +
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
		people, closeRedis, reason := instance.NewEraser(ctx, cfg, db, c.log)
		if reason != nil {
			return errors.Join(fmt.Errorf("nobody was deleted: Redis has data of them too, and cannot be reached: %w", reason), closeRedis())
		}
		gone, err := u.delete(ctx, people, c)
		if err = errors.Join(err, closeRedis()); err != nil {
			return err
		}
		return c.result(deleted{gone.Name, gone.Seq, gone.Sessions},
			"deleted %s, who was user %d: signed out of %s; nothing is left of them in SQL or Redis. "+
				"Backups, logs, and files that Redis or PostgreSQL have yet to write anew may hold what was written before.",
			gone.Name, gone.Seq, plural(gone.Sessions, "session"))
	})
}

func (u userDeleteCmd) delete(ctx context.Context, people *person.People, c *console) (notifier.Deleted, error) {
	var bar *progress
	gone, err := people.Delete(ctx, commandLine(), u.Name, func(at, last int64) {
		if bar == nil {
			bar = newProgress(c, "notices", int(last))
		}
		bar.at(int(at))
	})
	if bar != nil {
		bar.end()
	}
	switch {
	case err != nil && gone.Seq > 0:
		return gone, fmt.Errorf("delete user %d, of whom something is left (call it again, or leave it to the server): %w", gone.Seq, err)
	case err != nil:
		return gone, missed(err, "user %q", u.Name)
	}
	return gone, nil
}

type exportCmd struct {
	User string `required:"" placeholder:"NAME" help:"The user."`
}

// Run prints all stored data of a user as JSON, with or without --json.
func (x exportCmd) Run(ctx context.Context, cfg config.Config, c *console) error {
	return c.withPeople(ctx, cfg, func(people *person.People) error {
		return missed(people.Export(ctx, commandLine(), x.User, c.stdout), "user %q", x.User)
	})
}
