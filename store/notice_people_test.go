package store_test

import (
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"github.com/carillonhq/carillon/notifier"
	"github.com/carillonhq/carillon/store"
)

// busy stores 50,000 notices of a program, of which two people have sent every number that ends in 2,500 and 5,000.
func busy(t *testing.T, db *database) *store.Store {
	t.Helper()
	s := db.open(t)
	store.Exec(t, s, `INSERT INTO notices (state, created_at, expires_at, target, type, scope, subject, title, body, link, toast, sender_kind, sender_id, search, recipient_count)
		WITH RECURSIVE numbers (n) AS (SELECT 1 UNION ALL SELECT n + 1 FROM numbers WHERE n < 50000)
		SELECT 'sent', n * 10000, 9, '{}', CASE WHEN n % 3 = 0 THEN 'late' ELSE 'note' END, '', '', 'x', '', '', FALSE,
			CASE WHEN n % 2500 = 0 THEN 'user' ELSE 'key' END,
			CASE WHEN n % 5000 = 0 THEN '7' WHEN n % 2500 = 0 THEN '12' ELSE 'shop' END, '', 2 FROM numbers`)
	return s
}

func TestWhatPeopleSendIsFoundAmongWhatProgramsSend(t *testing.T) {
	onBoth(t, func(t *testing.T, db *database) {
		s := busy(t, db)
		page := func(q notifier.NoticeQuery) []int64 {
			q.Senders = notifier.SentByPeople
			found, reached, err := s.SearchNotices(t.Context(), q, time.Nanosecond)
			if err != nil || reached.ID != 0 {
				t.Fatalf("%+v ended at %+v: %v", q, reached, err)
			}
			return ids(found)
		}
		for _, test := range []struct {
			query notifier.NoticeQuery
			want  []int64
		}{
			{notifier.NoticeQuery{Limit: 3}, []int64{50000, 47500, 45000}},
			{notifier.NoticeQuery{Limit: 3, Before: 45000}, []int64{42500, 40000, 37500}},
			{notifier.NoticeQuery{Limit: 3, Before: 5000}, []int64{2500}},
			{notifier.NoticeQuery{Limit: 3, Before: 2500}, nil},
			{notifier.NoticeQuery{Limit: 1}, []int64{50000}},
			{notifier.NoticeQuery{Limit: 3, Oldest: true}, []int64{2500, 5000, 7500}},
			{notifier.NoticeQuery{Limit: 3, Oldest: true, After: 45000}, []int64{47500, 50000}},
		} {
			if got := page(test.query); !slices.Equal(got, test.want) {
				t.Errorf("%+v: %v, want %v", test.query, got, test.want)
			}
		}
		late := notifier.NoticeQuery{Type: "late", Senders: notifier.SentByPeople}
		if got := ids(must(s.Notices(t.Context(), late))(t)); !slices.Equal(got, []int64{45000, 37500, 30000, 22500, 15000, 7500}) {
			t.Errorf("of one type: %v", got)
		}
		programs := notifier.NoticeQuery{Senders: notifier.SentByPrograms, Before: 5002, Limit: 3}
		if got := ids(must(s.Notices(t.Context(), programs))(t)); !slices.Equal(got, []int64{5001, 4999, 4998}) {
			t.Errorf("of programs: %v", got)
		}
	})
}

// The 50,000 notices are 10 s apart: 8,640 a day.
func TestTrafficOfProgramsIsCountedByTypeAndDay(t *testing.T) {
	onBoth(t, func(t *testing.T, db *database) {
		s := busy(t, db)
		kolkata := time.FixedZone("", 5*60*60+30*60)
		for _, zone := range []*time.Location{time.UTC, kolkata} {
			var days []string
			notices, recipients := int64(0), int64(0)
			for q := (notifier.TrafficQuery{Zone: zone, Lines: 3}); ; {
				found, next, err := s.Traffic(t.Context(), q, time.Hour)
				if err != nil {
					t.Fatal(err)
				}
				for _, l := range found {
					days = append(days, l.Day.Format("2 ")+l.Type)
					notices, recipients = notices+l.Notices, recipients+l.Recipients
				}
				if q.Before = next; next == 0 {
					break
				}
			}
			want := "6 note,6 late,5 note,5 late,4 note,4 late,3 note,3 late,2 note,2 late,1 note,1 late"
			if zone == kolkata { // the 6th ends at 18:30 UTC
				want = "7 note,7 late," + want
			}
			if got := strings.Join(days, ","); got != want || notices != 49_980 || recipients != 2*notices {
				t.Errorf("%s: %s; %d notices for %d", zone, got, notices, recipients)
			}
		}
		first, next, err := s.Traffic(t.Context(), notifier.TrafficQuery{Zone: time.UTC, Lines: 1}, time.Hour)
		day := time.Date(1970, 1, 6, 0, 0, 0, 0, time.UTC)
		if diff := cmp.Diff([]notifier.Traffic{
			{Type: "note", Day: day, Notices: 4532, Recipients: 9064},
			{Type: "late", Day: day, Notices: 2266, Recipients: 4532},
		}, first); diff != "" || next != 43200 || err != nil {
			t.Errorf("the next page begins before %d, %v: %s", next, err, diff)
		}
	})
}

// With zero patience a page counts what the first step reads.
func TestTrafficOfABusyDayIsCountedInPart(t *testing.T) {
	onBoth(t, func(t *testing.T, db *database) {
		s := busy(t, db)
		store.Exec(t, s, `UPDATE notices SET created_at = 5`)
		var got []int64
		for q := (notifier.TrafficQuery{Zone: time.UTC, Lines: 50}); ; {
			found, next, err := s.Traffic(t.Context(), q, time.Nanosecond)
			if err != nil {
				t.Fatal(err)
			}
			sum := int64(0)
			for _, l := range found {
				sum += l.Notices
				if l.Partly != (next > 0) {
					t.Errorf("%+v, and the next page begins before %d", l, next)
				}
			}
			got = append(got, sum)
			if q.Before = next; next == 0 {
				break
			}
		}
		if !slices.Equal(got, []int64{19_992, 19_992, 9_996}) {
			t.Errorf("the pages count %v", got)
		}
	})
}
