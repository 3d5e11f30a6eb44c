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
	Set    appSetCmd    `cmd:"" help:"Change where links of mails and pushes lead the users of an application."`
	List   appListCmd   `cmd:"" help:"List applications, newest first."`
	Rotate appRotateCmd `cmd:"" help:"Give an application a new token key; the old one stays valid until it is revoked."`
	Revoke appRevokeCmd `cmd:"" help:"Revoke an application or one of its keys; every instance refuses its tokens within seconds."`
}

// maxKeyFile bounds how much of a file with a public key is read.
const maxKeyFile = 64 << 10

// readPublicKey returns the content of a file; nil for no name.
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
	Keys      []string  `json:"keys"` // that are valid
	CreatedAt time.Time `json:"created_at"`
	RevokedAt time.Time `json:"revoked_at,omitzero"`
}

func appLineOf(a notifier.App, keys []notifier.AppKey, cfg config.Config) appLine {
	l := appLine{
		ID: a.ID, Name: a.Name, Origins: append([]string{}, a.Origins...), Audience: cfg.Audiences[a.Audience], Roles: append([]string{}, a.Roles...),
		MaxLife: a.MaxLife.String(), Issuer: a.Issuer, JWKS: a.JWKS, Base: a.Base, InboxURL: a.InboxURL, Settings: a.SettingsURL,
		Keys: []string{}, CreatedAt: a.CreatedAt, RevokedAt: a.RevokedAt,
	}
	for _, k := range keys {
		if k.AppID == a.ID && k.RevokedAt.IsZero() {
			l.Keys = append(l.Keys, k.Kid())
		}
	}
	return l
}

// verified says how tokens are verified, or that they no longer are.
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
	Name      string `arg:"" help:"The application."`
	PublicKey string `placeholder:"FILE" help:"The new public key; without it a secret is made."`
}

// rotatedApp is a new key as rotate prints it.
type rotatedApp struct {
	TokenKey string `json:"token_key"`
}

// Run adds a key to an app and prints it.
func (a appRotateCmd) Run(ctx context.Context, cfg config.Config, c *console) error {
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
		err = c.result(rotatedApp{key}, "CARILLON_TOKEN_KEY=%s", key)
		if err == nil && !c.json {
			c.note("the old key stays valid: revoke it with app revoke %s --key N when the application uses the new one", a.Name)
		}
		return err
	})
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
		apps, err := instance.NewApps(cfg, db, c.log, nil)
		if err != nil {
			return err
		}
		return work(apps)
	})
}
