package store

import (
	"context"
	"database/sql"
	"maps"
	"slices"
	"time"
)

// maxRuns is the maximum number of stored Redis run ids. A cluster has at most as many masters with data as
// partitions.
const maxRuns = 100

// KnownRuns returns the run ids that AddRun has stored, latest first.
func (s *Store) KnownRuns(ctx context.Context) ([]string, error) {
	var ids []string
	err := s.all(ctx, func(rows *sql.Rows) error {
		var id string
		err := rows.Scan(&id)
		ids = append(ids, id)
		return err
	}, `SELECT run_id FROM redis_runs ORDER BY seen_at DESC, run_id`)
	return ids, s.fail(err, "list the known run ids of Redis")
}

// AddRun records that the Redis with this run id contains everything that SQL has, and deletes the
// oldest run ids beyond maxRuns. It never deletes the id it adds, even if clocks differ.
func (s *Store) AddRun(ctx context.Context, id string, now time.Time) error {
	err := s.tx(ctx, func(tx *sql.Tx) error {
		_, err := tx.ExecContext(ctx, `INSERT INTO redis_runs (run_id, seen_at) VALUES ($1, $2)
			ON CONFLICT (run_id) DO UPDATE SET seen_at = excluded.seen_at WHERE excluded.seen_at > redis_runs.seen_at`,
			text(id), millis(now))
		if err != nil {
			return err
		}
		_, err = tx.ExecContext(ctx, `DELETE FROM redis_runs WHERE run_id <> $1 AND run_id NOT IN (
			SELECT run_id FROM redis_runs WHERE run_id <> $1 ORDER BY seen_at DESC, run_id LIMIT $2)`, text(id), maxRuns-1)
		return err
	})
	return s.fail(err, "record a run id of Redis")
}

// SetFlushed records, for each of these parts, the time up to which all its changes are in SQL. It
// never lowers a stored time.
func (s *Store) SetFlushed(ctx context.Context, parts map[int]time.Time) error {
	if len(parts) == 0 {
		return nil
	}
	err := s.tx(ctx, func(tx *sql.Tx) error {
		for _, part := range slices.Sorted(maps.Keys(parts)) { // in a fixed order, so that concurrent calls do not deadlock
			_, err := tx.ExecContext(ctx, `INSERT INTO flush_marks (part, flushed_at) VALUES ($1, $2)
				ON CONFLICT (part) DO UPDATE SET flushed_at = excluded.flushed_at
				WHERE excluded.flushed_at > flush_marks.flushed_at`, part, millis(parts[part]))
			if err != nil {
				return err
			}
		}
		return nil
	})
	return s.fail(err, "record how far %d parts are flushed", len(parts))
}

// Flushed returns the time up to which all changes of parts 0 to parts-1 are in SQL: the
// earliest of their times. It is zero until each of them has been flushed.
func (s *Store) Flushed(ctx context.Context, parts int) (time.Time, error) {
	var known int
	var earliest sql.Null[int64]
	err := s.read.QueryRowContext(ctx, `SELECT COUNT(*), MIN(flushed_at) FROM flush_marks WHERE part >= 0 AND part < $1`, parts).
		Scan(&known, &earliest)
	if err != nil || known < parts {
		return time.Time{}, s.fail(err, "read how far all parts are flushed")
	}
	return fromMillis(earliest.V), nil
}
