package instance

import (
	"errors"
	"log/slog"
	"math"
	"os"
	"runtime/debug"
	"runtime/metrics"
	"testing"

	"github.com/KimMachineGun/automemlimit/memlimit"

	"github.com/carillonhq/carillon/internal/config"
)

// None of these tests is parallel: they examine the heap of the whole process.

func TestASmallHeapMayGrowByRoom(t *testing.T) {
	t.Cleanup(func() { debug.SetGCPercent(100) })
	debug.FreeOSMemory()
	c := newCollections(config.Process)
	c.adapt()
	live := uint64(0)
	for _, s := range c.now[1:] {
		live += s.Value.Uint64()
	}
	percent := debug.SetGCPercent(100)
	if grows := live * uint64(percent) / 100; grows < room-room/50 || grows > room && percent > 100 {
		t.Errorf("a heap of %d bytes may grow by %d, want %d", live, grows, room)
	}
}

func TestMemoryIsReturnedInCalmSeconds(t *testing.T) {
	t.Cleanup(func() { debug.SetGCPercent(100) })
	c := newCollections(config.Process)
	c.adapt()
	garbage = make([]byte, 2*spare)
	for i := range garbage { // or the pages would never be touched
		garbage[i] = 1
	}
	garbage = nil
	before := released()
	c.adapt()
	if got := released(); got > before+spare {
		t.Errorf("%d bytes were returned under load", got-before)
	}
	c.adapt()
	if got := released(); got < before+spare {
		t.Errorf("%d bytes were returned in a calm second, want %d", int64(got-before), 2*spare)
	}
}

func TestTheHeapStaysBelowTheLimitOfTheSystem(t *testing.T) {
	before := debug.SetMemoryLimit(-1)
	t.Cleanup(func() { debug.SetMemoryLimit(before) })
	for _, test := range []struct {
		variable string // GOMEMLIMIT
		limit    memlimit.Provider
		ownRedis bool
		want     int64
	}{
		{"", memlimit.Limit(1000 << 20), false, 900 << 20},
		{"", memlimit.Limit(1000 << 20), true, 600 << 20},
		{"", func() (uint64, error) { return 0, memlimit.ErrNoLimit }, false, math.MaxInt64},
		{"", func() (uint64, error) { return 0, errors.New("no cgroups here") }, false, 700 << 20},
		{"700MiB", memlimit.Limit(1000 << 20), false, 700 << 20},
	} {
		t.Setenv("GOMEMLIMIT", test.variable)
		if test.variable == "" {
			_ = os.Unsetenv("GOMEMLIMIT") // Setenv puts back what was there
		}
		debug.SetMemoryLimit(700 << 20)
		limitMemory(test.limit, test.ownRedis, slog.New(slog.DiscardHandler))
		if got := debug.SetMemoryLimit(-1); got != test.want {
			t.Errorf("GOMEMLIMIT=%s, Redis %t: the limit is %d, want %d", test.variable, test.ownRedis, got, test.want)
		}
	}
}

func TestGOGCIsLeftIfItIsSet(t *testing.T) {
	t.Setenv("GOGC", "70")
	debug.SetGCPercent(70)
	if err := newCollections(config.Process).run(t.Context()); err != nil {
		t.Error(err)
	}
	if percent := debug.SetGCPercent(100); percent != 70 {
		t.Errorf("collected at %d %%, want 70", percent)
	}
}

var garbage []byte

func released() uint64 {
	at := []metrics.Sample{{Name: "/memory/classes/heap/released:bytes"}}
	metrics.Read(at)
	return at[0].Value.Uint64()
}
