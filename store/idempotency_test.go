package store_test

import (
	"fmt"
	"strconv"
	"sync"
	"testing"
	"time"

	"github.com/RoaringBitmap/roaring/v2"

	"github.com/carillonhq/carillon/notifier"
	"github.com/carillonhq/carillon/store"
)

// request returns a notice with the idempotency key of its request.
func request(owner, key, digest string) *notifier.Acceptance {
	return &notifier.Acceptance{
		Notice: &notifier.Notice{Draft: draft()}, To: roaring.BitmapOf(1, 2),
		Once: &notifier.Once{Owner: notifier.KeyRef(owner), Key: key, Digest: []byte(digest)},
	}
}

func TestRepeatedRequestIsReplayed(t *testing.T) {
	onBoth(t, func(t *testing.T, db *database) {
		s, other := db.open(t), db.open(t)
		first := request("api", "1", "digest")
		acceptAll(t, s, first)
		again := request("api", "1", "digest")
		acceptAll(t, other, again)
		if !again.Replayed || again.Notice.ID != first.Notice.ID || first.Replayed || first.Notice.ID == 0 {
			t.Errorf("the first is %d, replayed %v; again %d, replayed %v", first.Notice.ID, first.Replayed, again.Notice.ID, again.Replayed)
		}
		if again.Notice.Recipients != 0 || again.Notice.Routed {
			t.Error("a replayed notice has recipients that were never stored")
		}
		for i, a := range []*notifier.Acceptance{
			request("web", "1", "digest"), request("api", "2", "digest"), request("api", "", ""), request("", "", ""),
			{Notice: &notifier.Notice{Draft: draft()}},
			{Notice: &notifier.Notice{Draft: draft()}},
		} {
			acceptAll(t, s, a)
			if a.Replayed || a.Notice.ID <= first.Notice.ID {
				t.Errorf("request %d with another key or owner: id %d, replayed %v", i, a.Notice.ID, a.Replayed)
			}
		}
		stored := count(t, s)
		for _, digest := range []string{"other", "", "digest\x00", "Digest"} {
			a := request("api", "1", digest)
			if err := s.AcceptAll(t.Context(), notifier.Deed{}, []*notifier.Acceptance{a}); err != nil {
				t.Fatal(err)
			}
			wantIs(t, a.Err, notifier.ErrOtherRequest)
			if a.Replayed || a.Notice.ID != 0 {
				t.Errorf("with the digest %q: id %d, replayed %v", digest, a.Notice.ID, a.Replayed)
			}
		}
		if got := count(t, s); got != stored {
			t.Errorf("%d notices are stored; want %d", got, stored)
		}
	})
}

func TestBatchMayContainARequestTwice(t *testing.T) {
	onBoth(t, func(t *testing.T, db *database) {
		s := db.open(t)
		acceptAll(t, s, request("o", "known", "1"))
		all := []*notifier.Acceptance{
			request("o", "b", "1"), request("o", "a", "1"), request("o", "b", "1"),
			{Notice: &notifier.Notice{Draft: draft()}},
			request("o", "a", "2"), request("o", "known", "1"), request("o", "b", "1"),
		}
		if err := s.AcceptAll(t.Context(), notifier.Deed{}, all); err != nil {
			t.Fatal(err)
		}
		for i, first := range []int{0, 1, 0, 3, -1, -1, 0} {
			a := all[i]
			switch {
			case i == 4:
				wantIs(t, a.Err, notifier.ErrOtherRequest)
			case i == 5 && (a.Notice.ID != 1 || !a.Replayed), i != 5 && (a.Notice.ID != all[first].Notice.ID || a.Replayed != (i != first)), a.Err != nil:
				t.Errorf("request %d: id %d, replayed %v, %v", i, a.Notice.ID, a.Replayed, a.Err)
			}
		}
		if got := count(t, s); got != 4 {
			t.Errorf("%d notices are stored; want 4", got)
		}
	})
}

func TestOfHundredConcurrentEqualRequestsOneIsStored(t *testing.T) {
	onBoth(t, func(t *testing.T, db *database) {
		stores := []*store.Store{db.open(t), db.open(t), db.open(t)}
		const keys = 4
		all := make([]*notifier.Acceptance, 100*keys)
		begin := make(chan struct{})
		var wg sync.WaitGroup
		for i := range all {
			all[i] = request("api", strconv.Itoa(i%keys), "digest")
			beside := &notifier.Acceptance{Notice: &notifier.Notice{Draft: draft()}}
			wg.Go(func() {
				<-begin
				if i%2 == 0 { // in a different order
					acceptAll(t, stores[i%len(stores)], all[i], beside)
				} else {
					acceptAll(t, stores[i%len(stores)], beside, all[i])
				}
			})
		}
		close(begin)
		wg.Wait()
		ids, fresh := map[string]int64{}, map[string]int{}
		for _, a := range all {
			if !a.Replayed {
				fresh[a.Once.Key]++
				ids[a.Once.Key] = a.Notice.ID
			}
		}
		for i, a := range all {
			if a.Notice.ID != ids[a.Once.Key] || fresh[a.Once.Key] != 1 {
				t.Errorf("request %d: notice %d; not replayed with this key: %d, first notice: %d", i, a.Notice.ID, fresh[a.Once.Key], ids[a.Once.Key])
			}
		}
		if got := count(t, stores[0]); got != keys+len(all) {
			t.Errorf("%d notices are stored; want %d with keys and %d others", got, keys, len(all))
		}
	})
}

