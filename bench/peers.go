//go:build linux

package main

import (
	"context"
	"fmt"

	"github.com/carillonhq/carillon/bench/bound"
)

// Peers are servers with the same interface for applications and browsers: a request over HTTP
// sends a message, an event stream receives it. The durable one keeps the same promise for one notice
// with the least code. The bounds pass a message through Redis and store nothing.

// The rates at which the latency of single notices is measured.
const (
	peerCalm = 1_000
	peerBusy = 2_000
)

// peerSeries are the results by server.
type peerSeries struct {
	memory, first, again             series
	announced, announceCost          series // p99; µs of the server a stream
	most, server, redis, load        series // µs a notice at the highest rate
	calmP50, calmP99, busy50, busy99 series
	cold, warm, beside               series // a notice to a role
	wrong, fsync                     series
}

func newPeerSeries() peerSeries {
	return peerSeries{
		series{},
		series{},
		series{},
		series{},
		series{},
		series{},
		series{},
		series{},
		series{},
		series{},
		series{},
		series{},
		series{},
		series{},
		series{},
		series{},
		series{},
		series{},
	}
}

func (w *world) peers(ctx context.Context) ([]row, error) {
	s := newPeerSeries()
	names := []string{ours, durablePeer, bound.Stdlib, bound.R3Lean}
	if w.opt.peer != "" {
		names = append(names, "peer")
	}
	for range w.opt.repeat {
		for _, name := range names {
			if err := w.reset(ctx); err != nil {
				return nil, err
			}
			if err := w.peerAt(ctx, name, s); err != nil {
				return nil, fmt.Errorf("measure %s: %w", name, err)
			}
		}
		p99, err := w.fsyncs()
		if err != nil {
			return nil, err
		}
		s.fsync.add(ours, p99)
	}
	streams, members := short(float64(w.opt.streams)), short(float64(w.opt.scaled(crowdSize)))
	return []row{
		s.memory.row("peers", "memory per connection", "KB RSS", atMostOf(0.2, bound.Stdlib)),
		s.first.row("peers", "connects, first time: session from SQL and last used some minutes ago, cold inbox", "1/s", atLeastOf(0.75, durablePeer)),
		s.again.row("peers", "connects, again", "1/s", atLeastOf(0.85, durablePeer)),
		s.announced.row("peers", "one announcement to "+streams+" streams, p99", "ms", atMostOf(0.75, bound.Stdlib)),
		s.announceCost.row("peers", "the same, processor time of the server a stream", "µs", atMost(12)),
		s.most.row("peers", "one to one by HTTP, 64 connections", "1/s", atLeastOf(0.65, durablePeer)),
		s.server.row("peers", "the same, processor time a notice: server", "µs", shown()),
		s.redis.row("peers", "Redis", "µs", atMostOf(1.6, durablePeer)),
		s.load.row("peers", "the load tool", "µs", shown()),
		s.calmP50.row("peers", "one to one at 1,000/s, p50", "ms", atMostOf(1.2, durablePeer)),
		s.calmP99.row("peers", "the same, p99", "ms", atMostOf(1.5, durablePeer)),
		s.busy50.row("peers", "one to one at 2,000/s, p50", "ms", atMostOf(1.2, durablePeer)),
		s.busy99.row("peers", "the same, p99", "ms", atMostOf(1.5, durablePeer)),
		s.cold.row("peers", "a notice to a role of "+members+", cold inboxes", "s", atMostOf(2.5, durablePeer)),
		s.warm.row("peers", "the same, warm inboxes", "s", atMostOf(1.5, durablePeer)),
		s.beside.row("peers", "single notices beside it, p99", "ms", atMost(30)),
		s.wrong.row("peers", "events lost, doubled or misrouted", "", never()),
		s.fsync.row("peers", "4 KB written and synced by this program, p99", "ms", shown()),
	}, nil
}
