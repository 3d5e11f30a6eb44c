package store

import (
	"context"
	"database/sql"
	"errors"
	"slices"
	"time"

	"github.com/carillonhq/carillon/notifier"
)

// disorder is how much the acceptance times of notices may deviate from the order of ids: the clocks of
// instances differ, and some notices wait for the disk.
const disorder = time.Minute

const (
	acceptedSinceQuery = `SELECT id FROM notices WHERE id > $1 AND created_at >= $2
		AND NOT EXISTS (SELECT 1 FROM announcements WHERE notice_id = id) ORDER BY id LIMIT $3`
	changedSinceQuery = `WITH changed AS MATERIALIZED (SELECT id FROM notices WHERE changed_at > 0 AND changed_at >= $2)
		SELECT id FROM changed WHERE id > $1
		AND NOT EXISTS (SELECT 1 FROM announcements WHERE notice_id = id) ORDER BY id LIMIT $3`
)

// Since returns, in order, the ids above after of the notices accepted or changed at or after
// since, whatever their current state. Announcements are omitted: only notices for inboxes are
// returned.
func (s *Store) Since(ctx context.Context, since time.Time, after int64, limit int) ([]int64, error) {
	limit = pageSize(limit)
	start, err := s.acceptedBefore(ctx, millis(since.Add(-disorder)))
	if err != nil {
		return nil, s.fail(err, "find the first notice since %s", since.Format(time.RFC3339))
	}
	var ids []int64
	add := func(rows *sql.Rows) error {
		var id int64
		err := rows.Scan(&id)
		ids = append(ids, id)
		return err
	}
	err = s.all(ctx, add, acceptedSinceQuery, max(after, start), millis(since), limit)
	if err == nil {
		err = s.all(ctx, add, changedSinceQuery, after, millis(since), limit)
	}
	if err != nil {
		return nil, s.fail(err, "list notices since %s", since.Format(time.RFC3339))
	}
	slices.Sort(ids)
	ids = slices.Compact(ids)
	return ids[:min(len(ids), limit)], nil
}

// acceptedBefore returns the highest id it finds such that all notices up to it were accepted before
// then, in ms. Ids rise with time, so it uses binary search instead of an index.
func (s *Store) acceptedBefore(ctx context.Context, then int64) (int64, error) {
	before, since := int64(0), int64(0) // up to before: accepted earlier; from since on: later, or no such id
	err := s.read.QueryRowContext(ctx, `SELECT COALESCE(MAX(id), 0) + 1 FROM notices`).Scan(&since)
	if err != nil {
		return 0, err
	}
	for before+1 < since {
		var id, at int64
		middle := before + (since-before)/2
		err := s.read.QueryRowContext(ctx, `SELECT id, created_at FROM notices WHERE id >= $1 ORDER BY id LIMIT 1`, middle).Scan(&id, &at)
		switch {
		case err != nil && !errors.Is(err, sql.ErrNoRows):
			return 0, err
		case err == nil && id < since && at < then:
			before = id
		default:
			since = middle
		}
	}
	return before, nil
}

// Confirm changes accepted notices to sent if they still have the revision in which they were
// delivered. moved contains the others, in no order: edited, retracted or deleted since then. It
// excludes notices already sent in that revision, unless another caller is confirming them
// concurrently.
func (s *Store) Confirm(ctx context.Context, done []notifier.Revised) (moved []int64, err error) {
	if len(done) == 0 {
		return nil, nil
	}
	sorted := slices.Clone(done)
	slices.SortFunc(sorted, func(a, b notifier.Revised) int { return int(a.ID - b.ID) })
	ids, revisions := make([]int64, len(sorted)), make([]int64, len(sorted))
	for i, d := range sorted {
		ids[i], revisions[i] = d.ID, d.Revision
	}
	moved, err = s.dialect.confirm(ctx, s, ids, revisions)
	return moved, s.fail(err, "confirm %d notices", len(done))
}
