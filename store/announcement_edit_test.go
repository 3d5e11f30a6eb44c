package store_test

import (
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"github.com/carillonhq/carillon/notifier"
	"github.com/carillonhq/carillon/store"
)

func edit(t *testing.T, s *store.Store, n notifier.Notice) notifier.Notice {
	t.Helper()
	if err := s.EditAnnouncement(t.Context(), notifier.Actor{}, &n); err != nil {
		t.Fatalf("edit %q: %v", n.Title, err)
	}
	return n
}

func TestEditReplacesContentAndNothingElse(t *testing.T) {
	onBoth(t, func(t *testing.T, db *database) {
		s := db.open(t)
		n := announce(t, s, db.announcement("before", 0, 1, 1))
		neighbour := announce(t, s, db.announcement("neighbour", 0, 1, 1))
		change := notifier.Notice{ID: n.ID, Draft: notifier.Draft{
			Target: notifier.Target{Audiences: []notifier.Audience{1}}, Type: "alarm", Title: "After", Body: "b", Link: "/after", Sender: notifier.CommandRef("Eve"),
			Window: notifier.Window{StartsAt: n.StartsAt.Add(time.Microsecond), EndsAt: n.EndsAt.Add(time.Hour), LateJoiners: true},
		}}
		edited := edit(t, s, change)
		want := n
		want.Type, want.Title, want.Body, want.Link, want.Window = "alarm", "After", "b", "/after", change.Window
		want.StartsAt, want.ExpiresAt, want.Revision = n.StartsAt, n.EndsAt.Add(time.Hour), 1
		if diff := cmp.Diff(want, only(t, s, n.ID).Notice); diff != "" || edited.Revision != 1 {
			t.Errorf("edited to revision %d (-want +got):\n%s", edited.Revision, diff)
		}
		for part, ids := range map[string]int{"before": 0, "after": 1, "bob": 2, "eve": 0} {
			if found := must(s.Notices(t.Context(), notifier.NoticeQuery{Contains: part}))(t); len(found) != ids {
				t.Errorf("searching %q finds %d; want %d", part, len(found), ids)
			}
		}
		if got := only(t, s, neighbour.ID).Notice; !cmp.Equal(neighbour, got) {
			t.Errorf("another announcement changed: %s", cmp.Diff(neighbour, got))
		}
	})
}

