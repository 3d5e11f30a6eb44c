package store

import (
	"context"
	"time"
)

// forgetBatch is how many keys one transaction deletes: senders wait for it.
const forgetBatch = 5000

// ForgetKeys deletes the idempotency keys of requests accepted before then and returns their
// number: if such a request is repeated later, it counts as new. It does not block writers for
// long. If it fails, some keys may be deleted already.
func (s *Store) ForgetKeys(ctx context.Context, before time.Time) (int64, error) {
	total := int64(0)
	for {
		n, err := s.exec(ctx, `DELETE FROM idempotency_keys WHERE (owner_kind, owner_id, key) IN
			(SELECT owner_kind, owner_id, key FROM idempotency_keys WHERE created_at < $1 ORDER BY created_at LIMIT $2)`, millis(before), forgetBatch)
		total += n
		if err != nil || n < forgetBatch {
			return total, s.fail(err, "delete the idempotency keys from before %s", before.Format(time.RFC3339))
		}
	}
}
