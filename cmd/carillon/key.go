package main

import (
	"context"
	"errors"
	"strconv"
	"strings"
	"time"

	"github.com/carillonhq/carillon/internal/config"
	"github.com/carillonhq/carillon/notifier"
	"github.com/carillonhq/carillon/notifier/app"
	"github.com/carillonhq/carillon/store"
)

type keyCmd struct {
	Add    keyAddCmd    `cmd:"" help:"Create a key for an application, and print it once."`
	List   keyListCmd   `cmd:"" help:"List keys, newest first."`
	Revoke keyRevokeCmd `cmd:"" help:"Revoke a key; every instance refuses it within seconds."`
}

// keyLine is a key as commands print it.
type keyLine struct {
	ID        int64               `json:"id"`
	Name      string              `json:"name"`
	Scopes    []notifier.KeyScope `json:"scopes"`
	CreatedAt time.Time           `json:"created_at"`
	UsedAt    time.Time           `json:"used_at,omitzero"`
	RevokedAt time.Time           `json:"revoked_at,omitzero"`
	Key       string              `json:"key,omitempty"` // only when the key is created
}

func keyLineOf(k notifier.APIKey) keyLine {
	return keyLine{ID: k.ID, Name: k.Name, Scopes: k.Scopes, CreatedAt: k.CreatedAt, UsedAt: k.UsedAt, RevokedAt: k.RevokedAt}
}

func (l keyLine) scopes() string {
	names := make([]string, len(l.Scopes))
	for i, s := range l.Scopes {
		names[i] = string(s)
	}
	return strings.Join(names, ",")
}

// state describes when the key was revoked or last used.
func (l keyLine) state() string {
	switch {
	case l.RevokedAt.After(time.Now()):
		return "valid until " + l.RevokedAt.Format(time.DateTime)
	case !l.RevokedAt.IsZero():
		return "revoked " + l.RevokedAt.Format(time.DateTime)
	case l.UsedAt.IsZero():
		return "never used"
	}
	return "used " + l.UsedAt.Format(time.DateTime)
}

type keyAddCmd struct {
	Name  string   `arg:"" help:"The application; several keys may have the same name."`
	Scope []string `required:"" placeholder:"SCOPE" help:"send: its own notices; read: polls and marks whole inboxes of every user, whoever sent; admin: everything. May be repeated."`
}

// Run creates a key. The key itself is printed, and not stored.
func (k keyAddCmd) Run(ctx context.Context, cfg config.Config, c *console) error {
	key := notifier.APIKey{Name: k.Name}
	for _, s := range k.Scope {
		key.Scopes = append(key.Scopes, notifier.KeyScope(s))
	}
	return withStore(ctx, cfg, func(db *store.Store) error {
		added, token, _, err := app.APIKeys{Store: db}.Add(ctx, commandLine(), key, "")
		if invalid := (*notifier.InvalidError)(nil); errors.As(err, &invalid) {
			return usageError{explain(err)}
		}
		if err != nil {
			return explain(err)
		}
		line := keyLineOf(added)
		line.Key = token
		if err = c.result(line, "%s", token); err != nil || c.json {
			return err
		}
		c.note("key %d of %s may %s; it is not shown again", line.ID, line.Name, strings.ReplaceAll(line.scopes(), ",", " and "))
		return nil
	})
}

type keyListCmd struct{}

// Run prints all keys, including revoked ones.
func (keyListCmd) Run(ctx context.Context, cfg config.Config, c *console) error {
	return withStore(ctx, cfg, func(db *store.Store) error {
		all, err := db.Keys(ctx)
		if err != nil {
			return err
		}
		for _, k := range all {
			l := keyLineOf(k)
			if err := c.result(l, "%d\t%s\t%s\t%s", l.ID, l.Name, l.scopes(), l.state()); err != nil {
				return err
			}
		}
		return nil
	})
}

type keyRevokeCmd struct {
	ID int64 `arg:"" help:"The number that key list shows."`
}

// Run revokes a key. Revoking a revoked key changes nothing.
func (k keyRevokeCmd) Run(ctx context.Context, cfg config.Config, c *console) error {
	return withStore(ctx, cfg, func(db *store.Store) error {
		revoked, err := app.APIKeys{Store: db}.Revoke(ctx, commandLine(), k.ID)
		if err != nil {
			return missed(err, "key %s", strconv.FormatInt(k.ID, 10))
		}
		return c.result(keyLineOf(revoked), "key %d of %s is revoked", revoked.ID, revoked.Name)
	})
}
