package main

import (
	"context"
	"errors"
	"fmt"
	"io"
	"strings"
	"time"

	"github.com/redis/go-redis/v9"

	"github.com/carillonhq/carillon/internal/config"
	"github.com/carillonhq/carillon/internal/doctor"
	"github.com/carillonhq/carillon/internal/instance"
	"github.com/carillonhq/carillon/notifier/app"
	"github.com/carillonhq/carillon/store"
)

type healthCmd struct{}

// Run asks the server of this configuration whether it is ready. It is the health check of the container, whose image
// has no other HTTP client. It prints ok, or degraded while Redis is unavailable, and fails if pages do not work.
func (healthCmd) Run(ctx context.Context, cfg config.Config, c *console) error {
	at, err := doctor.AskedAt(cfg.Addr)
	if err != nil {
		return usageError{err}
	}
	state, err := doctor.Ready(ctx, at)
	if err != nil {
		return fmt.Errorf("ask %s whether it is ready: %w", at, err)
	}
	return c.result(map[string]string{"state": state}, "%s", state)
}

type doctorCmd struct {
	Silence time.Duration `default:"26s" help:"How long the stream through the proxy is silent, as between two heartbeats; at most 30s, 0 leaves this out."`

	App   string `placeholder:"NAME" and:"token" help:"Explain a token of this application instead."`
	Token string `placeholder:"TOKEN" and:"token" help:"The token; - reads it from standard input, so that the shell does not record it."`
}

// Run prints each finding as soon as it is available. It fails if any check fails.
func (d doctorCmd) Run(ctx context.Context, cfg config.Config, c *console) error {
	if d.App != "" {
		return d.explainToken(ctx, cfg, c)
	}
	fails, err := doctor.Examine(ctx, doctor.Config{
		Settings: &cfg, Log: c.log, Silence: d.Silence,
		Redis: func(ctx context.Context) (redis.UniversalClient, error) { return instance.RedisBeside(ctx, cfg) },
		Store: func(ctx context.Context) (*store.Store, error) { return instance.OpenStore(ctx, cfg) },
		VAPID: func(ctx context.Context, db *store.Store) (string, error) { return instance.VAPIDPublic(ctx, cfg, db) },
		KeySets: func(ctx context.Context, db *store.Store) ([]app.KeySet, error) {
			v, err := instance.NewVerifier(cfg, db, c.log)
			if err != nil {
				return nil, err
			}
			return v.KeySets(ctx)
		},
		Report: func(f doctor.Finding) error { return c.result(f, "%s", f) },
	})
	if err != nil {
		return err
	}
	if fails > 0 {
		return errors.New(plural(fails, "check") + " failed")
	}
	return nil
}

// explainToken prints the contents of a token, or one sentence with its fault.
func (d doctorCmd) explainToken(ctx context.Context, cfg config.Config, c *console) error {
	text := d.Token
	if text == "-" {
		read, err := io.ReadAll(io.LimitReader(c.stdin, maxToken))
		if err != nil {
			return fmt.Errorf("read the token: %w", err)
		}
		text = strings.TrimSpace(string(read))
	}
	return withStore(ctx, cfg, func(db *store.Store) error {
		verifier, err := instance.NewVerifier(cfg, db, c.log)
		if err != nil {
			return err
		}
		t, err := verifier.Explain(ctx, d.App, text)
		if err != nil {
			return err
		}
		life := t.Expires.Sub(t.IssuedAt)
		return c.result(map[string]any{"app": t.App.Name, "sub": t.Subject, "expires_at": t.Expires},
			"the token is good: it is for %q of %s, and lives %v until %s", t.Subject, t.App.Name, life, t.Expires.Format(time.DateTime))
	})
}

// maxToken is the maximum number of bytes read; the server accepts fewer.
const maxToken = 64 << 10

type migrateCmd struct{}

// Run migrates the database. Every command that opens the database does so too; this one lets administrators choose
// the time.
func (migrateCmd) Run(ctx context.Context, cfg config.Config, c *console) error {
	return withStore(ctx, cfg, func(*store.Store) error {
		return c.result(map[string]bool{"up_to_date": true}, "the database is up to date")
	})
}

type configCmd struct{}

// Run prints the settings in the form of a configuration file.
func (configCmd) Run(settings []config.Setting, c *console) error {
	for _, s := range settings {
		if err := c.result(s, "%s", s); err != nil {
			return err
		}
	}
	return nil
}
