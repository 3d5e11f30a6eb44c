//go:build linux

package main

import (
	"context"
	"errors"
	"time"

	"github.com/carillonhq/carillon/bench/load"
	"github.com/carillonhq/carillon/notifier"
	"github.com/carillonhq/carillon/notifier/notices"
	"github.com/carillonhq/carillon/notifier/toast"
)

// sendsToasts sends notices with toasts, and then one announcement with a toast.
func (w *world) sendsToasts(ctx context.Context, t *target, fleet *load.Fleet, all *acks, raised *toast.Toasts, s toastSeries) (wrong float64, err error) {
	err = w.sending(ctx, raised, func(p *notices.Notices) error {
		t.one = func(ctx context.Context, user int, m load.Mark) error {
			n := w.request(user, m)
			n.Draft.Toast = true
			return accepted(ctx, p, []notifier.Request{n})
		}
		got, err := w.acknowledged(ctx, t, fleet, all, noticeRate)
		if err != nil {
			return err
		}
		s.noticeP50.add(ours, got.acked.Milliseconds(0.5))
		s.noticeP99.add(ours, got.acked.Milliseconds(0.99))
		wrong = got.wrong
		return nil
	})
	if err != nil {
		return wrong, err
	}
	p, err := w.poster(ctx)
	if err != nil {
		return wrong, err
	}
	defer func() { err = errors.Join(err, p.close(ctx)) }()
	p.toasts = true
	got, err := w.shownTo(ctx, fleet, all, w.opt.streams, func(run int64) error {
		_, err := p.announce(ctx, load.Mark{Run: run, User: load.Everyone, Due: time.Now()}, false)
		return err
	})
	if err != nil {
		return wrong, err
	}
	s.everybody.add(ours, milliseconds(got.acked.Max()))
	return wrong + got.wrong, nil
}

// acknowledged sends messages to single users for 10 s.
func (w *world) acknowledged(ctx context.Context, t *target, fleet *load.Fleet, all *acks, rate int) (got toastRun, err error) {
	count := w.opt.scaled(10 * rate)
	return w.shownTo(ctx, fleet, all, count, func(run int64) error {
		return w.paced(ctx, t, run, count, float64(rate), w.opt.streams)
	})
}

// toastRun is the result of sending some messages.
type toastRun struct {
	shown load.Histogram  // from the time a message was due until it is shown
	acked *load.Histogram // from the time a message was due until it is acknowledged
	wrong float64         // messages not shown exactly once to their recipient, or not acknowledged
}

// shownTo publishes count messages and waits until all are acknowledged.
func (w *world) shownTo(ctx context.Context, fleet *load.Fleet, all *acks, count int, publish func(run int64) error) (got toastRun, err error) {
	r, _, err := w.sent(ctx, fleet, int64(count), publish)
	if err != nil {
		return got, err
	}
	got.shown = r.Latency
	if got.acked, err = all.wait(ctx, r.Marks); err != nil {
		w.log.Warn("not acknowledged", "err", err) // the missing ones count as wrong
	}
	got.wrong = max(wrongOf(r, count), float64(int64(count)-got.acked.Total()))
	return got, ctx.Err()
}
