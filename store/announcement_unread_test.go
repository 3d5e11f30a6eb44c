package store_test

import (
	"fmt"
	"strconv"
	"sync"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"github.com/carillonhq/carillon/notifier"
	"github.com/carillonhq/carillon/store"
)

func since(from int64, g notifier.ReadSegment) notifier.ReadSegment {
	g.From = from
	return g
}

func editUnread(t *testing.T, s *store.Store, n notifier.Notice) notifier.Notice {
	t.Helper()
	if err := s.EditAnnouncementUnread(t.Context(), notifier.Actor{}, &n); err != nil {
		t.Fatalf("mark %q as unread for everybody: %v", n.Title, err)
	}
	return n
}

func noReads(t *testing.T, s *store.Store, id int64, audience notifier.Audience) {
	t.Helper()
	if got := must(s.Reads(t.Context(), notifier.PartKey{ID: id, Audience: audience}))(t); len(got) != 0 {
		t.Errorf("audience %d has reads again, %d segments of them", audience, len(got))
	}
}

func TestMarkingAsUnreadDeletesTheReadsOfAllAudiences(t *testing.T) {
	onBoth(t, func(t *testing.T, db *database) {
		s := db.open(t)
		n := announce(t, s, db.announcement("a", 0, 5, 1, 2, 3))
		neighbour := announce(t, s, db.announcement("b", 0, 5, 1))
		kept := segment(neighbour.ID, 1, 0, 5, "kept")
		saveReads(t, s, segment(n.ID, 1, 0, 5, "x"), segment(n.ID, 1, 7, 5, "x"), segment(n.ID, 2, 0, 5, "x"), segment(n.ID, 3, 0, 5, "x"), kept)
		n.Target.Audiences = []notifier.Audience{1, 2}
		n = edit(t, s, n)
		if err := s.FinishPart(t.Context(), notifier.PartKey{ID: n.ID, Audience: 3}, 4); err != nil {
			t.Fatal(err)
		}
		db.clock.move(time.Minute)
		n = editUnread(t, s, n)
		for _, audience := range []notifier.Audience{1, 2, 3} {
			noReads(t, s, n.ID, audience)
		}
		wantReads(t, s, kept)
		got := only(t, s, n.ID)
		if got.ReadsFrom != 2 || got.Revision != 2 || n.Revision != 2 || !got.EditedAt.Equal(db.clock.now()) {
			t.Errorf("after the edit: %+v", got)
		}
		want := []notifier.Part{{Audience: 1}, {Audience: 2}, {Audience: 3, Left: true, Finished: true}}
		if diff := cmp.Diff(want, got.Parts); diff != "" {
			t.Errorf("parts (-want +got):\n%s", diff)
		}
		if got := only(t, s, neighbour.ID); got.ReadsFrom != 0 || !got.EditedAt.IsZero() {
			t.Errorf("its neighbour: %+v", got)
		}
		// An ordinary edit keeps the reads and updates EditedAt.
		again := since(2, segment(n.ID, 1, 0, 9, "again"))
		saveReads(t, s, again)
		db.clock.move(time.Minute)
		edit(t, s, n)
		wantReads(t, s, again)
		if got := only(t, s, n.ID); got.ReadsFrom != 2 || !got.EditedAt.Equal(db.clock.now()) {
			t.Errorf("after another edit: %+v", got)
		}
	})
}

func TestReadsMadeBeforeTheEditAreDropped(t *testing.T) {
	onBoth(t, func(t *testing.T, db *database) {
		s := db.open(t)
		n := announce(t, s, db.announcement("a", 0, 5, 1))
		n = editUnread(t, s, n)
		saveReads(t, s, segment(n.ID, 1, 0, 1<<60, "late"), since(n.Revision+1, segment(n.ID, 1, 1, 1<<60, "from nowhere")))
		noReads(t, s, n.ID, 1)
		first := since(1, segment(n.ID, 1, 0, 7, "new"))
		saveReads(t, s, first, segment(n.ID, 1, 2, 9, "late"))
		wantReads(t, s, first)
		n = editUnread(t, s, n)
		saveReads(t, s, first)
		noReads(t, s, n.ID, 1)
	})
}

func TestMarkingAsUnreadIsRefusedAfterTheEnd(t *testing.T) {
	onBoth(t, func(t *testing.T, db *database) {
		s := db.open(t)
		closed, retracted := announce(t, s, db.announcement("closed", 0, 1, 1)), announce(t, s, db.announcement("retracted", 0, 5, 1))
		reads := []notifier.ReadSegment{segment(closed.ID, 1, 0, 5, "x"), segment(retracted.ID, 1, 0, 5, "x")}
		saveReads(t, s, reads...)
		if err := s.RetractAnnouncement(t.Context(), notifier.Actor{}, retracted.ID); err != nil {
			t.Fatal(err)
		}
		db.clock.move(time.Hour)
		for i, n := range []notifier.Notice{closed, retracted} {
			wantIs(t, s.EditAnnouncementUnread(t.Context(), notifier.Actor{}, &n), notifier.ErrConflict)
			wantReads(t, s, reads[i])
		}
	})
}

func TestSavingReadsDuringTheEditRestoresNone(t *testing.T) {
	onBoth(t, func(t *testing.T, db *database) {
		stores := []*store.Store{db.open(t), db.open(t)}
		n := announce(t, stores[0], db.announcement("a", 0, 5, 1))
		for round := range int64(20) {
			var both sync.WaitGroup
			for writer := range 4 {
				both.Go(func() {
					var all []notifier.ReadSegment
					for number := range 40 {
						all = append(all, since(round, segment(n.ID, 1, number, 10*round+int64(writer)+1, strconv.FormatInt(round, 10))))
					}
					if err := stores[writer%2].SaveReads(t.Context(), all); err != nil {
						t.Error(err)
					}
				})
			}
			both.Go(func() { n = editUnread(t, stores[1], n) })
			both.Wait()
			noReads(t, stores[0], n.ID, 1)
		}
	})
}

func TestMigratedAnnouncementsWereNeverEdited(t *testing.T) {
	onBoth(t, func(t *testing.T, db *database) {
		raw := db.ofVersion(t, 15)
		id, override := int64(7), ""
		if db.cfg.URL != "" {
			override = "OVERRIDING SYSTEM VALUE "
		}
		far := time.Now().Add(time.Hour).UnixMilli()
		for _, statement := range []string{
			fmt.Sprintf(`INSERT INTO notices (id, state, rev, created_at, expires_at, target, type, scope, subject, title, body, link, toast, search, sender_id)
				%sVALUES (7, 'sent', 3, 1, %d, '{"audiences":[1]}', 'a', '', '', 't', '', '', FALSE, '', '')`, override, far),
			fmt.Sprintf(`INSERT INTO announcements (notice_id, starts_at, ends_at, pinned, late_joiners) VALUES (7, 1, %d, FALSE, FALSE)`, far),
			`INSERT INTO announcement_audiences (announcement_id, audience) VALUES (7, 1)`,
		} {
			if _, err := raw.ExecContext(t.Context(), statement); err != nil {
				t.Fatalf("%s: %v", statement, err)
			}
		}
		s := db.open(t)
		if got := only(t, s, id); got.ReadsFrom != 0 || !got.EditedAt.IsZero() || got.Revision != 3 {
			t.Errorf("%+v", got)
		}
		read := segment(id, 1, 0, 5, "x")
		saveReads(t, s, read)
		wantReads(t, s, read)
	})
}
