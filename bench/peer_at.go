//go:build linux

package main

import (
	"context"
	"errors"
	"time"

	"github.com/carillonhq/carillon/bench/load"
)

// peerAt measures one server on an empty Redis. Results disturbed by other programs on the machine are dropped.
func (w *world) peerAt(ctx context.Context, name string, s peerSeries) (err error) {
	t, err := w.peer(ctx, name)
	if err != nil {
		return err
	}
	defer func() { err = stopped(t.process, err) }()
	cfg := w.fleet(t.target)
	cfg.Bare = name == "peer"
	if err := w.connectsAt(ctx, t, cfg, name, s); err != nil {
		return err
	}
	fleet, o, quiet, err := w.openAt(ctx, t, cfg)
	if err != nil {
		return err
	}
	defer fleet.Close()
	if o.FirstErr != nil {
		return o.FirstErr
	}
	if quiet {
		s.again.add(name, o.PerSecond())
	}
	if err := t.dial(ctx); err != nil {
		return err
	}
	defer t.calls.close()
	if err := w.announcePeer(ctx, t, fleet, name, s); err != nil {
		return err
	}
	if err := w.singlesAt(ctx, t, fleet, name, s); err != nil {
		return err
	}
	if name != ours && name != durablePeer {
		return nil // it has no roles
	}
	return w.roleAt(ctx, t, fleet, name, s)
}

// openAt opens all streams. quiet reports whether no other program disturbed the measurement.
func (w *world) openAt(ctx context.Context, t *peer, cfg load.Config) (fleet *load.Fleet, o load.Opening, quiet bool, err error) {
	_, quiet, err = w.quietly(ctx, t.process, quietLimit, func() (err error) {
		fleet, o, err = load.Open(ctx, cfg)
		return err
	})
	return fleet, o, quiet, err
}

// connectsAt opens all streams for the first time, and measures the memory that they need.
func (w *world) connectsAt(ctx context.Context, t *peer, cfg load.Config, name string, s peerSeries) error {
	before, err := t.rss()
	if err != nil {
		return err
	}
	fleet, o, quiet, err := w.openAt(ctx, t, cfg)
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
	if quiet {
		s.first.add(name, o.PerSecond())
	}
	return nil
}

// announcePeer sends messages to all streams, each after the previous one has arrived.
func (w *world) announcePeer(ctx context.Context, t *peer, fleet *load.Fleet, name string, s peerSeries) error {
	var results []load.Result
	u, quiet, err := w.quietly(ctx, t.process, calmLimit, func() error {
		for range announced / 2 {
			r, _, err := w.sent(ctx, fleet, int64(w.opt.streams), func(run int64) error {
				return t.many(ctx, load.Mark{Run: run, User: load.Everyone, Due: time.Now()})
			})
			if err != nil {
				return err
			}
			results = append(results, r)
		}
		return nil
	})
	if err != nil {
		return err
	}
	for _, r := range results {
		s.wrong.add(name, wrongOf(r, w.opt.streams))
		if quiet {
			s.announced.add(name, r.Latency.Milliseconds(0.99))
		}
	}
	if quiet {
		s.announceCost.add(name, 1e6*u.server/float64(len(results)*w.opt.streams))
	}
	return nil
}

// singlesAt sends messages to single users, at two rates and as fast as the connections allow.
func (w *world) singlesAt(ctx context.Context, t *peer, fleet *load.Fleet, name string, s peerSeries) error {
	const seconds = 6
	for _, at := range []struct {
		rate     float64
		p50, p99 series
	}{{peerCalm, s.calmP50, s.calmP99}, {peerBusy, s.busy50, s.busy99}} {
		count := w.opt.scaled(int(seconds * at.rate))
		var r load.Result
		_, quiet, err := w.quietly(ctx, t.process, quietLimit, func() (err error) {
			r, _, err = w.sent(ctx, fleet, int64(count), func(run int64) error { return w.paced(ctx, t.target, run, count, at.rate, w.opt.streams) })
			return err
		})
		if err != nil {
			return err
		}
		s.wrong.add(name, wrongOf(r, count))
		if quiet {
			at.p50.add(name, r.Latency.Milliseconds(0.5))
			at.p99.add(name, r.Latency.Milliseconds(0.99))
		}
	}
	count := w.opt.scaled(40_000)
	var r load.Result
	var took time.Duration
	u, quiet, err := w.quietly(ctx, t.process, quietLimit, func() (err error) {
		r, took, err = w.sent(ctx, fleet, int64(count), func(run int64) error { return w.flatOut(ctx, t.target, run, count, w.opt.streams) })
		return err
	})
	if err != nil {
		return err
	}
	s.wrong.add(name, wrongOf(r, count))
	if quiet {
		s.most.add(name, float64(r.Marks)/took.Seconds())
		each := 1e6 / float64(count)
		s.server.add(name, each*u.server)
		s.redis.add(name, each*u.redis)
		s.load.add(name, each*u.load)
	}
	return nil
}

// roleAt sends two notices to a role whose members are not connected, and single ones at the same time. The first one
// finds no inboxes in Redis.
func (w *world) roleAt(ctx context.Context, t *peer, fleet *load.Fleet, name string, s peerSeries) error {
	for _, to := range []series{s.cold, s.warm} {
		var took time.Duration
		var beside load.Histogram
		_, quiet, err := w.quietly(ctx, t.process, calmLimit, func() (err error) {
			took, beside, err = w.sendToRoleBeside(ctx, t, fleet, func(wrong float64) { s.wrong.add(name, wrong) })
			return err
		})
		if err != nil {
			return err
		}
		if quiet {
			to.add(name, took.Seconds())
			s.beside.add(name, beside.Milliseconds(0.99))
		}
	}
	return nil
}
