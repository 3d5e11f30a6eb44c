package store

import (
	"context"
	"errors"
	"slices"
	"time"

	"github.com/carillonhq/carillon/notifier"
)

const (
	// firstStep is the number of ids examined by the first step, which fills most pages.
	firstStep = 20_000
	// quickStep is the duration below which the next step examines four times as many ids: an index, or the
	// range of ids, excluded most of them.
	quickStep = 20 * time.Millisecond
)

// SearchNotices is Notices, but stops with a partial page after patience has passed, or once the page has
// q.Names. Then reached is the last examined notice, after which a search can continue; otherwise reached is empty.
func (s *Store) SearchNotices(ctx context.Context, q notifier.NoticeQuery, patience time.Duration) (
	found []notifier.Notice, reached notifier.Reached, err error,
) {
	if onlyByPeople(q) {
		found, err = s.byPeople(ctx, q)
		return found, reached, s.fail(err, "list the notices of people")
	}
	f, err := s.noticeFilter(ctx, q)
	if errors.Is(err, notifier.ErrNotFound) {
		return nil, reached, nil
	}
	if err == nil {
		found, reached.ID, err = s.stepThrough(ctx, f, q, patience)
	}
	if err == nil && reached.ID > 0 {
		var at int64
		err = s.read.QueryRowContext(ctx, `SELECT created_at FROM notices WHERE id >= $1 ORDER BY id LIMIT 1`, reached.ID).Scan(&at)
		reached.At = fromMillis(at)
	}
	return found, reached, s.fail(err, "search notices")
}

// stepThrough reads notices range by range until the page is full, all ids were examined, or patience has passed.
func (s *Store) stepThrough(ctx context.Context, f filter, q notifier.NoticeQuery, patience time.Duration) (found []notifier.Notice, reached int64, err error) {
	low, high, err := s.noticeRange(ctx, q)
	if err != nil {
		return nil, 0, err
	}
	began, limit := time.Now(), pageSize(q.Limit)
	for size := int64(firstStep); low < high; {
		from, to := max(low, high-size), high
		if q.Oldest {
			from, to = low, min(high, low+size)
		}
		part := filter{slices.Clone(f.conditions), slices.Clone(f.args)}
		part.add("id >= %s AND id < %s", from, to)
		stepped := time.Now()
		some, err := s.noticesIn(ctx, part, q, limit-len(found))
		if err != nil {
			return nil, 0, err
		}
		if found = append(found, some...); len(found) >= limit {
			break
		}
		if q.Names > 0 && namesIn(found) >= q.Names {
			return found, found[len(found)-1].ID, nil
		}
		if q.Oldest {
			low, reached = to, to-1
		} else {
			high, reached = from, from
		}
		if time.Since(began) >= patience && low < high {
			return found, reached, nil
		}
		if time.Since(stepped) < quickStep {
			size *= 4
		}
	}
	return found, 0, nil
}

// namesIn counts the recipients by name of some notices.
func namesIn(notices []notifier.Notice) (names int) {
	for i := range notices {
		names += len(notices[i].Target.Users)
	}
	return names
}

// noticeRange returns the lowest id that a query can match, and the highest plus one.
func (s *Store) noticeRange(ctx context.Context, q notifier.NoticeQuery) (low, high int64, err error) {
	err = s.read.QueryRowContext(ctx, `SELECT COALESCE((SELECT MIN(id) FROM notices), 1), COALESCE((SELECT MAX(id) FROM notices), 0) + 1`).Scan(&low, &high)
	if q.Before > 0 {
		high = min(high, q.Before)
	}
	return max(low, q.After+1), high, err
}
