package store_test

import (
	"context"
	"fmt"
	"sync"
	"testing"
	"time"

	"github.com/RoaringBitmap/roaring/v2"
	"github.com/google/go-cmp/cmp"

	"github.com/carillonhq/carillon/notifier"
	"github.com/carillonhq/carillon/store"
)

// batch returns n acceptances; the i-th has users 1 to i as recipients.
func batch(n int) []*notifier.Acceptance {
	all := make([]*notifier.Acceptance, n)
	for i := range all {
		d := draft()
		d.Title = fmt.Sprint("notice ", i)
		all[i] = &notifier.Acceptance{Notice: &notifier.Notice{Draft: d, ExpiresAt: time.Unix(1, 0)}, To: roaring.New()}
		all[i].To.AddRange(1, uint64(i)+1)
	}
	return all
}

// acceptAll accepts all of them or fails the test.
func acceptAll(t *testing.T, s *store.Store, all ...*notifier.Acceptance) {
	t.Helper()
	if err := s.AcceptAll(t.Context(), notifier.Deed{}, all); err != nil {
		t.Fatalf("accept %d notices: %v", len(all), err)
	}
	for i, a := range all {
		if a.Err != nil {
			t.Fatalf("accept notice %d of %d: %v", i, len(all), a.Err)
		}
	}
}

// count returns the number of stored notices.
func count(t *testing.T, s *store.Store) int {
	t.Helper()
	return len(must(s.Notices(t.Context(), notifier.NoticeQuery{Limit: 1 << 20}))(t))
}

func TestManyNoticesAreStoredWithTheirRecipients(t *testing.T) {
	onBoth(t, func(t *testing.T, db *database) {
		s := db.open(t)
		all := batch(1500)
		all[7].To = nil // resolved later
		all[8].Notice.State = notifier.StateSent
		all[9].To.AddRange(1_000_000, 1_100_000)
		all[9].To.Add(16_000_000)
		acceptAll(t, s, all...)
		ids := make([]int64, len(all))
		for i, a := range all {
			ids[i] = a.Notice.ID
		}
		stored := must(s.Accepted(t.Context(), ids))(t)
		byID := map[int64]notifier.Acceptance{}
		for i, a := range stored {
			byID[a.Notice.ID] = a
			if i > 0 && stored[i-1].Notice.ID >= a.Notice.ID {
				t.Fatalf("notice %d is returned after %d", a.Notice.ID, stored[i-1].Notice.ID)
			}
		}
		for i, a := range all {
			got, ok := byID[a.Notice.ID]
			if !ok {
				t.Fatalf("notice %d is missing", i)
			}
			if diff := cmp.Diff(a.Notice, got.Notice); diff != "" {
				t.Errorf("notice %d (-accepted +read):\n%s", i, diff)
			}
			if (a.To == nil) != (got.To == nil) || a.To != nil && !a.To.Equals(got.To) {
				t.Errorf("notice %d has the recipients %v; want %v", i, got.To, a.To)
			}
			want := int64(0)
			if a.To != nil {
				want = int64(a.To.GetCardinality())
			}
			if a.Notice.Recipients != want || a.Notice.Routed != (a.To != nil) {
				t.Errorf("notice %d has %d recipients, routed %v; want %d", i, a.Notice.Recipients, a.Notice.Routed, want)
			}
		}
		if none := must(s.Accepted(t.Context(), []int64{1 << 40}))(t); len(none) != 0 {
			t.Errorf("for no ids: %v", none)
		}
		acceptAll(t, s) // an empty list
	})
}

func TestAcceptAllCopiesWhatTheCallerMayStillChange(t *testing.T) {
	onBoth(t, func(t *testing.T, db *database) {
		s := db.open(t)
		release, _ := lockNotices(t, db)
		to := roaring.New()
		to.AddRange(1, 5000)
		digest := []byte("digest")
		a := &notifier.Acceptance{Notice: &notifier.Notice{Draft: draft()}, To: to, Once: &notifier.Once{Owner: notifier.KeyRef("o"), Key: "k", Digest: digest}}
		ctx, leave := contextOf(t)
		left := make(chan error)
		go func() { left <- s.AcceptAll(ctx, notifier.Deed{}, []*notifier.Acceptance{a}) }()
		other := &notifier.Acceptance{Notice: &notifier.Notice{Draft: draft()}, To: roaring.BitmapOf(1)}
		store.AwaitWaiting(t, s, 0) // it is being stored, waiting for the lock
		go leave()
		wantIs(t, <-left, context.Canceled)
		to.Clear() // the caller owns its bitmap again and may change it
		copy(digest, "xxxxxx")
		release()
		acceptAll(t, s, other)
		if got := count(t, s); got != 2 {
			t.Errorf("%d notices are stored; want 2", got)
		}
		again := request("o", "k", "digest")
		if acceptAll(t, s, again); !again.Replayed {
			t.Error("the request is not replayed for the digest that it had at the call")
		}
		for _, n := range must(s.Notices(t.Context(), notifier.NoticeQuery{Limit: 10}))(t) {
			if n.ID != other.Notice.ID && n.Recipients != 4999 {
				t.Errorf("a notice has %d recipients; want those at the time of the call", n.Recipients)
			}
		}
	})
}

