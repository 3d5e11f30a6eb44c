package store_test

import (
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/RoaringBitmap/roaring/v2"
	"github.com/google/go-cmp/cmp"
	"pgregory.net/rapid"

	"github.com/carillonhq/carillon/notifier"
	"github.com/carillonhq/carillon/store"
)

func TestConfirmReturnsNoticesThatMoved(t *testing.T) {
	onBoth(t, func(t *testing.T, db *database) {
		s, other := db.open(t), db.open(t)
		all := batch(8)
		acceptAll(t, s, all...)
		id := func(i int) int64 { return all[i].Notice.ID }
		for i, state := range map[int]notifier.State{
			2: notifier.StateRetracting, 3: notifier.StateRetracted, 4: notifier.StateSending, 5: notifier.StateSent, 6: notifier.StateSent,
		} {
			must(s.RetractNotice(t.Context(), notifier.Actor{}, id(i), notifier.StateAccepted, state))(t)
		}
		// Notices 1, 6 and 7 have another revision, in which only 7 is confirmed.
		store.Exec(t, s, `UPDATE notices SET rev = 1 WHERE title IN ('notice 1', 'notice 6', 'notice 7')`)
		done := []notifier.Revised{{ID: id(7), Revision: 1}, {ID: 1 << 40}}
		for i := 6; i >= 0; i-- {
			done = append(done, notifier.Revised{ID: id(i)})
		}
		confirm := func() {
			t.Helper()
			moved := must(s.Confirm(t.Context(), done))(t)
			slices.Sort(moved)
			if want := []int64{id(1), id(2), id(3), id(4), id(6), 1 << 40}; !slices.Equal(moved, want) {
				t.Errorf("moved: %v; want %v", moved, want)
			}
			for i, want := range []notifier.State{
				notifier.StateSent, notifier.StateAccepted, notifier.StateRetracting, notifier.StateRetracted,
				notifier.StateSending, notifier.StateSent, notifier.StateSent, notifier.StateSent,
			} {
				if got := must(other.Notice(t.Context(), id(i)))(t).State; got != want {
					t.Errorf("notice %d is %s; want %s", i, got, want)
				}
			}
		}
		confirm()
		confirm() // notices already sent are not returned again
		if moved := must(s.Confirm(t.Context(), nil))(t); len(moved) != 0 {
			t.Errorf("moved for an empty list: %v", moved)
		}
	})
}

func TestUnfinishedNoticesAreReadInPages(t *testing.T) {
	onBoth(t, func(t *testing.T, db *database) {
		s := db.open(t)
		all := batch(5)
		all[4].To = nil
		acceptAll(t, s, all...)
		must(s.RetractNotice(t.Context(), notifier.Actor{}, all[1].Notice.ID, notifier.StateAccepted, notifier.StateSent))(t)
		must(s.RetractNotice(t.Context(), notifier.Actor{}, all[2].Notice.ID, notifier.StateAccepted, notifier.StateSending))(t)
		if err := s.Advance(t.Context(), notifier.Claim{}, all[2].Notice.ID, 0, notifier.StateSending, 2); err != nil {
			t.Fatal(err)
		}
		var want []notifier.Notice
		for _, i := range []int{0, 2, 3, 4} {
			n := all[i].Notice
			want = append(want, notifier.Notice{ID: n.ID, State: n.State, Recipients: n.Recipients, Routed: n.Routed, CreatedAt: n.CreatedAt})
		}
		want[1].State, want[1].Done = notifier.StateSending, 2
		if diff := cmp.Diff(want, must(s.Unfinished(t.Context(), 0, 100))(t)); diff != "" {
			t.Errorf("unfinished (-want +got):\n%s", diff)
		}
		if diff := cmp.Diff(want[1:3], must(s.Unfinished(t.Context(), want[0].ID, 2))(t)); diff != "" {
			t.Errorf("two after the first (-want +got):\n%s", diff)
		}
		if got := must(s.Unfinished(t.Context(), want[3].ID, 2))(t); len(got) != 0 {
			t.Errorf("after the last: %v", got)
		}
	})
}

func TestRetractedNoticeCountsAsChanged(t *testing.T) {
	onBoth(t, func(t *testing.T, db *database) {
		s := db.open(t)
		all := batch(3)
		acceptAll(t, s, all...)
		db.clock.move(24 * time.Hour)
		since := db.clock.now()
		must(s.RetractNotice(t.Context(), notifier.Actor{}, all[0].Notice.ID, notifier.StateAccepted, notifier.StateSent))(t)
		must(s.RetractNotice(t.Context(), notifier.Actor{}, all[1].Notice.ID, notifier.StateAccepted, notifier.StateRetracting))(t)
		db.clock.move(time.Hour)
		must(s.RetractNotice(t.Context(), notifier.Actor{}, all[1].Notice.ID, notifier.StateRetracting, notifier.StateRetracted))(t)
		for at, want := range map[time.Time][]int64{since: {all[1].Notice.ID}, since.Add(time.Millisecond): nil} {
			if got := must(s.Since(t.Context(), at, 0, 10))(t); !slices.Equal(got, want) {
				t.Errorf("since %v: %v; want %v", at, got, want)
			}
		}
	})
}

