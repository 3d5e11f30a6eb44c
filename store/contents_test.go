package store_test

import (
	"strconv"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"github.com/carillonhq/carillon/notifier"
	"github.com/carillonhq/carillon/store"
)

func TestContentsAreReadInEveryState(t *testing.T) {
	onBoth(t, func(t *testing.T, db *database) {
		s := db.open(t)
		standing, retracted, expired := accept(t, s, draft()), accept(t, s, draft()), accept(t, s, draft())
		announced := announce(t, s, db.announcement("a", 0, 1, 1))
		deleted := announce(t, s, db.announcement("b", 0, 1, 1))
		if err := s.RetractAnnouncement(t.Context(), notifier.Actor{}, deleted.ID); err != nil {
			t.Fatal(err)
		}
		if err := s.DeleteAnnouncement(t.Context(), notifier.Actor{}, deleted.ID); err != nil {
			t.Fatal(err)
		}
		must(s.RetractNotice(t.Context(), notifier.Actor{}, retracted.ID, notifier.StateAccepted, notifier.StateRetracted))(t)
		store.Exec(t, s, `UPDATE notices SET expires_at = 1 WHERE id = `+strconv.FormatInt(expired.ID, 10))
		retracted.State, expired.ExpiresAt = notifier.StateRetracted, time.UnixMilli(1).UTC()
		want := map[int64]notifier.Notice{
			standing.ID: standing, retracted.ID: retracted, expired.ID: expired, announced.ID: announced,
		}
		ids := []int64{deleted.ID, announced.ID, 3, 2, 1, 99, 0, -1, 1}
		if diff := cmp.Diff(want, must(s.Contents(t.Context(), ids))(t)); diff != "" {
			t.Errorf("contents (-want +got):\n%s", diff)
		}
		if none := must(s.Contents(t.Context(), nil))(t); len(none) != 0 {
			t.Errorf("for no ids: %v", none)
		}
	})
}

func TestContentsOfManyNoticesAreRead(t *testing.T) {
	onBoth(t, func(t *testing.T, db *database) {
		s := db.open(t)
		store.Exec(t, s, `INSERT INTO notices (state, created_at, expires_at, target, type, scope, subject, title, body, link, toast, sender_id)
			WITH RECURSIVE numbers (n) AS (SELECT 1 UNION ALL SELECT n + 1 FROM numbers WHERE n < 1201)
			SELECT 'sent', 1, 2, '{}', 'news', '', '', 'title ' || n, 'body ' || n, '', FALSE, '' FROM numbers`)
		var ids []int64
		for id := range int64(1201) {
			ids = append(ids, id+1)
		}
		found := must(s.Contents(t.Context(), ids))(t)
		for _, id := range ids {
			if n := found[id]; n.ID != id || n.Body != "body "+n.Title[len("title "):] {
				t.Fatalf("notice %d is %+v", id, n)
			}
		}
	})
}
