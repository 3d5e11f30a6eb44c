package store

import (
	"context"
	"crypto/rand"
	"database/sql"
	"encoding/hex"
)

// probeSize is too large for the free space of existing pages.
const probeSize = 64 << 10

// Writable returns nil if the database accepts changes, else an ErrUnavailable; package trouble finds the
// cause. It inserts a row the size of a large notice and deletes it in the same transaction, so that
// no reader sees it.
func (s *Store) Writable(ctx context.Context) error {
	noise := make([]byte, probeSize/2) // random, so that compression does not shrink it
	if _, err := rand.Read(noise); err != nil {
		return err
	}
	err := s.tx(ctx, func(tx *sql.Tx) error {
		var id int64
		err := tx.QueryRowContext(ctx, `INSERT INTO dead_letters (notice_id, entry, reason, tries, created_at)
			VALUES (0, $1, 'a probe', 0, 0) RETURNING id`, hex.EncodeToString(noise)).Scan(&id)
		if err != nil {
			return err
		}
		_, err = tx.ExecContext(ctx, `DELETE FROM dead_letters WHERE id = $1`, id)
		return err
	})
	return s.fail(err, "try a change")
}
