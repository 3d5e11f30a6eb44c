package main

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"strings"

	"github.com/carillonhq/carillon/internal/config"
	"github.com/carillonhq/carillon/internal/demo"
	"github.com/carillonhq/carillon/internal/instance"
)

type serveCmd struct {
	Demo bool `help:"Add users to sign in as, and a few notices; only on a loopback address."`
}

// serving is the line that serve prints once the server answers.
type serving struct {
	URL   string      `json:"url"`
	Addr  string      `json:"addr"` // of the listener, with the actual port if port 0 was requested
	Admin string      `json:"admin,omitempty"`
	Shop  string      `json:"shop,omitempty"` // the page of another application, in a demonstration
	Users []demo.User `json:"users,omitempty"`
}

// Run serves until ctx ends.
func (s serveCmd) Run(ctx context.Context, cfg config.Config, c *console) error {
	if _, socket := config.SocketOf(cfg.Addr); socket && cfg.PublicURL == nil {
		return usageError{errors.New("--addr: a socket needs --public-url, which says how browsers reach the server")}
	}
	err := instance.Serve(ctx, instance.Options{Config: cfg, Demo: s.Demo, Build: buildID(), Log: c.log}, func(at instance.Address) error {
		return s.announce(at, cfg.PublicURL != nil, c)
	})
	if errors.Is(err, demo.ErrLocalOnly) {
		return usageError{err}
	}
	return err
}

// announce prints the address of the server. Behind a public URL it also prints the address of the listener.
func (s serveCmd) announce(at instance.Address, public bool, c *console) error {
	line := serving{URL: at.URL, Addr: at.Addr, Admin: at.Admin, Shop: at.Shop}
	if s.Demo {
		line.Users = demo.Users()
	}
	if err := c.result(line, "Carillon is at %s", line.URL); err != nil || c.json {
		return err
	}
	if public {
		fmt.Fprintf(c.stdout, "It listens on %s\n", line.Addr)
	}
	if line.Admin != "" {
		fmt.Fprintf(c.stdout, "Metrics are at %s/metrics\n", line.Admin)
	}
	if s.Demo {
		fmt.Fprintf(c.stdout, "\n  %-8s %-14s %s\n", "user", "password", "roles")
		for _, u := range line.Users {
			fmt.Fprintf(c.stdout, "  %-8s %-14s %s\n", u.Name, u.Password, cmp.Or(strings.Join(u.Roles, ", "), "-"))
		}
		fmt.Fprintf(c.stdout, "\nThe bell in the page of another application: %s\n\n", line.Shop)
	}
	return nil
}
