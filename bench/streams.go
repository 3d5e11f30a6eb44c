//go:build linux

package main

import (
	"context"
	"errors"
	"time"

	"github.com/carillonhq/carillon/bench/load"
)

// idle contains the results of opening and holding streams at one server.
type idle struct {
	memory     float64 // KB per stream
	cold, warm float64 // connects per second, the first and the second time
	first      float64 // ms to the first event, p99
	failed     float64
}

// idleStreams opens all streams at each server, twice, and holds them.
func (w *world) idleStreams(ctx context.Context) ([]row, error) {
	memory, cold, warm, first, failed := series{}, series{}, series{}, series{}, series{}
	for range w.opt.repeat {
		if err := w.reset(ctx); err != nil {
			return nil, err
		}
		for _, name := range streamServers() {
			got, err := w.idleAt(ctx, name)
			if err != nil {
				return nil, err
			}
			memory.add(name, got.memory)
			cold.add(name, got.cold)
			warm.add(name, got.warm)
			first.add(name, got.first)
			failed.add(name, got.failed)
		}
	}
	return []row{
		memory.row("1", "memory per idle signed-in stream", "KB RSS", both(atMost(22), below("stdlib"))),
		cold.row("2", "connects, session from SQL and last used some minutes ago, first badge sent", "1/s", atLeast(9_000)),
		warm.row("2", "connects again, session cached", "1/s", atLeast(9_000)),
		first.row("2", "connect to first event, p99 of the first time", "ms", shown()),
		failed.row("2", "connects that failed", "", never()),
	}, nil
}

func (w *world) idleAt(ctx context.Context, name string) (got idle, err error) {
	t, err := w.target(ctx, name)
	if err != nil {
		return got, err
	}
	defer func() { err = stopped(t.process, err) }()
	if err := w.warmUp(ctx, t); err != nil {
		return got, err
	}
	before, err := t.rss()
	if err != nil {
		return got, err
	}
	fleet, o, err := load.Open(ctx, w.fleet(t))
	if err != nil {
		return got, err
	}
	got.cold, got.failed = o.PerSecond(), float64(o.Failed)
	got.first = o.Latency.Milliseconds(0.99)
	err = pause(ctx, w.holding())
	after, rssErr := t.rss()
	got.memory = (after - before) / float64(o.Opened)
	fleet.Close()
	if err := errors.Join(err, rssErr, pause(ctx, forgotten)); err != nil {
		return got, err
	}
	fleet, o, err = load.Open(ctx, w.fleet(t))
	if err != nil {
		return got, err
	}
	fleet.Close()
	got.warm, got.failed = o.PerSecond(), got.failed+float64(o.Failed)
	return got, o.FirstErr
}

// forgotten is the time after which a server has dropped the users of closed streams. It subscribes again for users
// who return later.
const forgotten = 8 * time.Second

// holding returns how long the streams stay idle before the memory is read.
func (w *world) holding() time.Duration {
	if w.opt.quick {
		return time.Second
	}
	return 6 * time.Second
}

// warmUp opens and closes a few streams, because one-time initialization is not part of the
// cost of a stream. They belong to the last users.
func (w *world) warmUp(ctx context.Context, t *target) error {
	cfg := w.fleet(t)
	cfg.Streams = min(64, w.opt.streams)
	cfg.Request = func(i int) []byte { return t.request(w.opt.streams - 1 - i) }
	fleet, _, err := load.Open(ctx, cfg)
	if err != nil {
		return err
	}
	fleet.Close()
	return pause(ctx, 500*time.Millisecond)
}
