//go:build linux

package main

import (
	"context"
	"strings"
	"sync"
	"time"

	"github.com/carillonhq/carillon/bench/load"
)

const (
	healthyRate = 4_000 // messages per second to all streams that read
	stalledRate = 10    // messages per second to each stream that does not
	stalledBody = 4_000 // characters, so that the kernel's buffers are soon full
	stalledFor  = 16    // seconds; the server cuts a stalled stream after 10
)

// stalled measures how one stream in a hundred that stops reading affects the others: once with
// all streams reading, and once with stalled ones.
func (w *world) stalled(ctx context.Context) ([]row, error) {
	lost, change, cut, calm, rough := series{}, series{}, series{}, series{}, series{}
	for range w.opt.repeat {
		if err := w.reset(ctx); err != nil {
			return nil, err
		}
		base, err := w.withStalled(ctx, false)
		if err != nil {
			return nil, err
		}
		with, err := w.withStalled(ctx, true)
		if err != nil {
			return nil, err
		}
		calm.add(ours, base.p99)
		rough.add(ours, with.p99)
		change.add(ours, 100*(with.p99/base.p99-1))
		lost.add(ours, with.lost)
		cut.add(ours, with.cut)
	}
	return []row{
		lost.row("14", "events lost by others while 1 % of the streams stall", "", never()),
		calm.row("14", "p99 of the others while nobody stalls", "ms", shown()),
		rough.row("14", "p99 of the others while 1 % stall", "ms", shown()),
		change.row("14", "change of that p99", "%", atMost(20)),
		cut.row("14", "last stalled stream cut, after the first was full", "s", atMost(10)),
	}, nil
}

type stalledResult struct {
	p99  float64 // ms, of the streams that read
	lost float64
	cut  float64 // s
}

// withStalled sends the same traffic whether the first hundredth of the streams reads or not.
// The large messages to these streams belong to no run, so that only messages of the other streams
// are counted.
func (w *world) withStalled(ctx context.Context, stall bool) (got stalledResult, err error) {
	t, err := w.target(ctx, ours)
	if err != nil {
		return got, err
	}
	defer func() { err = stopped(t.process, err) }()
	slow := max(w.opt.streams/100, 1)
	cfg := w.fleet(t)
	if stall {
		cfg.Stalled = func(i int) bool { return i < slow }
	}
	fleet, err := allStreams(ctx, cfg)
	if err != nil {
		return got, err
	}
	defer fleet.Close()
	watch := watchCut{fleet: fleet}
	count := w.opt.scaled(stalledFor * healthyRate)
	rate := float64(count) / stalledFor

	flood, stop := context.WithCancel(ctx)
	defer stop()
	var wg sync.WaitGroup
	var failed firstError
	wg.Go(func() { failed.set(w.flood(flood, slow)) })
	if stall {
		wg.Go(func() { watch.run(flood) })
	}
	others := *t
	others.one = func(ctx context.Context, user int, m load.Mark) error {
		m.User = int64(slow + user)
		return t.one(ctx, slow+user, m)
	}
	r, _, err := w.sent(ctx, fleet, int64(count), func(run int64) error {
		return w.paced(ctx, &others, run, count, rate, w.opt.streams-slow)
	})
	stop()
	wg.Wait()
	if err == nil {
		err = failed.get()
	}
	got.p99 = r.Latency.Milliseconds(0.99)
	got.lost = float64(int64(count) - r.Marks + r.Doubled)
	if stall {
		got.cut = watch.took().Seconds()
		got.lost += float64(max(r.Dropped-int64(slow), 0))
	} else {
		got.lost += float64(r.Dropped)
	}
	return got, err
}

// flood sends large notices to the slow users until ctx is done.
func (w *world) flood(ctx context.Context, slow int) error {
	seqs := w.seqs()[:slow]
	tick := time.NewTicker(time.Second / stalledRate)
	defer tick.Stop()
	for {
		n := w.noticeOf(strings.Repeat("x", stalledBody), int64(slow))
		if err := w.deliver(ctx, n, seqs); err != nil && ctx.Err() == nil {
			return err
		}
		select {
		case <-ctx.Done():
			return nil
		case <-tick.C:
		}
	}
}
