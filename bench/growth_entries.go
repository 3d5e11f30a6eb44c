//go:build linux

package main

import (
	"context"
	"time"

	"github.com/carillonhq/carillon/bench/load"
	"github.com/carillonhq/carillon/notifier/inbox/behind"
)

// entryUsers is the number of inboxes in the measurements with filled inboxes.
const entryUsers = 2_000

// growEntries measures the scripts of an inbox, and writing it behind, with that many unread entries.
func (w *world) growEntries(ctx context.Context, c *curves) error {
	for _, size := range c.sizes {
		for _, name := range w.opt.growth.databases {
			if err := w.onDatabase(ctx, name, func(d *database) error { return w.entriesAt(ctx, d, c, name, size) }); err != nil {
				return err
			}
		}
	}
	return nil
}

func (w *world) entriesAt(ctx context.Context, d *database, c *curves, name string, size int) error {
	seqs := w.population()
	seqs = seqs[:min(len(seqs), w.opt.scaled(entryUsers))]
	if err := d.people(ctx, len(seqs)); err != nil {
		return err
	}
	if err := w.fillInboxes(ctx, seqs, 0, size); err != nil {
		return err
	}
	// perUser adds the processor time of Redis for an operation on each inbox.
	perUser := func(what string, do func() error) error {
		before, err := w.redisCPU(ctx)
		if err != nil {
			return err
		}
		if err = do(); err != nil {
			return err
		}
		after, err := w.redisCPU(ctx)
		c.add(what+", processor time of Redis", "µs", size, 1e6*(after-before)/float64(len(seqs)))
		return err
	}
	if err := perUser("a notice delivered", func() error {
		return w.deliver(ctx, w.notice(load.Mark{}, int64(len(seqs))), seqs)
	}); err != nil {
		return err
	}
	return w.flushing(ctx, d, 10*time.Millisecond, func(ctx context.Context, f *behind.Flusher) error {
		want := int64(0)
		flushed := func() error {
			for want += int64(len(seqs)); f.Stats().Users < want; { // it writes while inboxes are opened, too
				if err := pause(ctx, time.Millisecond); err != nil {
					return err
				}
			}
			return nil
		}
		began := time.Now()
		if err := perUser("an inbox written behind to "+name, flushed); err != nil {
			return err
		}
		c.add("inboxes written behind to "+name, "1/s", size, float64(len(seqs))/time.Since(began).Seconds())
		return perUser("an inbox opened, all unread, and written behind to "+name, func() error {
			if err := w.openAll(ctx, seqs); err != nil {
				return err
			}
			return flushed()
		})
	})
}
