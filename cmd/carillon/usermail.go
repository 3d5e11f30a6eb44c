package main

import (
	"context"

	"github.com/carillonhq/carillon/internal/config"
	"github.com/carillonhq/carillon/notifier/person"
)

type userMailCmd struct {
	Name    string `arg:"" help:"The user."`
	Address string `arg:"" help:"Their mail address; an empty text removes it."`
}

// Run sets the mail address of a user.
func (u userMailCmd) Run(ctx context.Context, cfg config.Config, c *console) error {
	return c.withPeople(ctx, cfg, func(people *person.People) error {
		if err := people.SetMail(ctx, commandLine(), u.Name, u.Address); err != nil {
			return missed(err, "user %q", u.Name)
		}
		return c.result(map[string]string{"name": u.Name, "email": u.Address}, "%s gets mail at %q", u.Name, u.Address)
	})
}
