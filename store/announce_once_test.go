package store_test

import (
	"sync"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"github.com/carillonhq/carillon/notifier"
	"github.com/carillonhq/carillon/store"
)

func onceOf(owner, key, digest string) *notifier.Once {
	return &notifier.Once{Owner: notifier.KeyRef(owner), Key: key, Digest: []byte(digest)}
}

func TestRepeatedAnnouncementIsReplayed(t *testing.T) {
	onBoth(t, func(t *testing.T, db *database) {
		s, other := db.open(t), db.open(t)
		first := db.announcement("first", 0, 2, 1, 3)
		if replayed, err := s.AnnounceOnce(t.Context(), notifier.Deed{}, &first, onceOf("app 9", "a", "1")); replayed || err != nil {
			t.Fatalf("the first: replayed %v, %v", replayed, err)
		}
		stored, revision := only(t, s, first.ID), must(s.AnnouncementRevision(t.Context()))(t)
		again := db.announcement("first", 0, 2, 1, 3)
		if replayed, err := other.AnnounceOnce(t.Context(), notifier.Deed{}, &again, onceOf("app 9", "a", "1")); !replayed || again.ID != first.ID || err != nil {
			t.Errorf("again: notice %d, replayed %v, %v; want the first, %d", again.ID, replayed, err, first.ID)
		}
		wrong := db.announcement("another", 0, 2, 1)
		replayed, err := s.AnnounceOnce(t.Context(), notifier.Deed{}, &wrong, onceOf("app 9", "a", "2"))
		if wantIs(t, err, notifier.ErrOtherRequest); replayed || wrong.ID != 0 {
			t.Errorf("another draft with the same key: notice %d, replayed %v", wrong.ID, replayed)
		}
		if now := must(s.AnnouncementRevision(t.Context()))(t); now != revision {
			t.Errorf("a replay raised the revision from %d to %d", revision, now)
		}
		if diff := cmp.Diff(stored, only(t, s, first.ID)); diff != "" {
			t.Errorf("the first has changed:\n%s", diff)
		}
		for i, once := range []*notifier.Once{onceOf("app 7", "a", "1"), onceOf("app 9", "b", "1"), {Owner: notifier.KeyRef("app 9"), Key: "empty"}, nil, nil} {
			n := db.announcement("others", 0, 2, 1)
			if replayed, err := s.AnnounceOnce(t.Context(), notifier.Deed{}, &n, once); replayed || n.ID == first.ID || err != nil {
				t.Errorf("request %d with another key or owner: notice %d, replayed %v, %v", i, n.ID, replayed, err)
			}
		}
		again = db.announcement("first", 0, 2, 1, 3)
		if _, err := s.AnnounceOnce(t.Context(), notifier.Deed{}, &again, onceOf("app 9", "a", "1")); again.ID != first.ID || err != nil {
			t.Errorf("after the others: notice %d, %v; want the first, %d", again.ID, err, first.ID)
		}
		if got := count(t, s); got != 6 {
			t.Errorf("%d announcements are stored; want 6", got)
		}
	})
}

func TestOfHundredConcurrentEqualAnnouncementsOneIsStored(t *testing.T) {
	onBoth(t, func(t *testing.T, db *database) {
		stores := []*store.Store{db.open(t), db.open(t), db.open(t)}
		all := make([]notifier.Notice, 100)
		fresh := make([]bool, len(all))
		begin := make(chan struct{})
		var wg sync.WaitGroup
		for i := range all {
			all[i] = db.announcement("one", 0, 1, 1)
			wg.Go(func() {
				<-begin
				replayed, err := stores[i%len(stores)].AnnounceOnce(t.Context(), notifier.Deed{}, &all[i], onceOf("app 9", "a", "1"))
				if err != nil {
					t.Errorf("request %d: %v", i, err)
				}
				fresh[i] = !replayed
			})
		}
		close(begin)
		wg.Wait()
		first := 0
		for i := range all {
			if fresh[i] {
				first++
			}
			if all[i].ID != all[0].ID || all[i].ID == 0 {
				t.Errorf("request %d is notice %d, request 0 is %d", i, all[i].ID, all[0].ID)
			}
		}
		if got := count(t, stores[0]); got != 1 || first != 1 {
			t.Errorf("%d announcements are stored, %d calls were not replayed; want 1 of each", got, first)
		}
	})
}

// TestRetryOfTheLastAllowedAnnouncementIsReplayed repeats the announcement that reached the limit
// of an audience.
func TestRetryOfTheLastAllowedAnnouncementIsReplayed(t *testing.T) {
	onBoth(t, func(t *testing.T, db *database) {
		s := db.open(t)
		db.fill(t, s, 1, 0, 1, 1)
		last := func() notifier.Notice { return db.announcement("the last", 0, 1, 1) }
		first, again, refused := last(), last(), last()
		if _, err := s.AnnounceOnce(t.Context(), notifier.Deed{}, &first, onceOf("app 9", "a", "1")); err != nil {
			t.Fatal(err)
		}
		if replayed, err := s.AnnounceOnce(t.Context(), notifier.Deed{}, &again, onceOf("app 9", "a", "1")); !replayed || again.ID != first.ID || err != nil {
			t.Errorf("again: notice %d, replayed %v, %v", again.ID, replayed, err)
		}
		_, err := s.AnnounceOnce(t.Context(), notifier.Deed{}, &refused, onceOf("app 9", "b", "1"))
		wantField(t, err, "starts_at", notifier.CodeTooManyOpen)
		// A rejected announcement must not use up its key.
		if err := s.RetractAnnouncement(t.Context(), notifier.Actor{}, first.ID); err != nil {
			t.Fatal(err)
		}
		if replayed, err := s.AnnounceOnce(t.Context(), notifier.Deed{}, &refused, onceOf("app 9", "b", "1")); replayed || refused.ID == 0 || err != nil {
			t.Errorf("after a slot is free: notice %d, replayed %v, %v", refused.ID, replayed, err)
		}
	})
}

// TestNoticesAndAnnouncementsShareIdempotencyKeys: the target of a form was changed before it was
// sent again.
func TestNoticesAndAnnouncementsShareIdempotencyKeys(t *testing.T) {
	onBoth(t, func(t *testing.T, db *database) {
		s := db.open(t)
		acceptAll(t, s, request("app 9", "a", "1"))
		n := db.announcement("to all", 0, 1, 1)
		_, err := s.AnnounceOnce(t.Context(), notifier.Deed{}, &n, onceOf("app 9", "a", "2"))
		wantIs(t, err, notifier.ErrOtherRequest)
		if _, err = s.AnnounceOnce(t.Context(), notifier.Deed{}, &n, onceOf("app 9", "b", "1")); err != nil {
			t.Fatal(err)
		}
		same := request("app 9", "b", "1")
		if acceptAll(t, s, same); !same.Replayed || same.Notice.ID != n.ID {
			t.Errorf("the announcement's key returns notice %d, replayed %v; want %d", same.Notice.ID, same.Replayed, n.ID)
		}
		db.clock.move(time.Minute)
		if forgotten := must(s.ForgetKeys(t.Context(), db.clock.now()))(t); forgotten != 2 {
			t.Errorf("%d keys were deleted; want 2", forgotten)
		}
	})
}
