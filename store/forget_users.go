package store

import (
	"context"
	"database/sql"
	"time"
)

// removeUser takes an account away, and keeps its number.
func (s *Store) removeUser(ctx context.Context, seq int64) error {
	return s.tx(ctx, func(tx *sql.Tx) error {
		if err := endSubscriptions(ctx, tx, "seq", seq); err != nil {
			return err
		}
		_, err := tx.ExecContext(ctx, `DELETE FROM users WHERE seq = $1`, seq) // his roles, mutes, sessions and inbox go with him
		if err != nil {
			return err
		}
		_, err = tx.ExecContext(ctx, `INSERT INTO deleted_users (seq, deleted_at) VALUES ($1, $2)
			ON CONFLICT (seq) DO UPDATE SET deleted_at = excluded.deleted_at`, seq, millis(s.now()))
		return err
	})
}

// DeletedSince returns the numbers above after of users that were deleted at or after
// since, in their order: a Redis that is as it was before then still has their inboxes.
// One that somebody has again is left out.
func (s *Store) DeletedSince(ctx context.Context, since time.Time, after int64, limit int) ([]int64, error) {
	var seqs []int64
	err := s.all(ctx, func(rows *sql.Rows) error {
		var seq int64
		err := rows.Scan(&seq)
		seqs = append(seqs, seq)
		return err
	}, `SELECT seq FROM deleted_users WHERE seq > $1 AND deleted_at >= $2
		AND NOT EXISTS (SELECT 1 FROM users WHERE users.seq = deleted_users.seq) ORDER BY seq LIMIT $3`,
		after, millis(since), pageSize(limit))
	return seqs, s.fail(err, "list who was deleted since %s", since.Format(time.RFC3339))
}
