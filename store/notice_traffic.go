package store

import (
	"cmp"
	"context"
	"database/sql"
	"slices"
	"time"

	"github.com/carillonhq/carillon/notifier"
)

// quarter is the unit by which SQL counts: days of every time zone begin with one.
const quarter = 15 * time.Minute

// Traffic counts what programs have sent, by type and day: the newest day first, and within a day the types with most notices. It stops
// after patience has passed. It returns the id before which the next page begins, or 0 if there is none.
func (s *Store) Traffic(ctx context.Context, q notifier.TrafficQuery, patience time.Duration) (found []notifier.Traffic, next int64, err error) {
	low, high, err := s.noticeRange(ctx, notifier.NoticeQuery{Before: q.Before})
	began, t := time.Now(), traffic{zone: q.Zone, of: map[trafficKey]*notifier.Traffic{}, top: map[time.Time]int64{}}
	for size := int64(firstStep); err == nil && low < high; {
		from := max(low, high-size)
		stepped := time.Now()
		if err = s.count(ctx, &t, from, high); err != nil {
			break
		}
		if high = from; high <= low {
			break
		}
		if page, next := t.page(q.Lines, true); next > 0 && (len(page) >= q.Lines || time.Since(began) >= patience) {
			return page, next, nil
		}
		if time.Since(began) >= patience {
			return t.lines(true), high, nil
		}
		if time.Since(stepped) < quickStep {
			size *= 4
		}
	}
	found, next = t.page(q.Lines, false)
	return found, next, s.fail(err, "count what programs have sent")
}

// count adds the notices in a range of ids.
func (s *Store) count(ctx context.Context, t *traffic, from, to int64) error {
	return s.all(ctx, func(rows *sql.Rows) error {
		var typ string
		var quarters, notices, recipients, top int64
		err := rows.Scan(&typ, &quarters, &notices, &recipients, &top)
		t.add(typ, time.UnixMilli(quarters*quarter.Milliseconds()), notices, recipients, top)
		return err
	}, `SELECT type, created_at / $1 AS quarter, COUNT(*), CAST(SUM(recipient_count) AS BIGINT), MAX(id) FROM notices
		WHERE sender_kind <> 'user' AND id >= $2 AND id < $3 GROUP BY type, quarter`, quarter.Milliseconds(), from, to)
}

// traffic sums the counts of quarters by type and day.
type traffic struct {
	zone *time.Location
	of   map[trafficKey]*notifier.Traffic
	top  map[time.Time]int64 // the highest id of each day
}

type trafficKey struct {
	day time.Time
	typ string
}

func (t *traffic) add(typ string, at time.Time, notices, recipients, top int64) {
	at = at.In(t.zone)
	key := trafficKey{time.Date(at.Year(), at.Month(), at.Day(), 0, 0, 0, 0, t.zone), typ}
	if t.of[key] == nil {
		t.of[key] = &notifier.Traffic{Type: typ, Day: key.day}
	}
	t.of[key].Notices += notices
	t.of[key].Recipients += recipients
	t.top[key.day] = max(t.top[key.day], top)
}

// oldest returns the oldest day, which may not be counted completely.
func (t *traffic) oldest() (day time.Time) {
	for d := range t.top {
		if day.IsZero() || d.Before(day) {
			day = d
		}
	}
	return day
}

// page returns whole days until there are so many lines, and the id before which the next page begins, or 0 if there is none. more says
// that the oldest day has more than was counted: it belongs to the next page.
func (t *traffic) page(lines int, more bool) ([]notifier.Traffic, int64) {
	all := t.lines(false)
	for i, l := range all {
		begins := i > 0 && !l.Day.Equal(all[i-1].Day)
		if begins && (i >= lines || (more && l.Day.Equal(t.oldest()))) {
			return all[:i], t.top[l.Day] + 1
		}
	}
	return all, 0
}

// lines returns all lines in order. partly says that the oldest day has more than was counted.
func (t *traffic) lines(partly bool) []notifier.Traffic {
	oldest, lines := t.oldest(), make([]notifier.Traffic, 0, len(t.of))
	for _, l := range t.of {
		l.Partly = partly && l.Day.Equal(oldest)
		lines = append(lines, *l)
	}
	slices.SortFunc(lines, func(a, b notifier.Traffic) int {
		return cmp.Or(b.Day.Compare(a.Day), cmp.Compare(b.Notices, a.Notices), cmp.Compare(a.Type, b.Type))
	})
	return lines
}
