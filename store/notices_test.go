package store_test

import (
	"slices"
	"sync"
	"testing"
	"time"

	"github.com/RoaringBitmap/roaring/v2"
	"github.com/google/go-cmp/cmp"

	"github.com/carillonhq/carillon/notifier"
	"github.com/carillonhq/carillon/store"
)

func draft() notifier.Draft {
	return notifier.Draft{
		Target: notifier.Target{Users: []string{"alice", `b"öb`}}, Type: "like", Scope: "119240", Subject: "photo:1",
		Title: "Ünï\u00a0code 'quoted' $1", Body: "two\nlines", Link: "/photos/1", Toast: true, Sender: notifier.CommandRef("staff"),
	}
}

func accept(t *testing.T, s *store.Store, d notifier.Draft) notifier.Notice {
	t.Helper()
	n := notifier.Notice{Draft: d, ExpiresAt: time.Date(2026, 8, 1, 0, 0, 0, 0, time.UTC)}
	if err := s.Accept(t.Context(), &n); err != nil {
		t.Fatalf("accept: %v", err)
	}
	return n
}

func TestNoticeIsReadAsAccepted(t *testing.T) {
	onBoth(t, func(t *testing.T, db *database) {
		s := db.open(t)
		db.clock.move(1234567 * time.Nanosecond)
		role := draft()
		role.Target, role.Toast, role.Subject, role.Link, role.Scope = notifier.Target{Role: "picker"}, false, "", "", ""
		for i, d := range []notifier.Draft{draft(), role} {
			n := accept(t, s, d)
			if n.ID != int64(i+1) || n.State != notifier.StateAccepted {
				t.Errorf("accepted as %d, %s; want %d, accepted", n.ID, n.State, i+1)
			}
			if want := db.clock.now().UTC().Truncate(time.Millisecond); !n.CreatedAt.Equal(want) {
				t.Errorf("created at %v; want %v", n.CreatedAt, want)
			}
			if diff := cmp.Diff(n, must(s.Notice(t.Context(), n.ID))(t)); diff != "" {
				t.Errorf("notice (-accepted +read):\n%s", diff)
			}
		}
		for _, id := range []int64{0, -1, 99, 1<<63 - 1} {
			_, err := s.Notice(t.Context(), id)
			wantIs(t, err, notifier.ErrNotFound)
		}
	})
}

func TestFirstRecipientsAreKept(t *testing.T) {
	onBoth(t, func(t *testing.T, db *database) {
		s := db.open(t)
		n := accept(t, s, draft())
		_, err := s.Recipients(t.Context(), n.ID)
		wantIs(t, err, notifier.ErrNotFound)
		big := roaring.New()
		big.AddRange(1, 100_001)
		big.Add(16_000_000)
		for _, who := range []*roaring.Bitmap{big, roaring.BitmapOf(5)} {
			stored := must(s.SetRecipients(t.Context(), n.ID, who))(t)
			if !stored.Equals(big) {
				t.Errorf("%d recipients are returned; want the first %d", stored.GetCardinality(), big.GetCardinality())
			}
		}
		if got := must(s.Recipients(t.Context(), n.ID))(t); !got.Equals(big) {
			t.Errorf("%d recipients are read; want %d", got.GetCardinality(), big.GetCardinality())
		}
		if got := must(s.Notice(t.Context(), n.ID))(t); !got.Routed || got.Recipients != 100_001 {
			t.Errorf("routed = %v with %d recipients; want 100,001", got.Routed, got.Recipients)
		}
		nobody := accept(t, s, draft())
		must(s.SetRecipients(t.Context(), nobody.ID, roaring.New()))(t)
		if got := must(s.Notice(t.Context(), nobody.ID))(t); !got.Routed || got.Recipients != 0 {
			t.Errorf("routed without recipients: routed = %v with %d recipients", got.Routed, got.Recipients)
		}
		_, err = s.SetRecipients(t.Context(), 99, big)
		wantIs(t, err, notifier.ErrNotFound)
	})
}

func TestConcurrentRoutersAgreeOnTheRecipients(t *testing.T) {
	onBoth(t, func(t *testing.T, db *database) {
		stores := []*store.Store{db.open(t), db.open(t)}
		n := accept(t, stores[0], draft())
		got := make([]*roaring.Bitmap, 8)
		var wg sync.WaitGroup
		for i := range got {
			wg.Go(func() {
				var err error
				got[i], err = stores[i%2].SetRecipients(t.Context(), n.ID, roaring.BitmapOf(uint32(i+1)))
				if err != nil {
					t.Error(err)
				}
			})
		}
		wg.Wait()
		for _, g := range got {
			if g == nil || !g.Equals(got[0]) || g.GetCardinality() != 1 {
				t.Fatalf("routers got %v", got)
			}
		}
	})
}

