//go:build linux

package main

import (
	"context"
	"errors"
	"fmt"
	"sync"
	"sync/atomic"
	"time"

	"github.com/carillonhq/carillon/bench/load"
	"github.com/carillonhq/carillon/notifier"
	"github.com/carillonhq/carillon/notifier/notices"
	"github.com/carillonhq/carillon/notifier/route"
)

// accepting measures the rate of accepting notices. Each is on disk before its sender gets the response. They are not
// delivered during the measurement.
func (w *world) accepting(ctx context.Context) ([]row, error) {
	var rows []row
	for _, name := range databaseNames() {
		single, batched := series{}, series{}
		for range w.opt.repeat {
			err := w.onDatabase(ctx, name, func(d *database) error {
				if err := d.people(ctx, w.opt.streams); err != nil {
					return err
				}
				p := notices.New(notices.Config{Store: d.st, Redis: w.rdb, Keys: w.space, Inbox: w.inbox, Router: route.New(d.st, nil), Log: w.log})
				if err := w.acceptRate(ctx, p, callers, 1, w.opt.scaled(60_000), single); err != nil {
					return err
				}
				return w.acceptRate(ctx, p, 4, 1000, w.opt.scaled(300_000), batched)
			})
			if err != nil {
				return rows, err
			}
		}
		rows = append(rows,
			single.row("9", "accepted one by one, 64 callers, durable in "+name, "1/s", atLeast(7_000)),
			batched.row("9", "accepted in batches of 1,000, durable in "+name, "1/s", atLeast(40_000)))
	}
	return rows, nil
}

func (w *world) acceptRate(ctx context.Context, p *notices.Notices, senders, batch, count int, rate series) error {
	began := time.Now()
	if err := w.sendMany(ctx, p, 0, senders, batch, count); err != nil {
		return err
	}
	rate.add(ours, float64(count)/time.Since(began).Seconds())
	return nil
}

// sendMany sends count notices in batches. Each sender sends its next batch once the last one was accepted. After a
// 429 it resends the rest of its batch.
func (w *world) sendMany(ctx context.Context, p *notices.Notices, run int64, senders, batch, count int) error {
	var next atomic.Int64
	var all sync.WaitGroup
	var failed firstError
	for range senders {
		all.Go(func() {
			for ctx.Err() == nil && failed.get() == nil {
				first := int(next.Add(int64(batch))) - batch
				if first >= count {
					return
				}
				requests := make([]notifier.Request, 0, batch)
				for n := first; n < min(first+batch, count); n++ {
					user, m := markOf(run, n, w.opt.streams, time.Now())
					requests = append(requests, w.request(user, m))
				}
				failed.set(accepted(ctx, p, requests))
			}
		})
	}
	all.Wait()
	return errors.Join(failed.get(), ctx.Err())
}

func accepted(ctx context.Context, p *notices.Notices, requests []notifier.Request) error {
	for len(requests) > 0 {
		results := p.SendAll(ctx, notifier.Actor{Ref: notifier.KeyRef("bench")}, requests)
		var again []notifier.Request
		for i, r := range results {
			if errors.Is(r.Err, notifier.ErrTooMany) {
				again = append(again, requests[i])
			} else if r.Err != nil {
				return fmt.Errorf("send: %w", r.Err)
			}
		}
		requests = again
	}
	return nil
}

// request returns a notice to one user with the mark in its body.
func (w *world) request(user int, m load.Mark) notifier.Request {
	d := w.notice(m, 1).Draft
	d.Target.Users = []string{userName(user + 1)}
	return notifier.Request{Draft: d}
}
