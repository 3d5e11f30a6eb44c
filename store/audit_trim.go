package store

import (
	"context"
	"time"
)

// trimBatch is how many log entries one transaction examines: senders wait for it.
const trimBatch = 2000

// TrimAudit deletes the audit log entries older than before and returns their number.
// Entries are stored in the order of their times, so only the oldest are examined. It does
// not block writers for long. If it fails, some entries may be deleted already.
func (s *Store) TrimAudit(ctx context.Context, before time.Time) (int64, error) {
	total := int64(0)
	for {
		n, err := s.exec(ctx, `DELETE FROM audit_log WHERE id IN
			(SELECT id FROM (SELECT id, at FROM audit_log ORDER BY id LIMIT $2) front WHERE at < $1)`, millis(before), trimBatch)
		total += n
		if err != nil || n < trimBatch {
			return total, s.fail(err, "trim the audit log to %s", before.Format(time.RFC3339))
		}
	}
}
