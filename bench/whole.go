//go:build linux

package main

import (
	"context"
	"errors"
	"slices"
	"sync"
	"time"

	"github.com/carillonhq/carillon/bench/load"
	"github.com/carillonhq/carillon/notifier"
	"github.com/carillonhq/carillon/notifier/delivery"
	"github.com/carillonhq/carillon/notifier/notices"
	"github.com/carillonhq/carillon/notifier/route"
	"github.com/carillonhq/carillon/store"
)

// The rates at which the whole path is measured.
const (
	singleRate  = 2_000 // notices per second, one by one
	batchedRate = 8_000 // notices per second, in batches
	smallBatch  = 100
)

// wholeWay measures the path from the sender's call to the browser: accepted in SQL, delivered to the inbox, and out
// of the stream. The server shares SQLite and Redis with this program, which replaces its API.
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
	return w.sending(ctx, nil, func(p *notices.Notices) error {
		return w.wholeWayOf(ctx, t, p, single, batched, singleP99, batchedP99, wrong)
	})
}

// sending runs a pipeline next to the server, on the same SQL and Redis. do sends through it as the server's API
// would.
func (w *world) sending(ctx context.Context, toasts delivery.Toasts, do func(p *notices.Notices) error) (err error) {
	st, err := store.Open(ctx, store.Config{DataDir: w.dataDir()})
	if err != nil {
		return err
	}
	defer func() { err = errors.Join(err, st.Close()) }()
	p := notices.New(notices.Config{
		Store: st, Redis: w.rdb, Keys: w.space, Inbox: w.inbox, Router: route.New(st, nil), Toasts: toasts, Log: w.log,
	})
	running, stop := context.WithCancel(ctx)
	ended := make(chan error, 1)
	go func() { ended <- p.RunIntake(running) }()
	defer func() { stop(); err = errors.Join(err, <-ended) }()
	return do(p)
}

func (w *world) wholeWayOf(ctx context.Context, t *target, p *notices.Notices, single, batched, singleP99, batchedP99, wrong series) error {
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

// pacedBatches sends batches at an even pace.
func (w *world) pacedBatches(ctx context.Context, p *notices.Notices, run int64, count int) error {
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
