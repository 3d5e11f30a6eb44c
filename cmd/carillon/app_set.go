package main

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"time"

	"github.com/carillonhq/carillon/internal/config"
	"github.com/carillonhq/carillon/notifier"
	"github.com/carillonhq/carillon/notifier/app"
)

type appSetCmd struct {
	Name         string         `arg:"" help:"The application."`
	Origin       []string       `placeholder:"ORIGIN" help:"Another place where its pages are, such as https://shop.example.com; may be repeated."`
	RemoveOrigin []string       `placeholder:"ORIGIN" help:"A place where its pages are no longer; may be repeated."`
	Audience     string         `help:"The audience of users whose token names none."`
	Roles        *[]string      `placeholder:"ROLE,…" help:"All roles that its tokens may give, never staff; empty: none."`
	MaxLife      *time.Duration `help:"The longest life of a token, from 1m to 24h."`
	Issuer       *string        `placeholder:"TEXT" help:"What tokens must have in iss; empty: any."`
	Base         *string        `placeholder:"URL" help:"Put before links of its later notices that begin with /, such as https://shop.example.com; empty: the first origin."`
	InboxURL     *string        `name:"inbox-url" placeholder:"URL" help:"Where its users see all their notices; empty: the base."`
	Title        *string        `placeholder:"TEXT" help:"What people call it, in rows, mails and pushes, up to 60 characters; empty: its name."`
	Icon         *string        `placeholder:"URL" help:"Its icon: an https address on one of the hosts of --image-hosts; empty: none."`
	SettingsURL  *string        `name:"settings-url" placeholder:"URL" help:"Where its users choose how they get mail; empty: a page of Carillon that needs no sign-in."`
}

// Run changes an app. Every instance uses the change within seconds.
func (a appSetCmd) Run(ctx context.Context, cfg config.Config, c *console) error {
	change := notifier.AppChange{
		Base: a.Base, InboxURL: a.InboxURL, SettingsURL: a.SettingsURL, AddOrigins: a.Origin, RemoveOrigins: a.RemoveOrigin,
		Roles: a.Roles, MaxLife: a.MaxLife, Issuer: a.Issuer, Title: a.Title, Icon: a.Icon,
	}
	if change.Roles != nil {
		named := slices.DeleteFunc(*change.Roles, func(role string) bool { return role == "" }) // --roles= means no roles
		change.Roles = &named
	}
	if a.Audience != "" {
		audience, err := cfg.AudienceOf(a.Audience)
		if err != nil {
			return usageError{fmt.Errorf("--audience: %w", err)}
		}
		change.Audience = &audience
	}
	if change.String() == "" {
		return usageError{errors.New("say what to change, such as --origin, --base or --max-life")}
	}
	return c.withApps(ctx, cfg, func(apps *app.Apps) error {
		changed, err := apps.Change(ctx, commandLine(), a.Name, change)
		if err != nil {
			return missed(explainApp(err), "application %q", a.Name)
		}
		return c.result(appLineOf(changed, nil, cfg), "%s is changed", a.Name)
	})
}
