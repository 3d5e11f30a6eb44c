package store

import (
	"context"
	"database/sql"
	"time"
)

const waitingQuery = `SELECT COUNT(*), MIN(CASE WHEN changed_at > created_at THEN changed_at ELSE created_at END)
	FROM notices WHERE ` + unfinished

// Waiting counts the notices that are accepted but not finished, and returns since when the oldest
// of them has waited: since it was accepted, last changed, or its retraction began. since is the
// zero time if there are none.
func (s *Store) Waiting(ctx context.Context) (n int64, since time.Time, err error) {
	var oldest sql.Null[int64] // NULL if there are none
	err = s.read.QueryRowContext(ctx, waitingQuery).Scan(&n, &oldest)
	return n, fromMillis(oldest.V), s.fail(err, "count the waiting notices")
}
