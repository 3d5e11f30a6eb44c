package store

import (
	"context"
	"database/sql"
	"maps"
	"slices"
	"time"
)

// SetFlushed records, for each of these parts, the time up to which all its changes have reached
// SQL. A stored time is never lowered.
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

// Flushed returns the time up to which all changes of parts 0 to parts-1 have reached SQL: the
// earliest of their times. It is zero as long as one of them was never flushed.
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
