package store_test

import (
	"slices"
	"testing"
	"time"

	"github.com/carillonhq/carillon/notifier"
)

func TestSnoozedEntriesThatAreDueAreListedInOrder(t *testing.T) {
	onBoth(t, func(t *testing.T, db *database) {
		s := db.open(t)
		addUsers(t, s, 6)
		later := func(seq, ver int64, due ...int64) notifier.Snapshot {
			n := notifier.Snapshot{Seq: seq, Ver: ver}
			for i, at := range due {
				n.Archived = append(n.Archived, notifier.ArchivedRow{Key: "like:" + string(rune('a'+i)), NoticeID: int64(i + 1), At: 1, ArchivedAt: at, Snoozed: true})
			}
			return n
		}
		save(t, s, later(1, 5, 30, 20), later(2, 5, 10), later(3, 5, 20), later(4, 5), later(5, 5, 41), later(6, 5, 15))
		archived := later(2, 6, 10)
		archived.Archived[0].Snoozed = false
		save(t, s, archived, later(6, 6, 16, 99), later(3, 4, 1)) // the last is older than what is stored
		due := func(now int64, after notifier.Wake, limit int) []notifier.Wake {
			t.Helper()
			return must(s.Wakes(t.Context(), time.UnixMilli(now), after, limit))(t)
		}
		for _, c := range []struct {
			now   int64
			after notifier.Wake
			limit int
			want  []notifier.Wake
		}{
			{15, notifier.Wake{}, 9, nil},
			{16, notifier.Wake{}, 9, []notifier.Wake{{Seq: 6, At: 16}}},
			{40, notifier.Wake{}, 9, []notifier.Wake{{Seq: 6, At: 16}, {Seq: 1, At: 20}, {Seq: 3, At: 20}}},
			{40, notifier.Wake{}, 2, []notifier.Wake{{Seq: 6, At: 16}, {Seq: 1, At: 20}}},
			{40, notifier.Wake{Seq: 1, At: 20}, 2, []notifier.Wake{{Seq: 3, At: 20}}},
			{41, notifier.Wake{Seq: 3, At: 20}, 2, []notifier.Wake{{Seq: 5, At: 41}}},
		} {
			if got := due(c.now, c.after, c.limit); !slices.Equal(got, c.want) {
				t.Errorf("at %d after %+v: %+v, want %+v", c.now, c.after, got, c.want)
			}
		}
	})
}
