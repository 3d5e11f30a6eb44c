//go:build linux

package main

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"sync"
	"sync/atomic"
	"time"

	"github.com/carillonhq/carillon/bench/load"
	"github.com/carillonhq/carillon/notifier"
	"github.com/carillonhq/carillon/notifier/pipeline"
	"github.com/carillonhq/carillon/notifier/route"
	"github.com/carillonhq/carillon/store"
)

// accepting measures how many notices are accepted, each on the disk of SQL before
// its sender is answered. Nobody delivers them meanwhile.
func (w *world) accepting(ctx context.Context) ([]row, error) {
	var rows []row
	for _, name := range databaseNames() {
		single, batched := series{}, series{}
		for range w.opt.repeat {
			err := w.onDatabase(ctx, name, func(d *database) error {
				if err := d.people(ctx, w.opt.streams); err != nil {
					return err
				}
				p := pipeline.New(pipeline.Config{Store: d.st, Redis: w.rdb, Keys: w.space, Inbox: w.inbox, Router: route.New(d.st, nil), Log: w.log})
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

func (w *world) acceptRate(ctx context.Context, p *pipeline.Pipeline, senders, batch, count int, rate series) error {
	began := time.Now()
	if err := w.sendMany(ctx, p, 0, senders, batch, count); err != nil {
		return err
	}
	rate.add(ours, float64(count)/time.Since(began).Seconds())
	return nil
}

// sendMany has so many senders send in batches, each the next when the last was
// accepted. A sender who is told to wait sends the rest again.
func (w *world) sendMany(ctx context.Context, p *pipeline.Pipeline, run int64, senders, batch, count int) error {
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

func accepted(ctx context.Context, p *pipeline.Pipeline, requests []notifier.Request) error {
	for len(requests) > 0 {
		results := p.SendAll(ctx, requests)
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

// request is a notice to one user, with the mark in its body.
func (w *world) request(user int, m load.Mark) notifier.Request {
	d := w.notice(m, 1).Draft
	d.Target.Users = []string{userName(user + 1)}
	return notifier.Request{Draft: d}
}

// What the whole way is measured at.
const (
	singleRate  = 2_000 // notices a second, one by one
	batchedRate = 8_000 // the same in batches
	smallBatch  = 100
)

// wholeWay measures from the sender's call to the browser's end: accepted in SQL,
// through the intake into the inbox, and out of the stream. The server and this
// program, which stands for its API, share SQLite and the intake.
func (w *world) wholeWay(ctx context.Context) ([]row, error) {
	single, batched, singleP99, batchedP99, wrong := series{}, series{}, series{}, series{}, series{}
	for range w.opt.repeat {
		if err := w.reset(ctx); err != nil {
			return nil, err
		}
		if err := w.wholeWayOnce(ctx, single, batched, singleP99, batchedP99, wrong); err != nil {
			return nil, err
		}
	}
	return []row{
		batched.row("5b", "the whole way, batches of 100", "1/s", atLeast(14_000)),
		single.row("5b", "the whole way, one by one, 64 callers", "1/s", atLeast(8_000)),
		singleP99.row("5b", "p99 at 2,000/s one by one", "ms", atMost(10)),
		batchedP99.row("5b", "p99 at 8,000/s batched", "ms", atMost(30)),
		wrong.row("5b", "events lost, doubled or misrouted", "", never()),
	}, nil
}

func (w *world) wholeWayOnce(ctx context.Context, single, batched, singleP99, batchedP99, wrong series) (err error) {
	t, err := w.target(ctx, ours)
	if err != nil {
		return err
	}
	defer func() { err = stopped(t.process, err) }()
	st, err := store.Open(ctx, store.Config{DataDir: w.dataDir()})
	if err != nil {
		return err
	}
	defer func() { err = errors.Join(err, st.Close()) }()
	p := pipeline.New(pipeline.Config{Store: st, Redis: w.rdb, Keys: w.space, Inbox: w.inbox, Router: route.New(st, nil), Log: w.log})
	running, stop := context.WithCancel(ctx)
	ended := make(chan error, 1)
	go func() { ended <- p.RunIntake(running) }()
	defer func() { stop(); err = errors.Join(err, <-ended) }()
	fleet, err := allStreams(ctx, w.fleet(t))
	if err != nil {
		return err
	}
	defer fleet.Close()
	t.one = func(ctx context.Context, user int, m load.Mark) error {
		return accepted(ctx, p, []notifier.Request{w.request(user, m)})
	}
	faults := 0.0
	step := func(count int, publish func(run int64) error) (load.Result, time.Duration, error) {
		r, took, err := w.sent(ctx, fleet, int64(count), publish)
		faults += wrongOf(r, count)
		return r, took, err
	}
	count := w.opt.scaled(5 * singleRate)
	r, _, err := step(count, func(run int64) error { return w.paced(ctx, t, run, count, singleRate, w.opt.streams) })
	if err != nil {
		return err
	}
	singleP99.add(ours, r.Latency.Milliseconds(0.99))
	count = w.opt.scaled(5 * batchedRate)
	r, _, err = step(count, func(run int64) error { return w.pacedBatches(ctx, p, run, count) })
	if err != nil {
		return err
	}
	batchedP99.add(ours, r.Latency.Milliseconds(0.99))
	for batch, rate := range map[int]series{1: single, smallBatch: batched} {
		count = w.opt.scaled(60_000)
		senders := callers / min(batch, 16)
		r, took, err := step(count, func(run int64) error { return w.sendMany(ctx, p, run, senders, batch, count) })
		if err != nil {
			return err
		}
		rate.add(ours, float64(r.Marks)/took.Seconds())
	}
	wrong.add(ours, faults)
	return nil
}

// pacedBatches sends batches at an even pace, each when it is due.
func (w *world) pacedBatches(ctx context.Context, p *pipeline.Pipeline, run int64, count int) error {
	begin := time.Now()
	var all sync.WaitGroup
	var failed firstError
	numbers := make([]int, count)
	for i := range numbers {
		numbers[i] = i
	}
	for batch := range slices.Chunk(numbers, smallBatch) {
		due := begin.Add(time.Duration(float64(batch[0]) / batchedRate * float64(time.Second)))
		sleepUntil(due)
		requests := make([]notifier.Request, 0, len(batch))
		for _, n := range batch {
			user, m := markOf(run, n, w.opt.streams, due)
			requests = append(requests, w.request(user, m))
		}
		all.Go(func() { failed.set(accepted(ctx, p, requests)) })
	}
	all.Wait()
	return errors.Join(failed.get(), ctx.Err())
}