// TestConcurrentCallsWithTheSameKeysDoNotDeadlock sends several keys at once to two instances, in
// different orders.
func TestConcurrentCallsWithTheSameKeysDoNotDeadlock(t *testing.T) {
	onBoth(t, func(t *testing.T, db *database) {
		stores := []*store.Store{db.open(t), db.open(t)}
		const rounds, keys = 20, 200
		for round := range rounds {
			var wg sync.WaitGroup
			var both [2][]*notifier.Acceptance
			for which, s := range stores {
				for i := range keys {
					if which == 1 {
						i = keys - 1 - i
					}
					both[which] = append(both[which], request("o", fmt.Sprint(round, "/", i), "1"))
				}
				wg.Go(func() { acceptAll(t, s, both[which]...) })
			}
			wg.Wait()
			for i, a := range both[0] {
				if b := both[1][keys-1-i]; a.Notice.ID != b.Notice.ID || a.Replayed == b.Replayed {
					t.Fatalf("key %s: notice %d, replayed %v, and %d, replayed %v", a.Once.Key, a.Notice.ID, a.Replayed, b.Notice.ID, b.Replayed)
				}
			}
		}
		if got := count(t, stores[0]); got != rounds*keys {
			t.Errorf("%d notices are stored; want %d", got, rounds*keys)
		}
	})
}

// The database of an application may be away for days after its rows were accepted, and before they are deleted.
func TestTheLastKeysOfAnOutboxAreKept(t *testing.T) {
	onBoth(t, func(t *testing.T, db *database) {
		s := db.open(t)
		of := func(box, key string) *notifier.Acceptance {
			a := request("o", key, "1")
			a.Once.Owner = notifier.OutboxRef(box)
			return a
		}
		acceptAll(t, s, of("shop", "old"), of("other", "old"))
		db.clock.move(time.Hour)
		acceptAll(t, s, of("shop", "last but one"), request("o", "key", "1"))
		db.clock.move(time.Second)
		acceptAll(t, s, of("shop", "last"))
		db.clock.move(48 * time.Hour)
		if n := must(s.ForgetKeys(t.Context(), db.clock.now().Add(-24*time.Hour)))(t); n != 2 {
			t.Errorf("%d keys were deleted; want the older one of the shop, and that of the key", n)
		}
		for _, a := range []*notifier.Acceptance{of("shop", "last but one"), of("shop", "last"), of("other", "old")} {
			if acceptAll(t, s, a); !a.Replayed {
				t.Errorf("%s %s was accepted again", a.Once.Owner, a.Once.Key)
			}
		}
	})
}

func TestForgottenKeyCountsAsNew(t *testing.T) {
	onBoth(t, func(t *testing.T, db *database) {
		s := db.open(t)
		old, young := request("o", "old", "1"), request("o", "young", "1")
		acceptAll(t, s, old)
		db.clock.move(time.Minute)
		moment := db.clock.now()
		acceptAll(t, s, young)
		store.Exec(t, s, `INSERT INTO idempotency_keys (owner_kind, owner_id, key, digest, notice_id, created_at)
			WITH RECURSIVE numbers (n) AS (SELECT 1 UNION ALL SELECT n + 1 FROM numbers WHERE n < 12000)
			SELECT 'key', 'many', CAST(n AS TEXT), '', n, n FROM numbers`)
		if n := must(s.ForgetKeys(t.Context(), moment))(t); n != 12_001 {
			t.Errorf("%d keys were deleted; want the 12,001 old ones", n)
		}
		if n := must(s.ForgetKeys(t.Context(), moment))(t); n != 0 {
			t.Errorf("%d more keys were deleted; want none", n)
		}
		again, same := request("o", "old", "2"), request("o", "young", "1")
		acceptAll(t, s, again, same)
		if again.Replayed || again.Notice.ID == old.Notice.ID || !same.Replayed || same.Notice.ID != young.Notice.ID {
			t.Errorf("the old request: notice %d, replayed %v; the recent one: notice %d, replayed %v", again.Notice.ID, again.Replayed, same.Notice.ID, same.Replayed)
		}
	})
}