func TestCursorOnlyMovesForwardWithinItsState(t *testing.T) {
	onBoth(t, func(t *testing.T, db *database) {
		s, other := db.open(t), db.open(t)
		n := accept(t, s, draft())
		advance := func(state notifier.State, done, want int64) {
			t.Helper()
			if err := s.Advance(t.Context(), notifier.Claim{}, n.ID, 0, state, done); err != nil {
				t.Fatal(err)
			}
			if got := must(other.Notice(t.Context(), n.ID))(t).Done; got != want {
				t.Errorf("advance %s to %d: cursor at %d; want %d", state, done, got, want)
			}
		}
		move := func(from, to notifier.State, want bool) {
			t.Helper()
			if ok := must(other.RetractNotice(t.Context(), notifier.Actor{}, n.ID, from, to))(t); ok != want {
				t.Errorf("%s → %s: %v; want %v", from, to, ok, want)
			}
		}
		advance(notifier.StateSending, 10, 0)
		move(notifier.StateAccepted, notifier.StateSending, true)
		move(notifier.StateAccepted, notifier.StateSending, false)
		advance(notifier.StateSending, 500, 500)
		advance(notifier.StateSending, 256, 500)
		move(notifier.StateSending, notifier.StateRetracting, true)
		advance(notifier.StateSending, 1000, 0)
		move(notifier.StateSending, notifier.StateSent, false)
		advance(notifier.StateRetracting, 3, 3)
		if err := s.Advance(t.Context(), notifier.Claim{}, 99, 0, notifier.StateSending, 1); err != nil {
			t.Errorf("advance an unknown notice: %v; want no error", err)
		}
	})
}

func TestOnlyOneInstanceChangesAState(t *testing.T) {
	onBoth(t, func(t *testing.T, db *database) {
		stores := []*store.Store{db.open(t), db.open(t)}
		n := accept(t, stores[0], draft())
		moved := make(chan bool)
		for i := range 8 {
			go func() {
				ok, err := stores[i%2].RetractNotice(t.Context(), notifier.Actor{}, n.ID, notifier.StateAccepted, notifier.StateSending)
				if err != nil {
					t.Error(err)
				}
				moved <- ok
			}()
		}
		count := 0
		for range 8 {
			if <-moved {
				count++
			}
		}
		if count != 1 {
			t.Errorf("%d callers moved the notice; want 1", count)
		}
	})
}

// unfinished returns the ids of the first unfinished notices.
func unfinished(t *testing.T, s *store.Store, limit int) (ids []int64) {
	t.Helper()
	for _, n := range must(s.Unfinished(t.Context(), 0, limit))(t) {
		ids = append(ids, n.ID)
	}
	return ids
}

func TestUnfinishedNoticesAreFoundOldestFirst(t *testing.T) {
	onBoth(t, func(t *testing.T, db *database) {
		s := db.open(t)
		states := []notifier.State{
			notifier.StateAccepted, notifier.StateSending, notifier.StateSent, notifier.StateRetracting, notifier.StateRetracted,
		}
		for _, state := range slices.Concat(states, states) {
			n := accept(t, s, draft())
			must(s.RetractNotice(t.Context(), notifier.Actor{}, n.ID, notifier.StateAccepted, state))(t)
		}
		if got := unfinished(t, s, 100); !slices.Equal(got, []int64{1, 2, 4, 6, 7, 9}) {
			t.Errorf("unfinished = %v", got)
		}
		if got := unfinished(t, s, 2); !slices.Equal(got, []int64{1, 2}) {
			t.Errorf("the first two = %v", got)
		}
		want := map[notifier.State]int64{notifier.StateAccepted: 2, notifier.StateSending: 2, notifier.StateRetracting: 2}
		if diff := cmp.Diff(want, must(s.Backlog(t.Context()))(t)); diff != "" {
			t.Errorf("backlog (-want +got):\n%s", diff)
		}
	})
}

func TestFirstRecipientsOfManyNotices(t *testing.T) {
	onBoth(t, func(t *testing.T, db *database) {
		s := db.open(t)
		for _, who := range []*roaring.Bitmap{roaring.BitmapOf(7), roaring.BitmapOf(16_000_000, 3), roaring.New(), nil} {
			n := accept(t, s, draft())
			if who != nil {
				must(s.SetRecipients(t.Context(), n.ID, who))(t)
			}
		}
		got := must(s.FirstRecipients(t.Context(), []int64{4, 3, 2, 1, 99}))(t)
		if diff := cmp.Diff(map[int64]int64{1: 7, 2: 3}, got); diff != "" {
			t.Errorf("(-want +got):\n%s", diff)
		}
		if none := must(s.FirstRecipients(t.Context(), nil))(t); len(none) != 0 {
			t.Errorf("for no ids: %v", none)
		}
	})
}
