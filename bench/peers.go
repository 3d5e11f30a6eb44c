//go:build linux

package main

import (
	"context"
	"errors"
	"fmt"
	"time"

	"github.com/carillonhq/carillon/bench/bound"
	"github.com/carillonhq/carillon/bench/load"
)

// Peers are servers with the same interface for applications and browsers: a request over HTTP
// sends a message, an event stream receives it. The bounds pass it through Redis and store nothing;
// Carillon answers when the notice is on disk, and has it in the inbox and counted before the stream
// does.

// peerUsers is the number of users who get single notices, each with one stream.
const peerUsers = 2_000

// The rates at which the latency of single notices is measured.
const (
	peerCalm = 1_000
	peerBusy = 5_000
)

// peerSeries are the results by server.
type peerSeries struct {
	memory, first, again, announced, most, calmP50, calmP99, busyRate, busyP99, wrong series
}

func (w *world) peers(ctx context.Context) ([]row, error) {
	s := peerSeries{series{}, series{}, series{}, series{}, series{}, series{}, series{}, series{}, series{}, series{}}
	names := []string{ours, bound.Stdlib}
	if w.opt.peer != "" {
		names = append(names, "peer")
	}
	for range w.opt.repeat {
		if err := w.reset(ctx); err != nil {
			return nil, err
		}
		for _, name := range names {
			if err := w.peerAt(ctx, name, s); err != nil {
				return nil, fmt.Errorf("measure %s: %w", name, err)
			}
		}
	}
	bar := names[len(names)-1]
	return []row{
		s.memory.row("peers", "memory per connection", "KB RSS", atMostOf(0.7, bar)),
		s.first.row("peers", "connects, first time: session from SQL and last used some minutes ago, cold inbox", "1/s", atLeastOf(0.5, bar)),
		s.again.row("peers", "connects, again", "1/s", atLeastOf(0.75, bar)),
		s.announced.row("peers", "one announcement to "+short(float64(w.opt.streams))+" streams, p99", "ms", atMostOf(0.7, bar)),
		s.most.row("peers", "one to one by HTTP, 64 connections", "1/s", atLeastOf(0.9, bar)),
		s.calmP50.row("peers", "the same at 1,000/s, p50", "ms", atMost(2)),
		s.calmP99.row("peers", "the same at 1,000/s, p99", "ms", atMostOf(2, bar)),
		s.busyRate.row("peers", "the same at 5,000/s, arrived", "1/s", atLeast(0.99*peerBusy)),
		s.busyP99.row("peers", "the same at 5,000/s, p99", "ms", atMostOf(2, bar)),
		s.wrong.row("peers", "events lost, doubled or misrouted", "", never()),
	}, nil
}

func (w *world) peerAt(ctx context.Context, name string, s peerSeries) (err error) {
	t, err := w.peer(ctx, name)
	if err != nil {
		return err
	}
	defer func() { err = stopped(t.process, err) }()
	cfg := w.fleet(t.target)
	cfg.Bare = name == "peer"
	before, err := t.rss()
	if err != nil {
		return err
	}
	fleet, o, err := load.Open(ctx, cfg)
	if err != nil {
		return err
	}
	err = pause(ctx, w.holding())
	after, rssErr := t.rss()
	fleet.Close()
	if err := errors.Join(err, rssErr, o.FirstErr, pause(ctx, forgotten)); err != nil {
		return err
	}
	s.memory.add(name, (after-before)/float64(o.Opened))
	s.first.add(name, o.PerSecond())
	if fleet, o, err = load.Open(ctx, cfg); err != nil {
		return err
	}
	s.again.add(name, o.PerSecond())
	err = w.announcePeer(ctx, t, fleet, name, s)
	fleet.Close()
	if err := errors.Join(err, o.FirstErr, pause(ctx, forgotten)); err != nil {
		return err
	}
	cfg.Streams = min(peerUsers, w.opt.streams)
	cfg.Users = cfg.Streams
	if fleet, err = allStreams(ctx, cfg); err != nil {
		return err
	}
	defer fleet.Close()
	return w.singlesAt(ctx, t, fleet, name, s, cfg.Streams)
}

// announcePeer sends messages to all streams, each when the last one has arrived.
func (w *world) announcePeer(ctx context.Context, t *peer, fleet *load.Fleet, name string, s peerSeries) error {
	if err := t.dial(ctx); err != nil {
		return err
	}
	defer t.calls.close()
	for range announced / 2 {
		r, _, err := w.sent(ctx, fleet, int64(w.opt.streams), func(run int64) error {
			return t.many(ctx, load.Mark{Run: run, User: load.Everyone, Due: time.Now()})
		})
		if err != nil {
			return err
		}
		s.announced.add(name, r.Latency.Milliseconds(0.99))
		s.wrong.add(name, wrongOf(r, w.opt.streams))
	}
	return nil
}

// singlesAt sends messages to single users, at two rates and as fast as the connections allow.
func (w *world) singlesAt(ctx context.Context, t *peer, fleet *load.Fleet, name string, s peerSeries, users int) error {
	if err := t.dial(ctx); err != nil {
		return err
	}
	defer t.calls.close()
	const seconds = 6
	for _, rate := range []float64{peerCalm, peerBusy} {
		count := w.opt.scaled(int(seconds * rate))
		r, took, err := w.sent(ctx, fleet, int64(count), func(run int64) error { return w.paced(ctx, t.target, run, count, rate, users) })
		if err != nil {
			return err
		}
		s.wrong.add(name, wrongOf(r, count))
		if rate == peerCalm {
			s.calmP50.add(name, r.Latency.Milliseconds(0.5))
			s.calmP99.add(name, r.Latency.Milliseconds(0.99))
			continue
		}
		s.busyRate.add(name, float64(r.Marks)/took.Seconds())
		s.busyP99.add(name, r.Latency.Milliseconds(0.99))
	}
	count := w.opt.scaled(30_000)
	r, took, err := w.sent(ctx, fleet, int64(count), func(run int64) error { return w.flatOut(ctx, t.target, run, count, users) })
	if err != nil {
		return err
	}
	s.most.add(name, float64(r.Marks)/took.Seconds())
	s.wrong.add(name, wrongOf(r, count))
	return nil
}
