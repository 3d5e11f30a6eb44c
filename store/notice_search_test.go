package store_test

import (
	"slices"
	"testing"
	"time"

	"github.com/carillonhq/carillon/notifier"
	"github.com/carillonhq/carillon/store"
)

// With zero patience each call examines the minimum: three calls to find the only match, at the far end, and one more
// to find no other.
func TestASlowSearchContinuesWhereItStopped(t *testing.T) {
	onBoth(t, func(t *testing.T, db *database) {
		s := db.open(t)
		store.Exec(t, s, `INSERT INTO notices (state, created_at, expires_at, target, type, scope, subject, title, body, link, toast, sender_kind, sender_id, search)
			WITH RECURSIVE numbers (n) AS (SELECT 1 UNION ALL SELECT n + 1 FROM numbers WHERE n < 50000)
			SELECT 'sent', n, 9, '{}', 'note', '', '', 'old', '', '', FALSE, 'command', 'a', CASE WHEN n = 100 OR n = 49900 THEN 'needle' ELSE 'hay' END FROM numbers`)
		for _, oldest := range []bool{false, true} {
			q := notifier.NoticeQuery{Contains: "Needle", Oldest: oldest}
			var got []int64
			var ends []int64
			for {
				found, reached, err := s.SearchNotices(t.Context(), q, time.Nanosecond)
				if err != nil {
					t.Fatal(err)
				}
				got = append(got, ids(found)...)
				if ends = append(ends, reached.ID); reached.ID == 0 {
					break
				}
				if reached.At.UnixMilli() != reached.ID { // as created above
					t.Errorf("notice %d has the time %v", reached.ID, reached.At)
				}
				if oldest {
					q.After = reached.ID
				} else {
					q.Before = reached.ID
				}
			}
			want, wantEnds := []int64{49900, 100}, []int64{30001, 10001, 0}
			if oldest {
				want, wantEnds = []int64{100, 49900}, []int64{20000, 40000, 0}
			}
			if !slices.Equal(got, want) || !slices.Equal(ends, wantEnds) {
				t.Errorf("oldest first is %v: found %v, ended at %v; want %v and %v", oldest, got, ends, want, wantEnds)
			}
		}
		full, reached, err := s.SearchNotices(t.Context(), notifier.NoticeQuery{Contains: "hay"}, time.Nanosecond)
		if err != nil || len(full) != 50 || reached.ID != 0 {
			t.Errorf("a full page has %d rows and ended at %+v: %v", len(full), reached, err)
		}
		some, reached, err := s.SearchNotices(t.Context(), notifier.NoticeQuery{Contains: "needle"}, time.Hour)
		if err != nil || len(some) != 2 || reached.ID != 0 {
			t.Errorf("with time it finds %d and ended at %+v: %v", len(some), reached, err)
		}
	})
}
