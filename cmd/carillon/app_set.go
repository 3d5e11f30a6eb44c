package main

import (
	"context"
	"errors"

	"github.com/carillonhq/carillon/internal/config"
	"github.com/carillonhq/carillon/notifier"
	"github.com/carillonhq/carillon/notifier/app"
)

type appSetCmd struct {
	Name        string  `arg:"" help:"The application."`
	Base        *string `placeholder:"URL" help:"Put before links of notices that begin with /, such as https://shop.example.com; empty: the first origin."`
	InboxURL    *string `name:"inbox-url" placeholder:"URL" help:"Where its users see all their notices; empty: the base."`
	SettingsURL *string `name:"settings-url" placeholder:"URL" help:"Where its users choose how they get mail; empty: a page of Carillon that needs no sign-in."`
}

// Run changes an app. Every instance uses the change within seconds.
func (a appSetCmd) Run(ctx context.Context, cfg config.Config, c *console) error {
	change := notifier.AppChange{Base: a.Base, InboxURL: a.InboxURL, SettingsURL: a.SettingsURL}
	if change.String() == "" {
		return usageError{errors.New("say what to change: --base, --inbox-url or --settings-url")}
	}
	return c.withApps(ctx, cfg, func(apps *app.Apps) error {
		changed, err := apps.Change(ctx, commandLine(), a.Name, change)
		if err != nil {
			return missed(explainApp(err), "application %q", a.Name)
		}
		return c.result(appLineOf(changed, nil, cfg), "%s is changed", a.Name)
	})
}
