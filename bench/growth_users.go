//go:build linux

package main

import (
	"context"
	"errors"
	"fmt"
	"time"

	"github.com/carillonhq/carillon/bench/load"
	"github.com/carillonhq/carillon/notifier"
	"github.com/carillonhq/carillon/notifier/notices"
	"github.com/carillonhq/carillon/notifier/route"
)

// growUsers imports each number of users, all in one role, starts a server, and sends a notice to all of them, twice:
// first their inboxes are not in Redis, then they are.
func (w *world) growUsers(ctx context.Context, c *curves) error {
	for _, name := range w.opt.growth.databases {
		for _, size := range c.sizes {
			w.log.Info("measuring", "database", name, "users", size)
			if err := w.onDatabase(ctx, name, func(d *database) error { return w.usersAt(ctx, d, c, name+": ", size) }); err != nil {
				return err
			}
		}
	}
	return nil
}

func (w *world) usersAt(ctx context.Context, d *database, c *curves, on string, size int) (err error) {
	if err := c.took(on+"imported, with one role", size, func() error { return d.people(ctx, size, crowdRole) }); err != nil {
		return err
	}
	if err := w.startOn(ctx, d, c, on, size); err != nil {
		return err
	}
	for _, ask := range []struct {
		what  string
		query notifier.UserQuery
	}{
		{"first page of the people", notifier.UserQuery{Limit: 51}},
		{"a search for people", notifier.UserQuery{Limit: 51, Contains: "99"}},
		{"a page of the role", notifier.UserQuery{Limit: 51, Role: crowdRole, After: userName(size / 2)}},
		{"latest people", notifier.UserQuery{Limit: 51, ByNewest: true}},
		{"a search that nobody fits", notifier.UserQuery{Limit: 51, Contains: "xyzzy"}},
		{"people of a name, complete", notifier.UserQuery{Limit: 51, Contains: userName(size)}},
	} {
		if err := c.took(on+ask.what, size, func() error { _, err := d.st.Users(ctx, ask.query); return err }); err != nil {
			return err
		}
	}
	p := notices.New(notices.Config{
		Store: d.st, Redis: w.rdb, Keys: w.space, Inbox: w.inbox, Router: route.New(d.st, nil), Log: w.log, Wait: time.Hour, WaitMax: 1 << 40,
	})
	running, stop := context.WithCancel(ctx)
	ended := make(chan error, 1)
	go func() { ended <- p.RunIntake(running) }()
	defer func() { stop(); err = errors.Join(err, <-ended) }()
	for _, inboxes := range []string{"cold", "warm"} {
		draft := w.notice(load.Mark{}, 0).Draft
		draft.Target = notifier.Target{Role: crowdRole}
		if err := c.took(on+"a notice to the role, all "+inboxes+" inboxes written", size, func() error {
			n, err := confirmAndSend(ctx, p, draft)
			if err == nil && n.State != notifier.StateSent {
				err = fmt.Errorf("notice %d is still %s", n.ID, n.State)
			}
			return err
		}); err != nil {
			return err
		}
	}
	return w.redisMemory(ctx, c, on, size)
}

// redisMemory adds the memory that Redis uses.
func (w *world) redisMemory(ctx context.Context, c *curves, on string, size int) error {
	used, err := w.usedMemory(ctx)
	if err != nil {
		return err
	}
	c.add(on+"memory of Redis then", "MB", size, used/(1<<20))
	return nil
}
