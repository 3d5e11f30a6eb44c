package main

import (
	"context"
	"errors"

	"github.com/carillonhq/carillon/internal/config"
	"github.com/carillonhq/carillon/notifier/person"
)

type userMailCmd struct {
	Name    string  `arg:"" optional:"" help:"The user; with --revive, a user or a mail domain."`
	Address *string `arg:"" optional:"" help:"Their mail address; an empty text removes it."`
	Revive  bool    `help:"Try addresses again at once that were given up or are failing: those of NAME, a user or a mail domain such as example.com, or --all."`
	All     bool    `help:"With --revive: all addresses."`
}

// Validate checks which of the two forms of the command is meant.
func (u userMailCmd) Validate() error {
	switch {
	case u.Revive && (u.Address != nil || u.All == (u.Name != "")):
		return errors.New("--revive takes a user, a mail domain or --all")
	case u.All && !u.Revive:
		return errors.New("--all is for --revive")
	case !u.Revive && (u.Name == "" || u.Address == nil):
		return errors.New("needs NAME and ADDRESS, or --revive with NAME, a mail domain or --all")
	}
	return nil
}

// Run sets the mail address of a user, or revives addresses.
func (u userMailCmd) Run(ctx context.Context, cfg config.Config, c *console) error {
	return c.withPeople(ctx, cfg, func(people *person.People) error {
		if u.Revive {
			n, err := people.ReviveMail(ctx, commandLine(), u.Name)
			if err != nil {
				return missed(err, "user or mail domain %q", u.Name)
			}
			return c.result(map[string]int64{"revived": n}, "addresses tried again: %d", n)
		}
		if err := people.SetMail(ctx, commandLine(), u.Name, *u.Address); err != nil {
			return missed(err, "user %q", u.Name)
		}
		return c.result(map[string]string{"name": u.Name, "email": *u.Address}, "%s gets mail at %q", u.Name, *u.Address)
	})
}
