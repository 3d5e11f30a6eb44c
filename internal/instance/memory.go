package instance

import (
	"context"
	"log/slog"
	"math"
	"runtime/debug"
	"runtime/metrics"
	"time"

	"github.com/KimMachineGun/automemlimit/memlimit"

	"github.com/carillonhq/carillon/internal/config"
)

const (
	room  = 128 << 20 // bytes by which the heap may grow between two collections, at least
	spare = 32 << 20  // bytes to be allocated before it is worth returning memory to the system
	calm  = 2 << 20   // bytes allocated in a second: below, there is time for it
)

// collections decides when garbage is collected. By default Go collects a small heap whenever it
// doubles, under load several times a second. With thousands of streams a collection takes every
// free processor, and requests wait some ms for it. So under load the heap may grow by room, and in
// calm seconds the memory is returned to the system.
//
// If GOGC is set, collections does nothing. The limit of limitMemory holds in any case.
type collections struct {
	lookup         config.Lookup
	now            []metrics.Sample
	percent        int
	before, atCalm uint64 // total bytes allocated: a second ago, and when memory was last returned
}

// The shares of the memory limit for the Go heap. The rest is for thread stacks, for SQLite, and for
// the built-in Redis, which is in the same container.
const (
	aloneShare     = 0.9
	withRedisShare = 0.6
)

// limitMemory keeps the heap below the memory limit of the system, such as a container's. Without it
// a process whose heap may grow by room could be killed although a collection would do. It leaves
// a GOMEMLIMIT that is set.
func limitMemory(limit memlimit.Provider, ownRedis bool, log *slog.Logger) {
	share := aloneShare
	if ownRedis {
		share = withRedisShare
	}
	got, err := memlimit.Set(memlimit.WithProvider(limit), memlimit.WithRatio(share))
	switch {
	case err != nil:
		log.Debug("the system names no limit of memory", "err", err)
	case got < math.MaxInt64:
		log.Info("memory is limited", "bytes", got)
	}
}

func newCollections(lookup config.Lookup) *collections {
	return &collections{lookup: lookup, now: []metrics.Sample{
		{Name: "/gc/heap/allocs:bytes"}, {Name: "/gc/heap/live:bytes"}, {Name: "/gc/scan/stack:bytes"}, {Name: "/gc/scan/globals:bytes"},
	}}
}

// run works until ctx ends; then it returns nil.
func (c *collections) run(ctx context.Context) error {
	if percent, _ := c.lookup("GOGC"); percent != "" {
		return nil
	}
	debug.FreeOSMemory() // the memory that was needed to start
	tick := time.NewTicker(time.Second)
	defer tick.Stop()
	for {
		c.adapt()
		select {
		case <-tick.C:
		case <-ctx.Done():
			return nil
		}
	}
}

// adapt applies what was allocated in the last second.
func (c *collections) adapt() {
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
