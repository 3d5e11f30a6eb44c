//go:build linux

package main

import (
	"context"
	"errors"
	"fmt"
	"time"

	"github.com/carillonhq/carillon/bench/load"
)

// churn connects and disconnects all users three times, then reloads page after page, and measures what remains in
// the server.
func (w *world) churn(ctx context.Context) ([]row, error) {
	left, files, hung := series{}, series{}, series{}
	for range w.opt.repeat {
		if err := w.reset(ctx); err != nil {
			return nil, err
		}
		got, err := w.churnOnce(ctx)
		if err != nil {
			return nil, err
		}
		left.add(ours, got.goroutines)
		files.add(ours, got.files)
		hung.add(ours, got.hung)
	}
	reloads := w.opt.scaled(20_000)
	return []row{
		left.row("15", fmt.Sprintf("goroutines more than before: 3 × %s connect and leave, %s reloads", short(float64(w.opt.streams)), short(float64(reloads))), "", atMost(10)),
		files.row("15", "open files more than before", "", atMost(10)),
		hung.row("15", "streams that hung or failed", "", never()),
	}, nil
}

type churnResult struct{ goroutines, files, hung float64 }

func (w *world) churnOnce(ctx context.Context) (got churnResult, err error) {
	t, err := w.target(ctx, ours)
	if err != nil {
		return got, err
	}
	defer func() { err = stopped(t.process, err) }()
	if err := w.warmUp(ctx, t); err != nil {
		return got, err
	}
	before, err := t.settled(ctx)
	if err != nil {
		return got, err
	}
	for range 3 {
		fleet, o, err := load.Open(ctx, w.fleet(t))
		if err != nil {
			return got, err
		}
		got.hung += float64(o.Failed)
		fleet.Close()
	}
	hung, err := load.Reloads(ctx, w.fleet(t), w.opt.scaled(20_000), 32, 10*time.Second)
	got.hung += float64(hung)
	if err != nil {
		w.log.Warn("reload failed", "err", err)
	}
	after, err := t.settled(ctx)
	got.goroutines, got.files = after.goroutines-before.goroutines, after.files-before.files
	return got, err
}

// held are the resources that a server holds while no user is connected.
type held struct{ goroutines, files float64 }

// settled waits until the number of goroutines no longer falls, for at most 30 s.
func (t *target) settled(ctx context.Context) (h held, err error) {
	lowest, since := 1e9, time.Now()
	for began := since; time.Since(since) < 3*time.Second && time.Since(began) < 30*time.Second; {
		if h.goroutines, err = t.metric(ctx, "go_goroutines"); err != nil {
			return h, err
		}
		if h.goroutines < lowest {
			lowest, since = h.goroutines, time.Now()
		}
		if err := pause(ctx, 200*time.Millisecond); err != nil {
			return h, err
		}
	}
	files, err := t.files()
	h.files = float64(files)
	return h, errors.Join(err, ctx.Err())
}
