package main

import (
	"cmp"
	"context"
	"fmt"
	"strings"
)

type serveCmd struct {
	Demo bool `help:"Add users to sign in as, and a few notices; only on a loopback address."`
}

// serving is what serve prints when it answers.
type serving struct {
	URL   string     `json:"url"`
	Addr  string     `json:"addr"` // what it listens on: with port 0, the port taken
	Admin string     `json:"admin,omitempty"`
	Users []demoUser `json:"users,omitempty"`
}

// Run serves until ctx ends.
func (s serveCmd) Run(ctx context.Context, cfg config, c *console) error {
	server, err := build(ctx, cfg, c.log, s.Demo)
	if err != nil {
		return err
	}
	return server.run(ctx, func() error { return s.announce(server, c) })
}

// announce says where to go, once somebody answers there.
func (s serveCmd) announce(server *instance, c *console) error {
	line := serving{URL: server.url, Addr: server.addr, Admin: server.adminURL}
	if s.Demo {
		line.Users = demoUsers()
	}
	if err := c.result(line, "Carillon is at %s", line.URL); err != nil || c.json {
		return err
	}
	if server.cfg.PublicURL != nil {
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
		fmt.Fprintln(c.stdout)
	}
	return nil
}
