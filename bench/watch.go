//go:build linux

package main

import (
	"context"
	"time"

	"github.com/carillonhq/carillon/bench/load"
)

// watchCut finds out from outside how long streams that do not read are kept:
// from when the kernel takes no more for the first of them, which is before
// the first write that blocks, to when the server has closed the last.
type watchCut struct {
	fleet *load.Fleet
	full  time.Time // when the first was full
	cut   time.Time // when the last was cut
}

const (
	watchEvery = 100 * time.Millisecond
	// fullAfter without growth, while several messages were due, means full.
	fullAfter = 10 * time.Second / stalledRate
)

// run watches until all are cut or ctx is done. A server that closes without a
// reset leaves its farewell behind what is not read, and counts as not cutting.
func (c *watchCut) run(ctx context.Context) {
	type fill struct {
		bytes int
		since time.Time
	}
	fills := make(map[int32]fill)
	for {
		now := time.Now()
		waiting := c.fleet.Stalled()
		if len(waiting) == 0 {
			c.cut = now
			return
		}
		for id, n := range waiting {
			f, ok := fills[id]
			switch {
			case !ok || n > f.bytes:
				fills[id] = fill{n, now}
			case n > 0 && now.Sub(f.since) > fullAfter && c.full.IsZero():
				c.full = f.since
			}
		}
		if pause(ctx, watchEvery) != nil {
			return
		}
	}
}

// took is how long they were kept, or a minute when not all were cut.
func (c *watchCut) took() time.Duration {
	if c.cut.IsZero() || c.full.IsZero() {
		return time.Minute
	}
	return c.cut.Sub(c.full)
}
