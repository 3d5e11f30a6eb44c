package store_test

import (
	"slices"
	"testing"
	"time"

	"github.com/RoaringBitmap/roaring/v2"

	"github.com/carillonhq/carillon/notifier"
	"github.com/carillonhq/carillon/store"
)

// schedule stores a notice to be sent after some time, with a lifetime of an hour.
func schedule(t *testing.T, s *store.Store, now time.Time, after time.Duration) *notifier.Notice {
	t.Helper()
	d := draft()
	d.SendAt = now.Add(after)
	a := &notifier.Acceptance{Notice: &notifier.Notice{Draft: d, State: notifier.StateScheduled, ExpiresAt: d.SendAt.Add(time.Hour)}}
	acceptAll(t, s, a)
	return a.Notice
}

func idsOf(notices []notifier.Notice) (ids []int64) {
	for i := range notices {
		ids = append(ids, notices[i].ID)
	}
	return ids
}

func TestScheduledNoticesAreReleasedOnceWhenTheyAreDue(t *testing.T) {
	onBoth(t, func(t *testing.T, db *database) {
		s, other := db.open(t), db.open(t)
		start := db.clock.now()
		late, early := schedule(t, s, start, 2*time.Minute), schedule(t, s, start, time.Minute)
		between := batch(3) // accepted later, sent earlier
		acceptAll(t, s, between...)
		if due := must(s.Due(t.Context(), 10))(t); len(due) != 0 {
			t.Errorf("due at once: %v", idsOf(due))
		}
		if unfinished := must(s.Unfinished(t.Context(), 0, 10))(t); len(unfinished) != 3 {
			t.Errorf("unfinished: %v; want the three that are not scheduled", idsOf(unfinished))
		}
		db.clock.move(5 * time.Minute)
		now := db.clock.now()
		due := must(s.Due(t.Context(), 10))(t)
		if got := idsOf(due); !slices.Equal(got, []int64{early.ID, late.ID}) {
			t.Fatalf("due: %v; want %d and %d", got, early.ID, late.ID)
		}
		if one := must(s.Due(t.Context(), 1))(t); len(one) != 1 || one[0].ID != early.ID {
			t.Errorf("the first that is due: %v", idsOf(one))
		}
		both := []*notifier.Acceptance{{Notice: &due[0], To: roaring.BitmapOf(1, 2)}, {Notice: &due[1]}}
		if err := s.Release(t.Context(), both); err != nil || both[0].Err != nil || both[1].Err != nil {
			t.Fatal(err, both[0].Err, both[1].Err)
		}
		for i, want := range []int64{2, 0} {
			n := must(other.Notice(t.Context(), due[i].ID))(t)
			if n.State != notifier.StateAccepted || n.Recipients != want || n.Routed != (want > 0) || n.Order != between[2].Notice.ID ||
				!n.ReleasedAt.Equal(now) || !n.ExpiresAt.Equal(now.Add(time.Hour)) || !n.CreatedAt.Equal(start) {
				t.Errorf("the released notice: %+v", n)
			}
			if n.Order != due[i].Order || !n.ExpiresAt.Equal(due[i].ExpiresAt) || due[i].State != n.State || due[i].Recipients != want {
				t.Errorf("the notice is %+v, and Release returns %+v", n, due[i])
			}
		}
		wantIs(t, func() error {
			again := must(other.Notice(t.Context(), early.ID))(t)
			a := &notifier.Acceptance{Notice: &again, To: roaring.BitmapOf(3)}
			if err := other.Release(t.Context(), []*notifier.Acceptance{a}); err != nil {
				t.Fatal(err)
			}
			return a.Err
		}(), notifier.ErrConflict)
		if to := must(s.Recipients(t.Context(), early.ID))(t); !slices.Equal(to.ToArray(), []uint32{1, 2}) {
			t.Errorf("after a second release the recipients are %v", to)
		}
		// A loss of Redis at this moment must not lose it, although it was accepted long ago.
		if since := must(s.Since(t.Context(), now, 0, 10))(t); !slices.Contains(since, early.ID) || !slices.Contains(since, late.ID) {
			t.Errorf("changed since the release: %v", since)
		}
	})
}

func TestAnEditedOrCancelledNoticeIsNotReleasedAsItWas(t *testing.T) {
	onBoth(t, func(t *testing.T, db *database) {
		s := db.open(t)
		edited, cancelled := schedule(t, s, db.clock.now(), time.Minute), schedule(t, s, db.clock.now(), time.Minute)
		db.clock.move(time.Hour)
		due := must(s.Due(t.Context(), 10))(t)
		n := *edited
		n.Title, n.Body, n.Link, n.SendAt = "Another", "text", "/x", db.clock.now().Add(time.Hour)
		n.ExpiresAt = n.SendAt.Add(time.Hour)
		if err := s.EditScheduled(t.Context(), notifier.Actor{}, &n); err != nil || n.Revision != 1 {
			t.Fatalf("%v, revision %d", err, n.Revision)
		}
		stale := *edited
		wantIs(t, s.EditScheduled(t.Context(), notifier.Actor{}, &stale), notifier.ErrConflict)
		if !must(s.RetractNotice(t.Context(), notifier.Actor{}, cancelled.ID, notifier.StateScheduled, notifier.StateRetracted))(t) {
			t.Error("the notice was not cancelled")
		}
		wantIs(t, s.EditScheduled(t.Context(), notifier.Actor{}, cancelled), notifier.ErrConflict)
		all := []*notifier.Acceptance{{Notice: &due[0], To: roaring.BitmapOf(1)}, {Notice: &due[1], To: roaring.BitmapOf(1)}}
		if err := s.Release(t.Context(), all); err != nil {
			t.Fatal(err)
		}
		wantIs(t, all[0].Err, notifier.ErrConflict)
		wantIs(t, all[1].Err, notifier.ErrConflict)
		if due := must(s.Due(t.Context(), 10))(t); len(due) != 0 {
			t.Errorf("due: %v", idsOf(due))
		}
		db.clock.move(time.Hour)
		due = must(s.Due(t.Context(), 10))(t)
		if len(due) != 1 || due[0].Title != "Another" || due[0].Body != "text" || due[0].Link != "/x" || !due[0].SendAt.Equal(n.SendAt) || !due[0].ExpiresAt.Equal(n.ExpiresAt) {
			t.Errorf("due after the edit: %+v", due)
		}
		if found := must(s.Notices(t.Context(), notifier.NoticeQuery{Contains: "another", Limit: 5}))(t); len(found) != 1 {
			t.Errorf("a search for the new title finds %v", idsOf(found))
		}
	})
}
