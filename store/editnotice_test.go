package store_test

import (
	"fmt"
	"testing"
	"time"

	"github.com/RoaringBitmap/roaring/v2"
	"github.com/google/go-cmp/cmp"

	"github.com/carillonhq/carillon/notifier"
	"github.com/carillonhq/carillon/store"
)

// acceptFor accepts a notice to these users that expires in an hour.
func acceptFor(t *testing.T, s *store.Store, db *database, d notifier.Draft, seqs ...uint32) notifier.Notice {
	t.Helper()
	n := notifier.Notice{Draft: d, ExpiresAt: db.clock.now().Add(time.Hour)}
	acceptAll(t, s, &notifier.Acceptance{Notice: &n, To: roaring.BitmapOf(seqs...)})
	return n
}

func TestEditReplacesTheTextAndRestartsDelivery(t *testing.T) {
	onBoth(t, func(t *testing.T, db *database) {
		s := db.open(t)
		n := acceptFor(t, s, db, draft(), 1, 2, 3)
		neighbour := acceptFor(t, s, db, draft(), 1)
		want := n
		for revision, step := range []struct{ before, after notifier.State }{
			{notifier.StateAccepted, notifier.StateAccepted},
			{notifier.StateSent, notifier.StateSending},
			{notifier.StateSending, notifier.StateSending},
			{notifier.StateSent, notifier.StateSending},
		} {
			rev := int64(revision)
			must(s.Move(t.Context(), n.ID, rev, want.State, step.before))(t)
			if err := s.Advance(t.Context(), notifier.Claim{}, n.ID, rev, step.before, 2); err != nil {
				t.Fatal(err)
			}
			db.clock.move(time.Minute)
			title := fmt.Sprint("After ", revision)
			edited := notifier.Notice{ID: n.ID, Revision: rev, Draft: notifier.Draft{
				Type: "other", Title: title, Body: "b", Link: "/after", Sender: notifier.CommandRef("eve"), Target: toUsers("eve"),
			}}
			if err := s.EditNotice(t.Context(), notifier.Actor{}, &edited); err != nil {
				t.Fatalf("edit a notice that is %s: %v", step.before, err)
			}
			want.Title, want.Body, want.Link, want.Revision, want.State = title, "b", "/after", rev+1, step.after
			if diff := cmp.Diff(want, edited); diff != "" {
				t.Errorf("edited when %s (-want +got):\n%s", step.before, diff)
			}
			if diff := cmp.Diff(want, must(s.Notice(t.Context(), n.ID))(t)); diff != "" {
				t.Errorf("edited when %s, as it is stored (-want +got):\n%s", step.before, diff)
			}
			if ids := must(s.Since(t.Context(), db.clock.now(), 0, 10))(t); !cmp.Equal(ids, []int64{n.ID}) {
				t.Errorf("edited when %s: changed notices are %v", step.before, ids)
			}
		}
		beginning := acceptFor(t, s, db, draft(), 1, 2)
		must(s.Move(t.Context(), beginning.ID, 0, notifier.StateAccepted, notifier.StateSending))(t)
		if err := s.EditNotice(t.Context(), notifier.Actor{}, &beginning); err != nil || beginning.State != notifier.StateAccepted {
			t.Errorf("edited before all recipients had it: %s, %v; want accepted", beginning.State, err)
		}
		for part, hits := range map[string]int{draft().Title: 2, "after": 1, draft().Sender.ID: 3, "eve": 0} {
			if found := must(s.Notices(t.Context(), notifier.NoticeQuery{Contains: part}))(t); len(found) != hits {
				t.Errorf("searching %q finds %d; want %d", part, len(found), hits)
			}
		}
		if got := must(s.Notice(t.Context(), neighbour.ID))(t); !cmp.Equal(neighbour, got) {
			t.Errorf("another notice changed: %s", cmp.Diff(neighbour, got))
		}
		if to := must(s.Recipients(t.Context(), n.ID))(t); !to.Equals(roaring.BitmapOf(1, 2, 3)) {
			t.Errorf("its recipients are %v", to)
		}
	})
}

