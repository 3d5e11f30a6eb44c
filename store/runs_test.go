package store_test

import (
	"slices"
	"strconv"
	"sync"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"github.com/carillonhq/carillon/store"
)

func addRun(t *testing.T, s *store.Store, id string, at time.Time) {
	t.Helper()
	if err := s.AddRun(t.Context(), id, at); err != nil {
		t.Fatalf("add run %s: %v", id, err)
	}
}

func wantRuns(t *testing.T, s *store.Store, want ...string) {
	t.Helper()
	if diff := cmp.Diff(want, must(s.KnownRuns(t.Context()))(t)); diff != "" {
		t.Errorf("known runs (-want +got):\n%s", diff)
	}
}

func TestRunIDsAreListedLatestFirst(t *testing.T) {
	onBoth(t, func(t *testing.T, db *database) {
		s := db.open(t)
		wantRuns(t, s)
		at := db.clock.now()
		addRun(t, s, "b", at)
		addRun(t, s, "a", at.Add(time.Second))
		addRun(t, s, "c", at.Add(2*time.Second))
		addRun(t, s, "b", at.Add(3*time.Second))
		addRun(t, s, "c", at) // a slow clock
		again := db.open(t)
		wantRuns(t, again, "b", "c", "a")
	})
}

func TestLastHundredRunIDsAreKept(t *testing.T) {
	onBoth(t, func(t *testing.T, db *database) {
		s := db.open(t)
		at := db.clock.now()
		var want []string
		for i := range 103 {
			addRun(t, s, strconv.Itoa(i), at.Add(time.Duration(i)*time.Second))
			want = append([]string{strconv.Itoa(i)}, want...)
		}
		wantRuns(t, s, want[:100]...)
		addRun(t, s, "of a slow clock", at.Add(-time.Hour))
		wantRuns(t, s, append(slices.Clone(want[:99]), "of a slow clock")...)
	})
}

func TestRunIDsCanBeAddedConcurrently(t *testing.T) {
	onBoth(t, func(t *testing.T, db *database) {
		stores := []*store.Store{db.open(t), db.open(t)}
		var wg sync.WaitGroup
		for i := range 20 {
			wg.Go(func() {
				if err := stores[i%2].AddRun(t.Context(), strconv.Itoa(i/4), db.clock.now()); err != nil {
					t.Error(err)
				}
			})
		}
		wg.Wait()
		wantRuns(t, stores[0], "0", "1", "2", "3", "4")
	})
}
