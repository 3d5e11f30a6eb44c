package store

import (
	"context"
	"database/sql"

	"github.com/carillonhq/carillon/notifier"
)

// EndOldest ends the sessions of a user that were seen longest ago, all but keep of them, and returns
// them.
func (s *Store) EndOldest(ctx context.Context, seq int64, keep int) (ended []notifier.EndedSession, err error) {
	err = s.tx(ctx, func(tx *sql.Tx) error {
		ended, err = s.endSessions(ctx, tx, `id IN (
			SELECT id FROM sessions WHERE seq = $1 ORDER BY seen_at DESC, created_at DESC, id LIMIT 1000 OFFSET $2)`, seq, keep)
		return err
	})
	if err != nil {
		return nil, s.fail(err, "end the oldest sessions of user %d", seq)
	}
	return ended, nil
}