func TestEditOfAnOldRevisionIsAConflict(t *testing.T) {
	onBoth(t, func(t *testing.T, db *database) {
		stores := []*store.Store{db.open(t), db.open(t)}
		n := announce(t, stores[0], db.announcement("a", 0, 1, 1))
		errs := make(chan error)
		for i := range 8 {
			go func() {
				mine := n
				mine.Target.Audiences = []notifier.Audience{1}
				errs <- stores[i%2].EditAnnouncement(t.Context(), notifier.Actor{}, &mine)
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
		if got := only(t, stores[0], n.ID); won != 1 || got.Revision != 1 {
			t.Errorf("%d edits of one revision succeeded, and the next revision is %d; want 1", won, got.Revision)
		}
	})
}

func TestEndedOrRetractedAnnouncementsCanOnlyBeDeleted(t *testing.T) {
	onBoth(t, func(t *testing.T, db *database) {
		s := db.open(t)
		notice := accept(t, s, draft())
		closed := announce(t, s, db.announcement("closed", 0, 1, 1))
		retracted := announce(t, s, db.announcement("retracted", 0, 5, 1))
		open := announce(t, s, db.announcement("open", 0, 5, 1))
		for range 2 {
			if err := s.RetractAnnouncement(t.Context(), notifier.Actor{}, retracted.ID); err != nil {
				t.Errorf("retract: %v", err)
			}
		}
		db.clock.move(time.Hour) // the window excludes its end
		for _, n := range []notifier.Notice{closed, retracted} {
			n.EndsAt = n.EndsAt.Add(time.Hour)
			wantIs(t, s.EditAnnouncement(t.Context(), notifier.Actor{}, &n), notifier.ErrConflict)
		}
		wantIs(t, s.RetractAnnouncement(t.Context(), notifier.Actor{}, closed.ID), notifier.ErrConflict)
		wantIs(t, s.DeleteAnnouncement(t.Context(), notifier.Actor{}, open.ID), notifier.ErrConflict)
		for _, id := range []int64{notice.ID, 99, 0, -1} {
			n := open
			n.ID = id
			wantIs(t, s.EditAnnouncement(t.Context(), notifier.Actor{}, &n), notifier.ErrNotFound)
			wantIs(t, s.RetractAnnouncement(t.Context(), notifier.Actor{}, id), notifier.ErrNotFound)
			wantIs(t, s.DeleteAnnouncement(t.Context(), notifier.Actor{}, id), notifier.ErrNotFound)
		}
		for id, want := range map[int64]notifier.Phase{
			closed.ID: notifier.PhaseClosed, retracted.ID: notifier.PhaseRetracted, open.ID: notifier.PhaseOpen,
		} {
			a := only(t, s, id)
			if got := a.PhaseAt(db.clock.now()); got != want {
				t.Errorf("%q is %s; want %s", a.Title, got, want)
			}
			if want == notifier.PhaseOpen {
				continue
			}
			if err := s.DeleteAnnouncement(t.Context(), notifier.Actor{}, id); err != nil {
				t.Errorf("delete %q: %v", a.Title, err)
			}
			_, err := s.Notice(t.Context(), id)
			wantIs(t, err, notifier.ErrNotFound)
		}
	})
}

func TestDeletedAnnouncementLeavesNoRows(t *testing.T) {
	onBoth(t, func(t *testing.T, db *database) {
		s := db.open(t)
		n := announce(t, s, db.announcement("a", 0, 1, 1, 2))
		stays := announce(t, s, db.announcement("b", 0, 1, 1))
		read := segment(n.ID, 1, 0, 5, "x")
		saveReads(t, s, read, segment(stays.ID, 1, 0, 5, "y"))
		db.clock.move(time.Hour)
		if err := s.DeleteAnnouncement(t.Context(), notifier.Actor{}, n.ID); err != nil {
			t.Fatal(err)
		}
		saveReads(t, s, read, segment(stays.ID, 1, 1, 6, "z")) // a late write-behind
		raw := db.raw(t)
		for table, want := range map[string]int{"notices": 1, "announcements": 1, "announcement_audiences": 1, "announcement_reads": 2} {
			var rows int
			if err := raw.QueryRowContext(t.Context(), `SELECT COUNT(*) FROM `+table).Scan(&rows); err != nil || rows != want {
				t.Errorf("%s has %d rows, %v; want %d", table, rows, err, want)
			}
		}
		if next := announce(t, s, db.announcement("c", 0, 2, 1)); next.ID != 3 {
			t.Errorf("the next id is %d; want 3: ids are never reused", next.ID)
		}
	})
}

func TestReaddedAudienceContinuesWhereItWas(t *testing.T) {
	onBoth(t, func(t *testing.T, db *database) {
		s := db.open(t)
		addUser(t, s, "alice")
		n := announce(t, s, db.announcement("a", 0, 5, 3, 4))
		k := notifier.PartKey{ID: n.ID, Audience: 3}
		settled := must(s.SettleTop(t.Context(), k))(t)
		saveReads(t, s, segment(n.ID, 3, 0, 1, "\x02"))
		n.Target.Audiences = []notifier.Audience{4, 5}
		n = edit(t, s, n)
		left := settled
		left.Left = true
		want := []notifier.Part{left, {Audience: 4}, {Audience: 5}}
		if diff := cmp.Diff(want, only(t, s, n.ID).Parts); diff != "" {
			t.Errorf("after it was removed (-want +got):\n%s", diff)
		}
		if err := s.FinishPart(t.Context(), k, 1); err != nil {
			t.Errorf("finish a removed part: %v", err)
		}
		addUser(t, s, "bob")
		n.Target.Audiences = []notifier.Audience{3, 4, 5}
		n = edit(t, s, n)
		if diff := cmp.Diff([]notifier.Part{settled, {Audience: 4}, {Audience: 5}}, only(t, s, n.ID).Parts); diff != "" {
			t.Errorf("after it was added again (-want +got):\n%s", diff)
		}
		if reads := must(s.Reads(t.Context(), k))(t); len(reads) != 1 {
			t.Errorf("%d read segments are left; want 1", len(reads))
		}
	})
}

func TestPostponedOpeningIsSettledAgain(t *testing.T) {
	onBoth(t, func(t *testing.T, db *database) {
		s := db.open(t)
		addUser(t, s, "alice")
		n := announce(t, s, db.announcement("a", 0, 5, 3))
		k := notifier.PartKey{ID: n.ID, Audience: 3}
		must(s.SettleTop(t.Context(), k))(t)
		n.StartsAt = n.StartsAt.Add(time.Hour)
		n = edit(t, s, n)
		if got := only(t, s, n.ID).Parts[0]; got != (notifier.Part{Audience: 3}) {
			t.Errorf("postponed: %+v", got)
		}
		bob := addUser(t, s, "bob")
		if got := must(s.SettleTop(t.Context(), k))(t); got.Top != bob.Seq || got.Members != 2 {
			t.Errorf("opened again for %d users up to number %d; want both users", got.Members, got.Top)
		}
	})
}
