package store_test

import (
	"slices"
	"testing"
	"time"

	"github.com/carillonhq/carillon/notifier"
)

func TestNoticesBySubjectLeavesOutEndedNotices(t *testing.T) {
	onBoth(t, func(t *testing.T, db *database) {
		s := db.open(t)
		about := func(subject string) notifier.Draft {
			d := draft()
			d.Subject = subject
			return d
		}
		var want []int64
		for i := range 5 {
			d := about("invoice:42")
			d.Type = []string{"invoice", "reminder"}[i%2]
			want = append(want, acceptFor(t, s, db, d, 1).ID)
		}
		acceptFor(t, s, db, about("invoice:4"), 1)
		acceptFor(t, s, db, about(""), 1)
		for _, to := range []notifier.State{notifier.StateRetracting, notifier.StateRetracted} {
			n := acceptFor(t, s, db, about("invoice:42"), 1)
			must(s.RetractNotice(t.Context(), notifier.Actor{}, n.ID, notifier.StateAccepted, to))(t)
		}
		late := notifier.Notice{Draft: about("invoice:42"), ExpiresAt: db.clock.now()} // it expires at this very moment
		acceptAll(t, s, &notifier.Acceptance{Notice: &late})
		a := db.announcement("about it", 0, 1, 1)
		a.Subject = "invoice:42"
		want = append(want, announce(t, s, a).ID)

		ids := func(subject string, after int64, limit int) (ids []int64) {
			for _, n := range must(s.NoticesBySubject(t.Context(), subject, []int64{0}, after, limit))(t) {
				ids = append(ids, n.ID)
			}
			return ids
		}
		if got := ids("invoice:42", 0, 0); !slices.Equal(got, want) {
			t.Errorf("found %v; want %v", got, want)
		}
		if got := ids("invoice:42", want[1], 2); !slices.Equal(got, want[2:4]) {
			t.Errorf("the second page is %v; want %v", got, want[2:4])
		}
		for _, subject := range []string{"", "invoice", "Invoice:42", "a\x00", "\xff"} {
			if got := ids(subject, 0, 0); len(got) > 0 {
				t.Errorf("about %q: %v; want none", subject, got)
			}
		}
		db.clock.move(2 * time.Hour)
		if got := ids("invoice:42", 0, 0); len(got) > 0 {
			t.Errorf("after all have ended, found %v", got)
		}
	})
}