// TestSinceFindsAllAcceptedAndChangedNotices varies the times of notices by clock differences and waits, with gaps in
// the ids and changes anywhere.
func TestSinceFindsAllAcceptedAndChangedNotices(t *testing.T) {
	onBoth(t, func(t *testing.T, db *database) {
		s := db.open(t)
		rapid.Check(t, func(rt *rapid.T) {
			store.Exec(t, s, `DELETE FROM notices`)
			start := db.clock.now()
			n := rapid.IntRange(0, 60).Draw(rt, "notices")
			at := start
			var all []*notifier.Acceptance
			for range n {
				at = at.Add(time.Duration(rapid.IntRange(0, 90).Draw(rt, "later")) * time.Second)
				early := time.Duration(rapid.IntRange(0, 60).Draw(rt, "disorder")) * time.Second
				all = append(all, &notifier.Acceptance{Notice: &notifier.Notice{Draft: draft(), CreatedAt: at.Add(-early)}, To: roaring.BitmapOf(1)})
			}
			acceptAll(t, s, all...)
			changed := map[int64]time.Time{}
			for _, a := range all {
				switch rapid.IntRange(0, 9).Draw(rt, "fate") {
				case 0:
					store.Exec(t, s, `DELETE FROM notices WHERE id = $1`, a.Notice.ID)
					a.Notice.ID = 0
				case 1:
					when := start.Add(time.Duration(rapid.IntRange(0, 6000).Draw(rt, "changed")) * time.Second)
					changed[a.Notice.ID] = when
					store.Exec(t, s, `UPDATE notices SET changed_at = $1 WHERE id = $2`, when.UnixMilli(), a.Notice.ID)
				case 2: // an announcement
					store.Exec(t, s, `INSERT INTO announcements (notice_id, starts_at, ends_at, pinned, late_joiners)
						VALUES ($1, 0, 1, FALSE, FALSE)`, a.Notice.ID)
					a.Notice.ID = 0
				}
			}
			since := start.Add(time.Duration(rapid.IntRange(-100, 6000).Draw(rt, "since")) * time.Second)
			limit := rapid.IntRange(1, 20).Draw(rt, "limit")
			var want, got []int64
			for _, a := range all {
				id := a.Notice.ID
				if id > 0 && (!a.Notice.CreatedAt.Before(since) || !changed[id].Before(since)) {
					want = append(want, id)
				}
			}
			for after := int64(0); ; after = got[len(got)-1] {
				page := must(s.Since(t.Context(), since, after, limit))(t)
				got = append(got, page...)
				if len(page) > limit {
					rt.Fatalf("a page of %d has %d ids", limit, len(page))
				}
				if len(page) < limit {
					break
				}
			}
			if !slices.Equal(got, want) {
				rt.Fatalf("since %v: %v; want %v", since, got, want)
			}
		})
	})
}

// TestSinceReadsOnlyNewNotices adds a few notices to many old ones.
func TestSinceReadsOnlyNewNotices(t *testing.T) {
	onBoth(t, func(t *testing.T, db *database) {
		s := db.open(t)
		store.Exec(t, s, `INSERT INTO notices (state, created_at, expires_at, target, type, scope, subject, title, body, link, toast, sender_id)
			WITH RECURSIVE numbers (n) AS (SELECT 1 UNION ALL SELECT n + 1 FROM numbers WHERE n < 20000)
			SELECT 'sent', n, 2, '{}', 'news', '', '', 'old', '', '', FALSE, '' FROM numbers`)
		explain, raw := `EXPLAIN QUERY PLAN `, db.raw(t)
		if db.cfg.URL != "" {
			explain = `EXPLAIN `
			if _, err := raw.ExecContext(t.Context(), `ANALYZE`); err != nil {
				t.Fatal(err)
			}
		}
		fill := strings.NewReplacer("$1", "19990", "$2", "20000", "$3", "10")
		for statement, index := range map[string]string{
			store.AcceptedSinceQuery: "notices_pkey", store.ChangedSinceQuery: "notices_changed",
		} {
			got := plan(t, raw, explain+fill.Replace(statement))
			got = strings.ReplaceAll(got, "notices USING INTEGER PRIMARY KEY (rowid>?)", "notices_pkey") // SQLite's notation
			if !strings.Contains(got, index) || strings.Contains(got, "Seq Scan on notices") || strings.Contains(got, "SCAN notices") {
				t.Errorf("%s\nis run as\n%s\nwant %s, and no full table scan", statement, got, index)
			}
		}
	})
}
