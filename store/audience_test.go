package store_test

import (
	"fmt"
	"sync"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"github.com/carillonhq/carillon/notifier"
	"github.com/carillonhq/carillon/store"
)

func addTo(t *testing.T, s *store.Store, audience notifier.Audience, names ...string) {
	t.Helper()
	for _, name := range names {
		if _, err := s.CreateUser(t.Context(), notifier.NewUser{Name: name, Audience: audience}); err != nil {
			t.Fatal(err)
		}
	}
}

func TestAudiencesAreCountedUpToANumber(t *testing.T) {
	onBoth(t, func(t *testing.T, db *database) {
		s := db.open(t)
		addTo(t, s, 1, "a", "b")
		addTo(t, s, 2, "c")
		addTo(t, s, 1, "d")
		for top, want := range map[int64]map[notifier.Audience]int64{
			0: {1: 3, 2: 1, 3: 0}, 4: {1: 3, 2: 1, 3: 0}, 2: {1: 2, 2: 0, 3: 0}, 1: {1: 1, 2: 0, 3: 0},
		} {
			got := must(s.AudienceSize(t.Context(), []notifier.Audience{1, 2, 3}, top))(t)
			if diff := cmp.Diff(want, got); diff != "" {
				t.Errorf("up to %d (-want +got):\n%s", top, diff)
			}
		}
	})
}

func TestSizeOfALargeAudienceIsCachedForHalfAMinute(t *testing.T) {
	onBoth(t, func(t *testing.T, db *database) {
		s := db.open(t)
		store.LargeAudience(s, 2)
		size := func(what string, one, two int64) {
			t.Helper()
			got := must(s.AudienceSize(t.Context(), []notifier.Audience{1, 2}, 0))(t)
			if diff := cmp.Diff(map[notifier.Audience]int64{1: one, 2: two}, got); diff != "" {
				t.Errorf("%s (-want +got):\n%s", what, diff)
			}
		}
		addTo(t, s, 1, "a", "b", "c")
		addTo(t, s, 2, "d", "e")
		size("at first", 3, 2)
		addTo(t, s, 1, "f")
		addTo(t, s, 2, "g")
		size("the large one is remembered", 3, 3)
		db.clock.move(29 * time.Second)
		size("still", 3, 3)
		if got := must(s.AudienceSize(t.Context(), []notifier.Audience{1}, 6))(t); got[1] != 4 {
			t.Errorf("up to another number: %v; want 4", got)
		}
		db.clock.move(time.Second)
		size("no longer", 4, 3)
	})
}

func TestFirstSettleTopWins(t *testing.T) {
	onBoth(t, func(t *testing.T, db *database) {
		stores := []*store.Store{db.open(t), db.open(t)}
		addTo(t, stores[0], 3, "a", "b")
		addTo(t, stores[0], 4, "c")
		n := announce(t, stores[0], db.announcement("a", 0, 1, 3, 4))
		k := notifier.PartKey{ID: n.ID, Audience: 3}
		got := make([]notifier.Part, 16)
		var wg sync.WaitGroup
		for i := range got {
			wg.Go(func() {
				_, err := stores[i%2].CreateUser(t.Context(), notifier.NewUser{Name: fmt.Sprint("joins ", i), Audience: 3})
				if err == nil {
					got[i], err = stores[i%2].SettleTop(t.Context(), k)
				}
				if err != nil {
					t.Error(err)
				}
			})
		}
		wg.Wait()
		addTo(t, stores[1], 3, "late")
		for _, p := range append(got, must(stores[1].SettleTop(t.Context(), k))(t), only(t, db.open(t), n.ID).Parts[0]) {
			if p != got[0] || !p.Settled || p.Top < 4 || p.Members != p.Top-1 { // c is in another audience
				t.Fatalf("settled as %+v and %+v", got[0], p)
			}
		}
		if other := only(t, stores[0], n.ID).Parts[1]; other.Settled {
			t.Errorf("the other audience was settled too: %+v", other)
		}
		for _, unknown := range []notifier.PartKey{{ID: 99, Audience: 3}, {ID: n.ID, Audience: 9}} {
			_, err := stores[0].SettleTop(t.Context(), unknown)
			wantIs(t, err, notifier.ErrNotFound)
		}
	})
}
