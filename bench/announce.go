//go:build linux

package main

import (
	"context"
	"errors"
	"fmt"
	"time"

	"github.com/carillonhq/carillon/bench/bound"
	"github.com/carillonhq/carillon/bench/load"
	"github.com/carillonhq/carillon/notifier"
)

const (
	announced = 10 // announcements one after the other; all are open at the end
	rereads   = 5  // times that all badges are read
)

// announceSeries are the results of announcing, by server: times in ms, one sample per
// announcement.
type announceSeries struct {
	p50, p99, whole, cpu, scripts, reread, told, wrong, lost series
}

// announce publishes announcements to all streams, whose users have different badges. The
// bounds send the same text without a badge.
func (w *world) announce(ctx context.Context) ([]row, error) {
	s := announceSeries{series{}, series{}, series{}, series{}, series{}, series{}, series{}, series{}, series{}}
	for range w.opt.repeat {
		if err := w.reset(ctx); err != nil {
			return nil, err
		}
		for _, name := range streamServers() {
			if err := w.announceAt(ctx, name, s); err != nil {
				return nil, err
			}
		}
	}
	to := short(float64(w.opt.streams))
	return []row{
		s.p50.row("3", "one announcement to "+to+" streams, each with its own badge, p50", "ms", shown()),
		s.p99.row("3", "the same, p99", "ms", both(atMostOf(1.2, bound.R3Lean), atMost(150))),
		s.whole.alone().row("3", "the same with its commit in SQL before, p99", "ms", shown()),
		s.cpu.row("3", "processor time of the server for it", "ms", shown()),
		s.scripts.alone().row("3", "scripts that Redis runs from publishing to the last arrival", "", atMost(fewScripts)),
		s.wrong.row("3", "streams left with a wrong badge", "", never()),
		s.lost.row("3", "announcements lost, doubled or misrouted", "", never()),
		s.reread.row("3", fmt.Sprintf("both halves of the badge of %s users read again, %d announcements open", to, announced), "ms", atMost(300)),
		s.told.row("3", "one retracted: until each stream has its lower badge", "ms", shown()),
	}, nil
}

// fewScripts is the maximum number of scripts for one announcement: a few per audience and
// instance, however many users are connected.
const fewScripts = 40

func (w *world) announceAt(ctx context.Context, name string, s announceSeries) (err error) {
	t, err := w.target(ctx, name)
	if err != nil {
		return err
	}
	defer func() { err = stopped(t.process, err) }()
	if name == ours {
		if err := w.differ(ctx); err != nil {
			return err
		}
	}
	fleet, err := allStreams(ctx, w.fleet(t))
	if err != nil {
		return err
	}
	defer fleet.Close()
	if name == ours {
		return w.announceOurs(ctx, t, fleet, s)
	}
	return w.announceEach(ctx, t, fleet, name, s, func(m load.Mark) (time.Duration, error) { return 0, t.many(ctx, m) })
}

// announceEach publishes announcements one after the other, each when the previous one has arrived. publish returns
// the part of its time not spent on publishing.
func (w *world) announceEach(ctx context.Context, t *target, fleet *load.Fleet, name string, s announceSeries,
	publish func(load.Mark) (time.Duration, error),
) error {
	var used, scripts samples
	for range announced {
		var before float64
		var stored time.Duration
		r, _, err := w.sent(ctx, fleet, int64(w.opt.streams), func(run int64) (err error) {
			if err := w.resetStats(ctx); err != nil {
				return err
			}
			if before, err = t.cpu(); err == nil {
				stored, err = publish(load.Mark{Run: run, User: load.Everyone, Due: time.Now()})
			}
			return err
		})
		if err != nil {
			return err
		}
		after, err := t.cpu()
		if err != nil {
			return err
		}
		stat, err := w.scriptStat(ctx)
		if err != nil {
			return err
		}
		used, scripts = append(used, after-before), append(scripts, stat.calls)
		s.p50.add(name, r.Latency.Milliseconds(0.5)-milliseconds(stored))
		s.p99.add(name, r.Latency.Milliseconds(0.99)-milliseconds(stored))
		s.whole.add(name, r.Latency.Milliseconds(0.99))
		s.lost.add(name, wrongOf(r, w.opt.streams))
	}
	s.cpu.add(name, used.mean()) // the kernel counts in steps of 10 ms
	// The median, because a server reads all badges again once a minute, perhaps now.
	s.scripts.add(name, scripts.median())
	return nil
}

// differ gives each user 0 to 4 unread entries, so that no two neighbours have the same
// badge.
func (w *world) differ(ctx context.Context) error {
	const kinds = 5
	for least := 1; least < kinds; least++ {
		var seqs []int64
		for i, m := range w.members {
			if i%kinds >= least {
				seqs = append(seqs, m.seq)
			}
		}
		if err := w.deliver(ctx, w.notice(load.Mark{}, int64(len(seqs))), seqs); err != nil {
			return err
		}
	}
	return nil
}

func (w *world) announceOurs(ctx context.Context, t *target, fleet *load.Fleet, s announceSeries) (err error) {
	p, err := w.poster(ctx)
	if err != nil {
		return err
	}
	defer func() { err = errors.Join(err, p.close(ctx)) }()
	err = w.announceEach(ctx, t, fleet, ours, s, func(m load.Mark) (time.Duration, error) { return p.announce(ctx, m, false) })
	if err != nil {
		return err
	}
	return w.announcedBadges(ctx, p, fleet, s)
}

// announcedBadges compares the badges that all browsers show with the true ones, after the
// announcements and after a retraction.
func (w *world) announcedBadges(ctx context.Context, p *poster, fleet *load.Fleet, s announceSeries) error {
	var want []notifier.Badge
	var took samples
	for range rereads {
		began := time.Now()
		all, err := p.badges(ctx)
		if err != nil {
			return err
		}
		took, want = append(took, milliseconds(time.Since(began))), all
	}
	s.reread.add(ours, took.median())
	wrong := wrongBadges(ctx, fleet, func(i int, b load.Badge) bool { return shows(b, want[i]) })

	began := time.Now()
	if err := p.retract(ctx); err != nil {
		return err
	}
	wrongBadges(ctx, fleet, func(i int, b load.Badge) bool { return b.Unread == want[i].Unread-1 })
	s.told.add(ours, milliseconds(time.Since(began)))
	want, err := p.badges(ctx)
	if err != nil {
		return err
	}
	again := wrongBadges(ctx, fleet, func(i int, b load.Badge) bool { return shows(b, want[i]) })
	s.wrong.add(ours, float64(wrong+again))
	w.log.Info("announced", "wrong_badges", wrong, "after_retracting", again)
	return nil
}

func shows(b load.Badge, want notifier.Badge) bool {
	return b.Unread == want.Unread && b.Ver == want.Ver && b.AVer == want.AVer
}

func milliseconds(d time.Duration) float64 { return float64(d) / float64(time.Millisecond) }
