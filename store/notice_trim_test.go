package store_test

import (
	"slices"
	"strconv"
	"testing"
	"time"

	"github.com/carillonhq/carillon/notifier"
	"github.com/carillonhq/carillon/store"
)

func TestExpiredNoticesAreDeletedInSteps(t *testing.T) {
	onBoth(t, func(t *testing.T, db *database) {
		s := db.open(t)
		now := db.clock.now()
		hour := func(n int) string { return strconv.FormatInt(now.Add(time.Duration(n)*time.Hour).UnixMilli(), 10) }
		add := func(n int, state, created, expires string) {
			store.Exec(t, s, `WITH RECURSIVE n (i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM n WHERE i < `+strconv.Itoa(n)+`)
				INSERT INTO notices (state, created_at, expires_at, target, type, scope, subject, title, body, link, toast, sender_kind, sender_id)
				SELECT '`+state+`', `+created+`, `+expires+`, '{}', 'note', '', '', 'old', '', '', FALSE, 'command', 'a' FROM n`)
		}
		add(2500, "sent", hour(-1000), hour(-300))
		add(1, "retracted", hour(-1000), hour(-300))
		add(1, "sent", hour(-1000), hour(-100)) // 2502: expired recently
		add(1, "sent", hour(-1000), hour(100))  // 2503: not expired
		add(1, "sent", hour(-1000), "0")        // 2504: never expires
		add(1, "sending", hour(-1000), hour(-300))
		announced := notifier.Notice{Draft: notifier.Draft{Type: notifier.TypeAnnouncement, Title: "Closed", Target: notifier.Target{Audiences: []notifier.Audience{2}}}}
		announced.Window = notifier.Window{StartsAt: now.Add(-1000 * time.Hour), EndsAt: now.Add(-900 * time.Hour)}
		if err := s.Announce(t.Context(), &announced); err != nil { // 2506
			t.Fatal(err)
		}
		store.Exec(t, s, `UPDATE notices SET created_at = `+hour(-1000)+`, expires_at = `+hour(-900)+` WHERE id = 2506`)
		add(1, "sent", hour(-400), hour(-300)) // 2507: accepted after the given time
		store.Exec(t, s, `INSERT INTO notice_counts (notice_id, partition, delivered, read) VALUES (1, 0, 1, 1)`)

		var total int64
		steps := 0
		for after := int64(0); ; steps++ {
			next, deleted, err := s.TrimNotices(t.Context(), after, now.Add(-500*time.Hour), now.Add(-200*time.Hour))
			if err != nil {
				t.Fatal(err)
			}
			total += deleted
			if after = next; after == 0 {
				break
			}
		}
		if total != 2501 || steps != 1 {
			t.Errorf("%d notices deleted after %d steps; want 2501 after 1", total, steps)
		}
		left := ids(must(s.Notices(t.Context(), notifier.NoticeQuery{Oldest: true}))(t))
		if want := []int64{2502, 2503, 2504, 2505, 2506, 2507}; !slices.Equal(left, want) {
			t.Errorf("%v are left, want %v", left, want)
		}
		if counts := must(s.CountsOf(t.Context(), []int64{1}))(t); len(counts) != 0 {
			t.Errorf("the counts of a deleted notice are left: %v", counts)
		}
	})
}
