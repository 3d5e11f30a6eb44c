//go:build linux

package main

import (
	"context"
	"time"

	"github.com/carillonhq/carillon/bench/load"
)

// watchCut measures from outside how long a server keeps streams that do not read: from the
// time when the kernel accepts no more bytes for the first of them, which is before the first
// write blocks, until the server has closed the last.
type watchCut struct {
	fleet *load.Fleet
	full  time.Time // when the first stream was full
	cut   time.Time // when the last stream was cut
}

const (
	watchEvery = 100 * time.Millisecond
	// A stream is full if it has not grown for fullAfter, while several messages were due.
	fullAfter = 10 * time.Second / stalledRate
)

// run watches until all streams are cut or ctx is done. A server that closes a connection
// without a reset leaves the end of the stream behind unread bytes, and counts as not cutting.
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

// took returns how long the streams were kept, or a minute if not all were cut.
func (c *watchCut) took() time.Duration {
	if c.cut.IsZero() || c.full.IsZero() {
		return time.Minute
	}
	return c.cut.Sub(c.full)
}
