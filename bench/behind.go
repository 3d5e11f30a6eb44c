//go:build linux

package main

import (
	"context"
	"errors"
	"fmt"
	"time"

	"golang.org/x/sync/errgroup"

	"github.com/carillonhq/carillon/bench/load"
	"github.com/carillonhq/carillon/notifier/inbox/behind"
)

// The deliveries during which the lag is measured.
const (
	lagRate  = 5_000 // notices a second, one recipient each
	lagUsers = 5_000
)

// writeBehind measures how fast inboxes of 30 entries are written to SQL, and how far SQL lags
// behind while notices are delivered.
func (w *world) writeBehind(ctx context.Context) ([]row, error) {
	var rows []row
	for _, name := range databaseNames() {
		rate, lag := series{}, series{}
		for range w.opt.repeat {
			if err := w.onDatabase(ctx, name, func(d *database) error { return w.behind(ctx, d, rate, lag) }); err != nil {
				return rows, err
			}
		}
		rows = append(rows,
			rate.row("10", "inboxes of 30 entries written behind to "+name, "1/s", atLeast(10_000)),
			lag.row("10", "most that "+name+" is behind, 5,000 notices/s to 5,000 users", "s", atMost(2)))
	}
	return rows, nil
}

// onDatabase calls do with an empty database and an empty Redis.
func (w *world) onDatabase(ctx context.Context, name string, do func(*database) error) error {
	if err := w.reset(ctx); err != nil {
		return err
	}
	d, err := w.database(ctx, name)
	if err != nil {
		return err
	}
	return errors.Join(do(d), d.close())
}

func (w *world) behind(ctx context.Context, d *database, rate, lag series) error {
	seqs := w.population()
	if err := d.people(ctx, len(seqs)); err != nil {
		return err
	}
	for range pageRows {
		if err := w.deliver(ctx, w.notice(load.Mark{}, int64(len(seqs))), seqs); err != nil {
			return err
		}
	}
	began := time.Now()
	took := time.Duration(0)
	err := w.flushing(ctx, d, 10*time.Millisecond, func(ctx context.Context, f *behind.Flusher) error {
		for f.Stats().Users < int64(len(seqs)) {
			if err := pause(ctx, time.Millisecond); err != nil {
				return err
			}
		}
		took = time.Since(began)
		return nil
	})
	if err != nil {
		return err
	}
	rate.add(ours, float64(len(seqs))/took.Seconds())
	return w.flushing(ctx, d, time.Second, func(ctx context.Context, f *behind.Flusher) error {
		most, err := w.mostBehind(ctx, f, seqs[:min(len(seqs), lagUsers)])
		lag.add(ours, most.Seconds())
		return err
	})
}

// flushing calls do while inboxes are written behind.
func (w *world) flushing(ctx context.Context, d *database, every time.Duration, do func(context.Context, *behind.Flusher) error) error {
	f := behind.NewFlusher(behind.FlusherConfig{Inbox: w.inbox, Store: d.st, Redis: w.rdb, Keys: w.space, Every: every, Log: w.log})
	ctx, stop := context.WithCancel(ctx)
	var parts errgroup.Group
	parts.Go(func() error { return f.Run(ctx) })
	err := do(ctx, f)
	stop()
	return errors.Join(err, parts.Wait())
}

// mostBehind delivers at an even pace and returns the greatest lag.
func (w *world) mostBehind(ctx context.Context, f *behind.Flusher, seqs []int64) (most time.Duration, err error) {
	const step = 20 * time.Millisecond
	tick := time.NewTicker(step)
	defer tick.Stop()
	next := 0
	for range w.opt.scaled(int(10 * time.Second / step)) {
		for range lagRate * int(step) / int(time.Second) {
			if err := w.deliver(ctx, w.notice(load.Mark{}, 1), seqs[next:next+1]); err != nil {
				return most, fmt.Errorf("deliver: %w", err)
			}
			next = (next + 1) % len(seqs)
		}
		most = max(most, f.Stats().Lag)
		select {
		case <-tick.C:
		case <-ctx.Done():
			return most, ctx.Err()
		}
	}
	return most, nil
}
