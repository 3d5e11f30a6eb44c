package store_test

import (
	"errors"
	"fmt"
	"slices"
	"strings"
	"sync"
	"sync/atomic"
	"testing"

	"github.com/RoaringBitmap/roaring/v2"
	"github.com/google/go-cmp/cmp"

	"github.com/carillonhq/carillon/notifier"
	"github.com/carillonhq/carillon/store"
)

func mute(t *testing.T, s *store.Store, seq int64, typ string, muted bool) {
	t.Helper()
	if err := s.SetMute(t.Context(), seq, typ, muted); err != nil {
		t.Fatalf("mute %s for user %d: %v", typ, seq, err)
	}
}

func TestMutesArePerUser(t *testing.T) {
	onBoth(t, func(t *testing.T, db *database) {
		s := db.open(t)
		alice, bob := addUser(t, s, "alice").Seq, addUser(t, s, "bob").Seq
		want := func(what string, seq int64, types ...string) {
			t.Helper()
			if diff := cmp.Diff(types, must(s.Mutes(t.Context(), seq))(t)); diff != "" {
				t.Errorf("%s (-want +got):\n%s", what, diff)
			}
		}
		want("at first", alice)
		for _, typ := range []string{"news", "like", "like", "order.late"} { // muting twice changes nothing
			mute(t, s, alice, typ, true)
		}
		mute(t, s, bob, "like", true)
		want("alice", alice, "like", "news", "order.late")
		want("bob", bob, "like")
		for range 2 {
			mute(t, s, alice, "like", false)
		}
		want("alice, after one", alice, "news", "order.late")
		want("bob, after alice", bob, "like")
		wantIs(t, s.SetMute(t.Context(), 99, "like", true), notifier.ErrNotFound)
		if _, err := db.raw(t).ExecContext(t.Context(), `DELETE FROM users WHERE seq = 2`); err != nil {
			t.Fatal(err)
		}
		want("bob, after being deleted", bob)
	})
}

func TestInvalidTypesCannotBeMuted(t *testing.T) {
	onBoth(t, func(t *testing.T, db *database) {
		s := db.open(t)
		alice := addUser(t, s, "alice").Seq
		for _, typ := range []string{"", "Like", "a b", "a\x00", "\xff", "-a", strings.Repeat("a", 64)} {
			for _, muted := range []bool{true, false} {
				err := s.SetMute(t.Context(), alice, typ, muted)
				want := &notifier.InvalidError{Fields: []notifier.FieldError{{Field: "type", Code: notifier.CodeBadType}}}
				if diff := cmp.Diff(error(want), err); diff != "" {
					t.Errorf("%q: %s", typ, diff)
				}
			}
		}
	})
}

func TestNumberOfMutedTypesIsLimited(t *testing.T) {
	onBoth(t, func(t *testing.T, db *database) {
		stores := []*store.Store{db.open(t), db.open(t)}
		alice := addUser(t, stores[0], "alice").Seq
		for i := range notifier.MaxMutes - 2 {
			mute(t, stores[0], alice, fmt.Sprintf("t%03d", i), true)
		}
		var refused atomic.Int64
		var wg sync.WaitGroup
		for i := range 8 { // the limit leaves room for two
			wg.Go(func() {
				err := stores[i%2].SetMute(t.Context(), alice, fmt.Sprint("late", i), true)
				var bad *notifier.InvalidError
				if errors.As(err, &bad) && bad.Fields[0].Code == notifier.CodeTooManyMutes && bad.Fields[0].Params["Max"] == 200 {
					refused.Add(1)
				} else if err != nil {
					t.Error(err)
				}
			})
		}
		wg.Wait()
		if got := len(must(stores[0].Mutes(t.Context(), alice))(t)); got != 200 || refused.Load() != 6 {
			t.Errorf("%d types are muted, %d were rejected; want 200 and 6", got, refused.Load())
		}
		mute(t, stores[0], alice, "t000", true) // is muted already
		mute(t, stores[0], alice, "t000", false)
		mute(t, stores[0], alice, "new", true)
	})
}

func TestAddresseesAreTheKnownNamesAndWhoOfThemHasMutedTheType(t *testing.T) {
	onBoth(t, func(t *testing.T, db *database) {
		s := db.open(t)
		alice, bob := addUser(t, s, "alice").Seq, addUser(t, s, "bob").Seq
		mute(t, s, bob, "like", true)
		mute(t, s, alice, "news", true)
		names := []string{"alice", "zoe", "bob", "\xff", "Alice", "nul\x00"}
		for typ, want := range map[string][]uint32{"like": {uint32(bob)}, "news": {uint32(alice)}, "quiet": nil, "": nil, "\xff\x00": nil} {
			seqs, muted, err := s.Addressees(t.Context(), typ, names)
			if err != nil || !slices.Equal(muted.ToArray(), want) {
				t.Errorf("%q: muted by %v, %v; want %v", typ, muted, err, want)
			}
			if diff := cmp.Diff(map[string]int64{"alice": alice, "bob": bob}, seqs); diff != "" {
				t.Errorf("%q: %s", typ, diff)
			}
		}
	})
}

func TestMutedByFindsUsersAmongFewAndMany(t *testing.T) {
	onBoth(t, func(t *testing.T, db *database) {
		s := db.open(t)
		must(s.ImportUsers(t.Context(), 3000, file(many(3000)), nil))(t)
		for _, seq := range []int64{3, 70, 1500, 2999} {
			mute(t, s, seq, "like", true)
		}
		mute(t, s, 4, "news", true)
		all, outer := roaring.New(), roaring.BitmapOf(1, 3, 2999)
		all.AddRange(2, 2500)
		all.Remove(70)
		for what, c := range map[string]struct {
			typ   string
			among *roaring.Bitmap
			want  []uint32
		}{
			"few":             {"like", outer, []uint32{3, 2999}},
			"one":             {"like", roaring.BitmapOf(70), []uint32{70}},
			"one other":       {"like", roaring.BitmapOf(71), nil},
			"many":            {"like", all, []uint32{3, 1500}},
			"another type":    {"news", all, []uint32{4}},
			"nobody muted":    {"quiet", all, nil},
			"no users":        {"like", roaring.New(), nil},
			"an invalid type": {"\xff\x00", all, nil},
		} {
			before := c.among.Clone()
			got := must(s.MutedBy(t.Context(), c.typ, c.among))(t)
			if !slices.Equal(got.ToArray(), c.want) || !c.among.Equals(before) {
				t.Errorf("%s: %v; want %v, and the argument unchanged", what, got, c.want)
			}
		}
	})
}
