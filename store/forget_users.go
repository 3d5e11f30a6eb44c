package store

import (
	"context"
	"database/sql"
	"time"
)

// removeUser deletes an account and records that its number was deleted.
func (s *Store) removeUser(ctx context.Context, tx *sql.Tx, seq int64) error {
	if err := endSubscriptions(ctx, tx, "seq", seq); err != nil {
		return err
	}
	if _, err := s.endSessions(ctx, tx, `seq = $1`, seq); err != nil {
		return err
	}
	_, err := tx.ExecContext(ctx, `DELETE FROM users WHERE seq = $1`, seq) // roles, mutes and the inbox are deleted with it
	if err != nil {
		return err
	}
	_, err = tx.ExecContext(ctx, `INSERT INTO deleted_users (seq, deleted_at) VALUES ($1, $2)
		ON CONFLICT (seq) DO UPDATE SET deleted_at = excluded.deleted_at`, seq, millis(s.now()))
	return err
}

// DeletedSince returns, in order, the numbers above after of users deleted at or after since: a
// Redis that went back to an earlier state still has their inboxes. Numbers that a user has again
// are left out.
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
	return seqs, s.fail(err, "list the users deleted since %s", since.Format(time.RFC3339))
}