func TestOfManyEditsOfOneRevisionOneSucceeds(t *testing.T) {
	onBoth(t, func(t *testing.T, db *database) {
		stores := []*store.Store{db.open(t), db.open(t)}
		n := acceptFor(t, stores[0], db, draft(), 1)
		errs := make(chan error)
		for i := range 8 {
			go func() {
				mine := n
				errs <- stores[i%2].EditNotice(t.Context(), notifier.Actor{}, &mine)
			}()
		}
		won := 0
		for range 8 {
			if err := <-errs; err == nil {
				won++
			} else {
				wantIs(t, err, notifier.ErrConflict)
			}
		}
		if got := must(stores[0].Notice(t.Context(), n.ID))(t); won != 1 || got.Revision != 1 {
			t.Errorf("%d edits succeeded, the revision is %d; want 1", won, got.Revision)
		}
	})
}

func TestRetractedExpiredAndAnnouncedNoticesAreNotEdited(t *testing.T) {
	onBoth(t, func(t *testing.T, db *database) {
		s := db.open(t)
		retracting, retracted, expired := acceptFor(t, s, db, draft(), 1), acceptFor(t, s, db, draft(), 1), acceptFor(t, s, db, draft(), 1)
		announced := announce(t, s, db.announcement("a", 0, 5, 1))
		for _, step := range []struct {
			n        notifier.Notice
			from, to notifier.State
		}{
			{retracting, notifier.StateAccepted, notifier.StateRetracting},
			{retracted, notifier.StateAccepted, notifier.StateRetracting},
			{retracted, notifier.StateRetracting, notifier.StateRetracted},
		} {
			must(s.RetractNotice(t.Context(), notifier.Actor{}, step.n.ID, step.from, step.to))(t)
		}
		for _, n := range []notifier.Notice{retracting, retracted} {
			before := must(s.Notice(t.Context(), n.ID))(t)
			wantIs(t, s.EditNotice(t.Context(), notifier.Actor{}, &n), notifier.ErrConflict)
			if diff := cmp.Diff(before, must(s.Notice(t.Context(), n.ID))(t)); diff != "" {
				t.Errorf("a rejected edit changed the notice:\n%s", diff)
			}
		}
		for _, id := range []int64{announced.ID, 99, 0, -1} {
			n := expired
			n.ID = id
			wantIs(t, s.EditNotice(t.Context(), notifier.Actor{}, &n), notifier.ErrNotFound)
		}
		db.clock.move(time.Hour) // the notice expires at this very moment
		wantIs(t, s.EditNotice(t.Context(), notifier.Actor{}, &expired), notifier.ErrConflict)
	})
}

func TestWorkOnAnOldRevisionDoesNotMoveTheNewOne(t *testing.T) {
	onBoth(t, func(t *testing.T, db *database) {
		s := db.open(t)
		n := acceptFor(t, s, db, draft(), 1, 2, 3)
		must(s.Move(t.Context(), n.ID, 0, notifier.StateAccepted, notifier.StateSending))(t)
		if err := s.Advance(t.Context(), notifier.Claim{}, n.ID, 0, notifier.StateSending, 1); err != nil {
			t.Fatal(err)
		}
		if got := must(s.Notice(t.Context(), n.ID))(t); got.State != notifier.StateSending || got.Done != 1 {
			t.Fatalf("before the edit it is %s with cursor %d", got.State, got.Done)
		}
		if err := s.EditNotice(t.Context(), notifier.Actor{}, &n); err != nil {
			t.Fatal(err)
		}
		if !must(s.Move(t.Context(), n.ID, 1, notifier.StateAccepted, notifier.StateSending))(t) {
			t.Fatal("work on the edited revision cannot begin")
		}
		if err := s.Advance(t.Context(), notifier.Claim{}, n.ID, 0, notifier.StateSending, 2); err != nil {
			t.Error(err)
		}
		if must(s.Move(t.Context(), n.ID, 0, notifier.StateSending, notifier.StateSent))(t) {
			t.Error("work on the old revision finished the new one")
		}
		if got := must(s.Notice(t.Context(), n.ID))(t); got.State != notifier.StateSending || got.Done != 0 {
			t.Errorf("it is %s with cursor %d; want sending from the beginning", got.State, got.Done)
		}
	})
}
