package store_test

import (
	"testing"
	"time"

	"github.com/carillonhq/carillon/store"
)

func setFlushed(t *testing.T, s *store.Store, parts map[int]time.Time) {
	t.Helper()
	if err := s.SetFlushed(t.Context(), parts); err != nil {
		t.Fatalf("set flushed: %v", err)
	}
}

func wantFlushed(t *testing.T, s *store.Store, parts int, want time.Time) {
	t.Helper()
	if got := must(s.Flushed(t.Context(), parts))(t); !got.Equal(want) {
		t.Errorf("%d parts are flushed until %v; want %v", parts, got, want)
	}
}

func TestFlushedIsTheEarliestTimeOfAllParts(t *testing.T) {
	onBoth(t, func(t *testing.T, db *database) {
		s := db.open(t)
		at := db.clock.now()
		wantFlushed(t, s, 3, time.Time{})
		setFlushed(t, s, map[int]time.Time{0: at.Add(3 * time.Second), 2: at.Add(time.Second), 3: at.Add(-time.Hour)})
		wantFlushed(t, s, 3, time.Time{}) // one part has never been flushed
		wantFlushed(t, s, 1, at.Add(3*time.Second))
		setFlushed(t, s, map[int]time.Time{1: at.Add(2 * time.Second)})
		setFlushed(t, s, nil)
		again := db.open(t)
		wantFlushed(t, again, 3, at.Add(time.Second))
		wantFlushed(t, again, 2, at.Add(2*time.Second))
	})
}

func TestFlushedTimeNeverGoesBack(t *testing.T) {
	onBoth(t, func(t *testing.T, db *database) {
		s := db.open(t)
		at := db.clock.now()
		setFlushed(t, s, map[int]time.Time{0: at, 1: at.Add(time.Second)})
		setFlushed(t, s, map[int]time.Time{0: at.Add(-time.Millisecond), 1: at.Add(2 * time.Second)})
		wantFlushed(t, s, 1, at)
		setFlushed(t, s, map[int]time.Time{0: at.Add(time.Minute), 1: at})
		wantFlushed(t, s, 1, at.Add(time.Minute))
		wantFlushed(t, s, 2, at.Add(2*time.Second))
	})
}
