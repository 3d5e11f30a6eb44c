package main

import (
	"runtime/debug"
	"runtime/metrics"
	"testing"
)

// None of these is parallel: they are about the heap of all.

func TestASmallHeapMayGrowByRoom(t *testing.T) {
	t.Cleanup(func() { debug.SetGCPercent(100) })
	debug.FreeOSMemory()
	c := newCollections()
	c.look()
	live := uint64(0)
	for _, s := range c.now[1:] {
		live += s.Value.Uint64()
	}
	percent := debug.SetGCPercent(100)
	if grows := live * uint64(percent) / 100; grows < room-room/50 || grows > room && percent > 100 {
		t.Errorf("a heap of %d bytes may grow by %d, want %d", live, grows, room)
	}
}

func TestWhereItIsCalmMemoryIsGivenBack(t *testing.T) {
	t.Cleanup(func() { debug.SetGCPercent(100) })
	c := newCollections()
	c.look()
	garbage = make([]byte, 2*spare)
	for i := range garbage { // or it would never be there
		garbage[i] = 1
	}
	garbage = nil
	before := released()
	c.look()
	if got := released(); got > before+spare {
		t.Errorf("%d bytes were given back while there was much to do", got-before)
	}
	c.look()
	if got := released(); got < before+spare {
		t.Errorf("%d bytes were given back where it is calm, want %d", int64(got-before), 2*spare)
	}
}

func TestWhoeverSetsGOGCHasItHisWay(t *testing.T) {
	t.Setenv("GOGC", "70")
	debug.SetGCPercent(70)
	if err := newCollections().run(t.Context()); err != nil {
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
