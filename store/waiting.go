package store

import (
	"context"
	"database/sql"
	"time"
)

const waitingQuery = `SELECT COUNT(*), MIN(CASE WHEN changed_at > created_at THEN changed_at ELSE created_at END)
	FROM notices WHERE ` + unfinished

// Waiting counts the notices that are accepted and not done yet, and says since when
// the oldest of them waits: since it was accepted, or since its retraction began. It is
// the zero time when there is none.
func (s *Store) Waiting(ctx context.Context) (n int64, since time.Time, err error) {
	var oldest sql.Null[int64] // of none there is no oldest
	err = s.read.QueryRowContext(ctx, waitingQuery).Scan(&n, &oldest)
	return n, fromMillis(oldest.V), s.fail(err, "count what waits")
}
