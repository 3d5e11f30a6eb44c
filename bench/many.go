//go:build linux

package main

import (
	"context"
	"errors"
	"fmt"
	"time"

	"github.com/carillonhq/carillon/bench/load"
	"github.com/carillonhq/carillon/notifier"
	"github.com/carillonhq/carillon/notifier/pipeline"
	"github.com/carillonhq/carillon/notifier/route"
)

const (
	crowdRole  = "everybody"
	crowdSize  = 100_000
	besideRate = 100 // notices per second to single users at the same time
)

// manyInboxes measures the time from sending one notice to 100,000 users until the last inbox
// has it. At the same time it sends notices to single users and measures the time until each is
// in the inbox.
func (w *world) manyInboxes(ctx context.Context) ([]row, error) {
	warm, beside, cold := series{}, series{}, series{}
	for range w.opt.repeat {
		err := w.onDatabase(ctx, "SQLite", func(d *database) error {
			if err := d.people(ctx, w.opt.scaled(crowdSize), crowdRole); err != nil {
				return err
			}
			return w.manyOnce(ctx, d, warm, beside, cold)
		})
		if err != nil {
			return nil, err
		}
	}
	return []row{
		warm.row("7", "one notice to 100,000 warm inboxes, all written", "s", atMost(3)),
		beside.row("7", "to single users meanwhile, until it is in the inbox, p99", "ms", atMost(10)),
		cold.row("7", "one notice to 100,000 cold inboxes", "s", atMost(10)),
	}, nil
}

func (w *world) manyOnce(ctx context.Context, d *database, warm, beside, cold series) (err error) {
	p := pipeline.New(pipeline.Config{
		Store: d.st, Redis: w.rdb, Keys: w.space, Inbox: w.inbox, Router: route.New(d.st, nil), Log: w.log,
		Wait: time.Minute, WaitMax: 2 * crowdSize,
	})
	running, stop := context.WithCancel(ctx)
	ended := make(chan error, 1)
	go func() { ended <- p.RunIntake(running) }()
	defer func() { stop(); err = errors.Join(err, <-ended) }()
	took, _, err := w.sendToMany(ctx, p, false)
	if err != nil {
		return err
	}
	cold.add(ours, took.Seconds())
	took, meanwhile, err := w.sendToMany(ctx, p, true)
	if err != nil {
		return err
	}
	warm.add(ours, took.Seconds())
	beside.add(ours, meanwhile.Milliseconds(0.99))
	return nil
}

// confirmAndSend sends a draft as the form does when nothing has to be confirmed.
func confirmAndSend(ctx context.Context, p *pipeline.Pipeline, d notifier.Draft) (notifier.Notice, error) {
	sure, err := p.Confirm(ctx, d)
	if err != nil {
		return notifier.Notice{}, err
	}
	return p.Send(ctx, sure, nil)
}

// sendToMany sends one notice to the crowd. With others, it also sends notices to single users
// at the same time and returns their latencies.
func (w *world) sendToMany(ctx context.Context, p *pipeline.Pipeline, others bool) (took time.Duration, meanwhile load.Histogram, err error) {
	big := w.notice(load.Mark{}, 0).Draft
	big.Target = notifier.Target{Role: crowdRole}
	done := make(chan error, 1)
	began := time.Now()
	go func() {
		n, err := confirmAndSend(ctx, p, big)
		took = time.Since(began)
		if err == nil && n.State != notifier.StateSent {
			err = fmt.Errorf("notice %d is still %s", n.ID, n.State)
		}
		done <- err
	}()
	tick := time.NewTicker(time.Second / besideRate)
	defer tick.Stop()
	for user := 0; ; user++ {
		select {
		case err := <-done:
			return took, meanwhile, err
		case <-tick.C:
		}
		if !others {
			continue
		}
		due := time.Now()
		n, err := confirmAndSend(ctx, p, w.request(user, load.Mark{}).Draft)
		if err == nil && n.State != notifier.StateSent {
			err = fmt.Errorf("notice %d is still %s", n.ID, n.State)
		}
		if err != nil {
			return took, meanwhile, errors.Join(err, <-done)
		}
		meanwhile.Add(time.Since(due))
	}
}