func TestRejectedNoticeDoesNotAffectTheRestOfItsBatch(t *testing.T) {
	onBoth(t, func(t *testing.T, db *database) {
		s := db.open(t)
		refuseBad(t, s, db)
		all := batch(300)
		bad := map[int]bool{0: true, 7: true, 150: true, 151: true, 299: true}
		for i := range bad {
			all[i].Notice.Title = "bad \x00"
		}
		all[7].Once = &notifier.Once{Owner: notifier.KeyRef("o"), Key: "k", Digest: []byte("1")}
		all[8].Once = &notifier.Once{Owner: notifier.KeyRef("o"), Key: "k", Digest: []byte("1")} // must not be replayed: the first was not accepted
		if err := s.AcceptAll(t.Context(), notifier.Deed{}, all); err != nil {
			t.Fatal(err)
		}
		for i, a := range all {
			if (a.Err != nil) != bad[i] || (a.Notice.ID == 0) != bad[i] || a.Replayed {
				t.Errorf("notice %d: id %d, replayed %v, %v; want an error: %v", i, a.Notice.ID, a.Replayed, a.Err, bad[i])
			}
		}
		if got := count(t, s); got != 295 {
			t.Errorf("%d notices are stored; want 295", got)
		}
		alone := batch(1)
		alone[0].Notice.Title = "bad \x00"
		if err := s.AcceptAll(t.Context(), notifier.Deed{}, alone); err != nil || alone[0].Err == nil {
			t.Errorf("a single rejected notice: error %v, notice error %v; want only the second", err, alone[0].Err)
		}
	})
}

// refuseBad makes SQLite as strict as PostgreSQL, which rejects NUL.
func refuseBad(t *testing.T, s *store.Store, db *database) {
	t.Helper()
	if db.cfg.URL == "" {
		store.Exec(t, s, `CREATE TRIGGER refuse BEFORE INSERT ON notices WHEN NEW.title LIKE 'bad %'
			BEGIN SELECT RAISE(ABORT, 'bad'); END`)
	}
}

func TestBatchIsStoredAsAWhole(t *testing.T) {
	onBoth(t, func(t *testing.T, db *database) {
		s := db.open(t)
		const each = 300
		var wg sync.WaitGroup
		for range 12 { // more than one commit can store
			wg.Go(func() { acceptAll(t, s, batch(each)...) })
		}
		done := make(chan struct{})
		go func() { wg.Wait(); close(done) }()
		for over := false; !over; {
			select {
			case <-done:
				over = true
			default:
			}
			if got := count(t, s); got%each != 0 {
				t.Errorf("%d notices are stored: part of a batch of %d", got, each)
			}
		}
		if got := count(t, s); got != 12*each {
			t.Errorf("%d notices are stored; want %d", got, 12*each)
		}
	})
}

func TestFullQueueRefusesCallersAtOnce(t *testing.T) {
	onBoth(t, func(t *testing.T, db *database) {
		s := db.open(t)
		release, _ := lockNotices(t, db)
		var wg sync.WaitGroup
		wg.Go(func() { acceptAll(t, s, batch(1)...) })
		store.AwaitWaiting(t, s, 0)
		for i := range 10 {
			wg.Go(func() { acceptAll(t, s, batch(1000)...) })
			store.AwaitWaiting(t, s, 1000*(i+1))
		}
		wantIs(t, s.AcceptAll(t.Context(), notifier.Deed{}, batch(1)), notifier.ErrUnavailable)
		release()
		wg.Wait()
		acceptAll(t, s, batch(1)...)
		if got := count(t, s); got != 10_002 {
			t.Errorf("%d notices are stored; want those that were not refused", got)
		}
	})
}

func TestCanceledCallerFreesItsPlaceInTheQueue(t *testing.T) {
	onBoth(t, func(t *testing.T, db *database) {
		s := db.open(t)
		release, _ := lockNotices(t, db)
		var wg sync.WaitGroup
		wg.Go(func() { acceptAll(t, s, batch(1)...) })
		store.AwaitWaiting(t, s, 0)
		ctx, leave := contextOf(t)
		wg.Go(func() { wantIs(t, s.AcceptAll(ctx, notifier.Deed{}, batch(500)), context.Canceled) })
		store.AwaitWaiting(t, s, 500)
		leave()
		store.AwaitWaiting(t, s, 0)
		release()
		wg.Wait()
		acceptAll(t, s, batch(1)...)
		if got := count(t, s); got != 2 {
			t.Errorf("%d notices are stored; want 2", got)
		}
	})
}
