package main

import (
	"context"
	"errors"
	"fmt"
	"os"
	"strings"
	"time"

	"github.com/carillonhq/carillon/internal/config"
	"github.com/carillonhq/carillon/internal/instance"
	"github.com/carillonhq/carillon/notifier"
	"github.com/carillonhq/carillon/notifier/app"
	"github.com/carillonhq/carillon/store"
)

type appCmd struct {
	Add    appAddCmd    `cmd:"" help:"Add a host application, and print its keys once."`
	Set    appSetCmd    `cmd:"" help:"Change an application: where its pages are, what its tokens may say, and where links lead its users."`
	List   appListCmd   `cmd:"" help:"List applications, newest first."`
	Rotate appRotateCmd `cmd:"" help:"Give an application a new token key or API key; the old one stays valid until it is revoked."`
	Revoke appRevokeCmd `cmd:"" help:"Revoke an application or one of its keys; every instance refuses its tokens within seconds."`
}

// maxKeyFile is the maximum number of bytes read from a public key file.
const maxKeyFile = 64 << 10

// readPublicKey returns the content of a file; nil if path is empty.
func readPublicKey(path string) ([]byte, error) {
	if path == "" {
		return nil, nil
	}
	info, err := os.Stat(path)
	if err != nil {
		return nil, fmt.Errorf("--public-key: %w", err)
	}
	if info.Size() > maxKeyFile {
		return nil, fmt.Errorf("--public-key: %s is too large for a key", path)
	}
	text, err := os.ReadFile(path)
	if err != nil {
		return nil, fmt.Errorf("--public-key: %w", err)
	}
	return text, nil
}

// appLine is an app as list prints it.
type appLine struct {
	ID        int64     `json:"id"`
	Name      string    `json:"name"`
	Origins   []string  `json:"origins"`
	Audience  string    `json:"audience"`
	Roles     []string  `json:"roles"`
	MaxLife   string    `json:"max_life"`
	Issuer    string    `json:"issuer,omitempty"`
	JWKS      string    `json:"jwks,omitempty"`
	Base      string    `json:"base,omitempty"`
	InboxURL  string    `json:"inbox_url,omitempty"`
	Settings  string    `json:"settings_url,omitempty"`
	Title     string    `json:"title,omitempty"`
	Icon      string    `json:"icon,omitempty"`
	Keys      []string  `json:"keys"` // the valid ones
	CreatedAt time.Time `json:"created_at"`
	RevokedAt time.Time `json:"revoked_at,omitzero"`
}

func appLineOf(a notifier.App, keys []notifier.AppKey, cfg config.Config) appLine {
	l := appLine{
		ID: a.ID, Name: a.Name, Origins: append([]string{}, a.Origins...), Audience: cfg.Audiences[a.Audience], Roles: append([]string{}, a.Roles...),
		MaxLife: a.MaxLife.String(), Issuer: a.Issuer, JWKS: a.JWKS, Base: a.Base, InboxURL: a.InboxURL, Settings: a.SettingsURL, Title: a.Title, Icon: a.Icon,
		Keys: []string{}, CreatedAt: a.CreatedAt, RevokedAt: a.RevokedAt,
	}
	for _, k := range keys {
		if k.AppID == a.ID && k.RevokedAt.IsZero() {
			l.Keys = append(l.Keys, k.Kid())
		}
	}
	return l
}

// verified describes how tokens are verified, or that they no longer are.
func (l *appLine) verified() string {
	switch {
	case !l.RevokedAt.IsZero():
		return "revoked " + l.RevokedAt.Format(time.DateTime)
	case l.JWKS != "":
		return l.JWKS
	}
	return strings.Join(l.Keys, ",")
}

type appListCmd struct{}

// Run prints all apps, including revoked ones.
func (appListCmd) Run(ctx context.Context, cfg config.Config, c *console) error {
	return c.withApps(ctx, cfg, func(apps *app.Apps) error {
		all, keys, err := apps.List(ctx)
		if err != nil {
			return err
		}
		for _, a := range all {
			l := appLineOf(a, keys, cfg)
			if err := c.result(l, "%d\t%s\t%s\t%s\t%s", l.ID, l.Name, l.verified(), l.Audience, strings.Join(l.Origins, ",")); err != nil {
				return err
			}
		}
		return nil
	})
}

type appRotateCmd struct {
	Name      string        `arg:"" help:"The application."`
	PublicKey string        `placeholder:"FILE" xor:"key" help:"The new public key; without it a secret is made."`
	APIKey    bool          `name:"api-key" xor:"key" help:"Replace the API key, by which it sends, instead of the token key."`
	Grace     time.Duration `placeholder:"TIME" help:"With --api-key: how long the old API keys stay valid, such as 24h; without it until they are revoked."`
}

