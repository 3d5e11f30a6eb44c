//go:build linux

package main

import (
	"context"
	"fmt"
	"time"

	"github.com/carillonhq/carillon/bench/load"
)

// openCase is a number of unread entries and the goal for opening such an inbox. A goal for the rate is checked with
// the time that Redis measures for one script.
type openCase struct {
	unread, users int
	goal          goal
}

// openScripts measures opening inboxes with increasing numbers of unread entries.
func (w *world) openScripts(ctx context.Context) (rows []row, err error) {
	for _, c := range []openCase{
		{0, 4000, everyMicros(12_000)},
		{5, 4000, everyMicros(8_000)},
		{30, 4000, everyMicros(5_000)},
		{200, 1000, atMost(1000)},
	} {
		rate, micros := series{}, series{}
		for range w.opt.repeat {
			if err := w.openOnce(ctx, c, rate, micros); err != nil {
				return rows, err
			}
		}
		what := fmt.Sprintf("open an inbox, %d unread", c.unread)
		rows = append(rows,
			micros.row("8b", what+", one script", "µs", c.goal),
			rate.row("8b", "the same from 64 callers, page decoded", "1/s", shown()))
	}
	return rows, nil
}

// everyMicros is the goal for the time per script that allows perSecond of them.
func everyMicros(perSecond float64) goal {
	g := atMost(1e6 / perSecond)
	g.text += " (" + short(perSecond) + "/s)"
	return g
}

func (w *world) openOnce(ctx context.Context, c openCase, rate, micros series) error {
	if err := w.reset(ctx); err != nil {
		return err
	}
	seqs := w.population()
	seqs = seqs[:min(w.opt.scaled(c.users), len(seqs))]
	if err := w.fillInboxes(ctx, seqs, max(30-c.unread, 0), c.unread); err != nil {
		return err
	}
	opens := len(seqs)
	if c.unread == 0 {
		opens *= 5 // without unread entries, opening changes nothing and can be repeated
	}
	if err := w.resetStats(ctx); err != nil {
		return err
	}
	began := time.Now()
	err := inParallel(ctx, callers, opens, func(i int) error {
		_, err := w.inbox.Open(ctx, seqs[i%len(seqs)])
		return err
	})
	if err != nil {
		return err
	}
	rate.add(ours, float64(opens)/time.Since(began).Seconds())
	stat, err := w.commandStat(ctx, "evalsha")
	if err != nil {
		return err
	}
	micros.add(ours, stat.micros)
	if c.unread > 0 {
		return nil
	}
	words, err := recordScript(ctx, w.socket, func() error {
		_, err := w.inbox.Open(ctx, seqs[0])
		return err
	})
	if err != nil {
		return err
	}
	got, err := redisBenchmark(ctx, w.socket, w.opt.scaled(100_000), callers, 1, 1, words)
	rate.add("redis-benchmark", got)
	return err
}

// fillInboxes delivers the read entries, opens the inboxes and delivers the unread ones.
func (w *world) fillInboxes(ctx context.Context, seqs []int64, read, unread int) error {
	for i := range read + unread {
		if i == read {
			if err := w.openAll(ctx, seqs); err != nil {
				return err
			}
		}
		if err := w.deliver(ctx, w.notice(load.Mark{}, int64(len(seqs))), seqs); err != nil {
			return err
		}
	}
	if unread == 0 {
		return w.openAll(ctx, seqs)
	}
	return nil
}

func (w *world) openAll(ctx context.Context, seqs []int64) error {
	return inParallel(ctx, callers, len(seqs), func(i int) error {
		_, err := w.inbox.Open(ctx, seqs[i])
		return err
	})
}
