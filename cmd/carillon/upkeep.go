package main

import (
	"context"
	"errors"
	"fmt"
	"io"
	"net"
	"net/http"
	"net/netip"
	"strings"
	"time"

	"github.com/redis/go-redis/v9"

	"github.com/carillonhq/carillon/internal/config"
	"github.com/carillonhq/carillon/internal/doctor"
	"github.com/carillonhq/carillon/internal/instance"
	"github.com/carillonhq/carillon/store"
)

type healthCmd struct{}

// healthWait is the time limit of the request: a server that takes longer is not healthy.
const healthWait = 4 * time.Second

// Run asks the server of this configuration whether it is ready. It is the health check of the
// container, whose image has no other HTTP client. It prints ok, or degraded while Redis is away,
// and fails if pages do not work.
func (healthCmd) Run(ctx context.Context, cfg config.Config, c *console) error {
	at, err := askedAt(cfg.Addr)
	if err != nil {
		return usageError{err}
	}
	ctx, cancel := context.WithTimeout(ctx, healthWait)
	defer cancel()
	state, err := readiness(ctx, "http://"+at+"/readyz")
	if err != nil {
		return fmt.Errorf("ask %s whether it is ready: %w", at, err)
	}
	return c.result(map[string]string{"state": state}, "%s", state)
}

// askedAt returns the address at which a server listening on addr can be reached from the same
// machine.
func askedAt(addr string) (string, error) {
	host, port, err := net.SplitHostPort(addr)
	if err != nil {
		return "", fmt.Errorf("--addr: %w", err)
	}
	if port == "0" {
		return "", errors.New("--addr has port 0, which is another at each start: give the one that the server has")
	}
	if ip, err := netip.ParseAddr(host); host == "" || err == nil && ip.IsUnspecified() {
		host = "localhost"
	}
	return net.JoinHostPort(host, port), nil
}

// readiness returns the state that a ready server reports, and an error if the server is not ready.
func readiness(ctx context.Context, address string) (string, error) {
	req, err := http.NewRequestWithContext(ctx, http.MethodGet, address, http.NoBody)
	if err != nil {
		return "", err
	}
	// The server is on this machine, so a proxy named in the environment must not be used.
	direct := &http.Transport{DisableKeepAlives: true}
	defer direct.CloseIdleConnections()
	res, err := (&http.Client{Transport: direct}).Do(req)
	if err != nil {
		return "", err
	}
	defer res.Body.Close()
	body, err := io.ReadAll(io.LimitReader(res.Body, 100))
	if err != nil {
		return "", err
	}
	state := strings.TrimSpace(string(body))
	if res.StatusCode != http.StatusOK {
		return "", fmt.Errorf("it answers %s: %q", res.Status, state)
	}
	return state, nil
}

type doctorCmd struct {
	App   string `placeholder:"NAME" and:"token" help:"Explain a token of this application instead."`
	Token string `placeholder:"TOKEN" and:"token" help:"The token; - reads it from standard input, so that the shell does not record it."`
}

// Run prints each finding as soon as it is available. It fails if any check fails.
func (d doctorCmd) Run(ctx context.Context, cfg config.Config, c *console) error {
	if d.App != "" {
		return d.explainToken(ctx, cfg, c)
	}
	fails, err := doctor.Examine(ctx, doctor.Config{
		Settings: &cfg, Log: c.log,
		Redis:  func(ctx context.Context) (redis.UniversalClient, error) { return instance.RedisBeside(ctx, cfg) },
		Store:  func(ctx context.Context) (*store.Store, error) { return instance.OpenStore(ctx, cfg) },
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

// explainToken says what a token says, or in one sentence what is wrong with it.
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

// maxToken bounds how much is read; the server accepts less.
const maxToken = 64 << 10

type migrateCmd struct{}

// Run brings the database up to date. Every command that opens the database does so as well; this
// one lets administrators choose the time.
func (migrateCmd) Run(ctx context.Context, cfg config.Config, c *console) error {
	return withStore(ctx, cfg, func(*store.Store) error {
		return c.result(map[string]bool{"up_to_date": true}, "the database is up to date")
	})
}