// rotatedApp is a new key as rotate prints it.
type rotatedApp struct {
	TokenKey string `json:"token_key,omitempty"`
	APIKey   string `json:"api_key,omitempty"`
}

// Run adds a key to an app and prints it.
func (a appRotateCmd) Run(ctx context.Context, cfg config.Config, c *console) error {
	switch {
	case a.Grace != 0 && !a.APIKey:
		return usageError{errors.New("--grace: is for --api-key; a token key is revoked by app revoke --key")}
	case a.Grace < 0 || a.Grace > maxGrace:
		return usageError{errors.New("--grace: must be from 0s to 720h")}
	case a.APIKey:
		return c.withApps(ctx, cfg, func(apps *app.Apps) error { return a.apiKey(ctx, c, apps) })
	}
	publicKey, err := readPublicKey(a.PublicKey)
	if err != nil {
		return usageError{err}
	}
	return c.withApps(ctx, cfg, func(apps *app.Apps) error {
		key, err := apps.Rotate(ctx, commandLine(), a.Name, publicKey)
		if errors.Is(err, notifier.ErrConflict) {
			return fmt.Errorf("%s has its keys elsewhere (--jwks), or %d valid keys here already", a.Name, notifier.MaxAppKeys)
		}
		if err != nil {
			return missed(explainApp(err), "application %q", a.Name)
		}
		err = c.result(rotatedApp{TokenKey: key}, "CARILLON_TOKEN_KEY=%s", key)
		if err == nil && !c.json {
			c.note("the old key stays valid: revoke it with app revoke %s --key N when the application uses the new one", a.Name)
		}
		return err
	})
}

// maxGrace is the longest time for which old API keys stay valid next to a new one.
const maxGrace = 30 * 24 * time.Hour

// apiKey adds an API key and prints it.
func (a appRotateCmd) apiKey(ctx context.Context, c *console, apps *app.Apps) error {
	key, err := apps.RotateAPIKey(ctx, commandLine(), a.Name, a.Grace)
	if errors.Is(err, notifier.ErrConflict) {
		return fmt.Errorf("%s has %d valid API keys already: key list shows them, key revoke ends one", a.Name, notifier.MaxAppKeys)
	}
	if err != nil {
		return missed(err, "application %q", a.Name)
	}
	if err = c.result(rotatedApp{APIKey: key}, "CARILLON_API_KEY=%s", key); err != nil || c.json {
		return err
	}
	if a.Grace > 0 {
		c.note("the old API keys of %s stay valid for %s", a.Name, a.Grace)
		return nil
	}
	c.note("the old API key stays valid: revoke it with key revoke N, whose number key list shows, when the application uses the new one")
	return nil
}

type appRevokeCmd struct {
	Name string `arg:"" help:"The application."`
	Key  int64  `placeholder:"N" help:"Only this key: the number in its name, such as 7 of tk_7."`
}

// Run revokes an app or one key.
func (a appRevokeCmd) Run(ctx context.Context, cfg config.Config, c *console) error {
	return c.withApps(ctx, cfg, func(apps *app.Apps) error {
		if a.Key != 0 {
			revoked, err := apps.RevokeKey(ctx, commandLine(), a.Name, a.Key)
			if err != nil {
				return missed(err, "key %d of application %q", a.Key, a.Name)
			}
			return c.result(appLineOf(revoked, nil, cfg), "key tk_%d of %s is revoked", a.Key, a.Name)
		}
		revoked, err := apps.Revoke(ctx, commandLine(), a.Name)
		if err != nil {
			return missed(err, "application %q", a.Name)
		}
		return c.result(appLineOf(revoked, nil, cfg), "%s is revoked", a.Name)
	})
}

// explainApp turns a *notifier.InvalidError about an app into a usageError. It returns other errors
// unchanged.
func explainApp(err error) error {
	var bad *notifier.InvalidError
	if !errors.As(err, &bad) {
		return err
	}
	return usageError{explainAs(err, func(field string) string {
		switch field {
		case "name":
			return field
		case "origins":
			return "--origin"
		}
		return "--" + strings.ReplaceAll(field, "_", "-")
	})}
}

// withApps opens SQL for a command that changes apps.
func (c *console) withApps(ctx context.Context, cfg config.Config, work func(*app.Apps) error) error {
	return withStore(ctx, cfg, func(db *store.Store) error {
		apps, err := instance.NewApps(cfg, db, nil)
		if err != nil {
			return err
		}
		return work(apps)
	})
}
