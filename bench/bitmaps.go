//go:build linux

package main

import (
	"context"
	"fmt"
	"time"

	"github.com/carillonhq/carillon/bench/load"
	"github.com/carillonhq/carillon/notifier"
)

const (
	fewOpen    = 20  // announcements open on an ordinary day
	manyAtOnce = 500 // users whose counts a hub reads in one call
	megabyte   = 1e6
	mostMemory = 1.45 // MB of an announcement
)

// bitmapSeries are the results for bitmaps of ten million users: memory in MB, times in ms, each as measured by Redis
// and by the caller.
type bitmapSeries struct {
	key, grown, restored          series
	one, oneWaited                series
	many, manyWaited              series
	mark, markWaited, counted, up series
}

// bitmaps measures announcements whose highest reader has the number ten million. The board is the real one, but
// without SQL.
func (w *world) bitmaps(ctx context.Context) ([]row, error) {
	s := bitmapSeries{series{}, series{}, series{}, series{}, series{}, series{}, series{}, series{}, series{}, series{}, series{}}
	for range w.opt.repeat {
		if err := w.bitmapsNew(ctx, s); err != nil {
			return nil, err
		}
		if err := w.bitmapsRestored(ctx, s); err != nil {
			return nil, err
		}
	}
	return []row{
		s.key.row("11", "an announcement to 10 million users, MEMORY USAGE of the largest of 64", "MB", atMost(mostMemory)),
		s.grown.row("11", "what Redis has grown by for each of them", "MB", atMost(mostMemory)),
		s.restored.row("11", "MEMORY USAGE of the largest of 20 after a loss of Redis", "MB", atMost(mostMemory)),
		s.one.row("11", "count 64 open ones for one user, one script, p50", "ms", atMost(0.25)),
		s.oneWaited.row("11", "the same with the way there and back", "ms", atMost(0.25)),
		s.many.row("11", "count 20 open ones for 500 users, one script, p50", "ms", atMost(6)),
		s.manyWaited.row("11", "the same with the way there and back", "ms", atMost(6)),
		s.mark.row("11", "mark one of 64 read, one script, p50", "ms", shown()),
		s.markWaited.row("11", "the same with the way there and back", "ms", shown()),
		s.counted.row("11", "count who of 10 million has read one (BITCOUNT), p50", "ms", shown()),
		s.up.row("11", "20 restored after a loss of Redis, 25 MB, without the time of SQL", "ms", shown()),
	}, nil
}

// bitmapsNew opens 64 announcements, whose bitmaps grow as they are read, and then counts in
// them.
func (w *world) bitmapsNew(ctx context.Context, s bitmapSeries) error {
	if err := w.reset(ctx); err != nil {
		return err
	}
	before, err := w.usedMemory(ctx)
	if err != nil {
		return err
	}
	b, err := w.announcementsOf(ctx, newShelf(notifier.MaxOpen, nil))
	if err != nil {
		return err
	}
	marks := w.opt.scaled(4_000)
	err = w.timed(ctx, marks, s.mark, s.markWaited, func(i int) error {
		_, err := b.MarkRead(ctx, someone(i), int64(1+i%notifier.MaxOpen))
		return err
	})
	if err != nil {
		return err
	}
	last := notifier.Reader{Seq: tenMillion, Audience: audience}
	if ids, _, err := b.ReadAll(ctx, last); err != nil || len(ids) != notifier.MaxOpen {
		return fmt.Errorf("user %d read %d of %d: %w", last.Seq, len(ids), notifier.MaxOpen, err)
	}
	after, err := w.usedMemory(ctx)
	if err != nil {
		return err
	}
	s.grown.add(ours, (after-before)/notifier.MaxOpen/megabyte)
	if err := w.largest(ctx, notifier.MaxOpen, s.key); err != nil {
		return err
	}
	if err := w.scribble(ctx); err != nil {
		return err
	}
	err = w.timed(ctx, w.opt.scaled(4_000), s.one, s.oneWaited, func(i int) error {
		_, err := b.Badges(ctx, []notifier.Reader{someone(i)})
		return err
	})
	if err != nil {
		return err
	}
	parts := []notifier.Counting{{PartKey: notifier.PartKey{ID: 1, Audience: audience}}}
	return w.timed(ctx, w.opt.scaled(1_000), nil, s.counted, func(int) error {
		_, err := b.Reads(ctx, parts)
		return err
	})
}

// bitmapsRestored restores 20 announcements, each read by half of the users, after a loss of
// Redis.
func (w *world) bitmapsRestored(ctx context.Context, s bitmapSeries) error {
	if err := w.reset(ctx); err != nil {
		return err
	}
	began := time.Now()
	b, err := w.announcementsOf(ctx, newShelf(fewOpen, random(tenMillion/8+1)))
	if err != nil {
		return err
	}
	s.up.add(ours, milliseconds(time.Since(began)))
	if err := w.largest(ctx, fewOpen, s.restored); err != nil {
		return err
	}
	return w.timed(ctx, w.opt.scaled(400), s.many, s.manyWaited, func(i int) error {
		readers := make([]notifier.Reader, manyAtOnce)
		for n := range readers {
			readers[n] = someone(i*manyAtOnce + n)
		}
		_, err := b.Badges(ctx, readers)
		return err
	})
}

// timed calls do count times and adds two medians: the time of a call in Redis and the time
// the caller waited for it. With inRedis, each call must run exactly one script.
func (w *world) timed(ctx context.Context, count int, inRedis, waited series, do func(i int) error) error {
	if err := w.resetStats(ctx); err != nil {
		return err
	}
	var all load.Histogram
	for i := range count {
		began := time.Now()
		if err := do(i); err != nil {
			return err
		}
		all.Add(time.Since(began))
	}
	waited.add(ours, all.Milliseconds(0.5))
	if inRedis == nil {
		return nil
	}
	stat, err := w.scriptStat(ctx)
	if err != nil {
		return err
	}
	if stat.calls != float64(count) {
		return fmt.Errorf("%d calls ran %v scripts, want one each", count, stat.calls)
	}
	micros, err := w.scriptMedian(ctx)
	inRedis.add(ours, micros/1000)
	return err
}
