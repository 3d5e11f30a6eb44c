package main

import (
	"context"
	"os"
	"runtime/debug"
	"runtime/metrics"
	"time"
)

const (
	room  = 128 << 20 // bytes that the heap may grow between two collections, at least
	spare = 32 << 20  // bytes that were allocated before it is worth giving memory back
	calm  = 2 << 20   // bytes allocated in a second: with less there is time for it
)

// collections decides when garbage is collected. By itself Go collects a small heap at
// each doubling, under load several times a second; while it goes through thousands of
// streams it takes every processor that is free, and what is answered meanwhile waits
// some ms at each of its turns. So under load the heap may grow by room, and where it
// is calm what was grown into is given back.
//
// Whoever sets GOGC has it his way. A GOMEMLIMIT holds in any case.
type collections struct {
	now            []metrics.Sample
	percent        int
	before, atCalm uint64 // bytes allocated ever: a second ago, and when memory was given back
}

func newCollections() *collections {
	return &collections{now: []metrics.Sample{
		{Name: "/gc/heap/allocs:bytes"}, {Name: "/gc/heap/live:bytes"}, {Name: "/gc/scan/stack:bytes"}, {Name: "/gc/scan/globals:bytes"},
	}}
}

// run works until ctx ends; then it returns nil.
func (c *collections) run(ctx context.Context) error {
	if os.Getenv("GOGC") != "" {
		return nil
	}
	debug.FreeOSMemory() // what starting took
	tick := time.NewTicker(time.Second)
	defer tick.Stop()
	for {
		c.look()
		select {
		case <-tick.C:
		case <-ctx.Done():
			return nil
		}
	}
}

// look is called each second.
func (c *collections) look() {
	metrics.Read(c.now)
	allocated, live := c.now[0].Value.Uint64(), uint64(1)
	for _, s := range c.now[1:] {
		live += s.Value.Uint64()
	}
	if percent := int(max(100, 100*room/float64(live))); percent != c.percent {
		debug.SetGCPercent(percent)
		c.percent = percent
	}
	if allocated-c.before < calm && allocated-c.atCalm > spare {
		debug.FreeOSMemory()
		c.atCalm = allocated
	}
	c.before = allocated
}
