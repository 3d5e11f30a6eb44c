package store

import (
	"context"
	"database/sql"
	"time"
)

// TrimNotices deletes finished notices to inboxes that expired before a time. It examines the next
// trimBatch notices with ids above after, in a transaction of their own, because senders wait for it,
// and returns the last of them. It returns 0 at the first notice that was accepted at or after
// accepted: ids rise with time, so none is older from there on. Announcements stay.
func (s *Store) TrimNotices(ctx context.Context, after int64, accepted, expired time.Time) (next, deleted int64, err error) {
	var old []int64
	examined, young := 0, false
	err = s.all(ctx, func(rows *sql.Rows) error {
		var id, created int64
		var over bool
		if err := rows.Scan(&id, &created, &over); err != nil {
			return err
		}
		examined++
		if young = young || created >= millis(accepted); !young {
			next = id
			if over {
				old = append(old, id)
			}
		}
		return nil
	}, `SELECT id, created_at, `+overCondition+` FROM notices WHERE id > $1 ORDER BY id LIMIT $3`, after, millis(expired), trimBatch)
	if err == nil && len(old) > 0 {
		deleted, err = s.exec(ctx, `DELETE FROM notices WHERE `+s.dialect.within("id", 1)+` AND `+overCondition, s.dialect.numberList(old), millis(expired))
	}
	if young || examined < trimBatch {
		next = 0
	}
	return next, deleted, s.fail(err, "delete notices that expired before %s", expired.Format(time.RFC3339))
}

// overCondition is true for notices to inboxes that nobody waits for and that expired before $2.
const overCondition = `(state IN ('sent', 'retracted') AND expires_at > 0 AND expires_at < $2
	AND NOT EXISTS (SELECT 1 FROM announcements WHERE notice_id = id))`
