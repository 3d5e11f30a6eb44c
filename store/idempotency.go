package store

import (
	"context"
	"time"
)

// forgetBatch is how many keys one transaction forgets: senders wait for it.
const forgetBatch = 5000

// ForgetKeys forgets the requests that were accepted before then and says how
// many: one that is repeated later counts as new. It stops nobody from writing
// for long; when it fails some may be forgotten already.
func (s *Store) ForgetKeys(ctx context.Context, before time.Time) (int64, error) {
	total := int64(0)
	for {
		n, err := s.exec(ctx, `DELETE FROM idempotency_keys WHERE (owner, key) IN
			(SELECT owner, key FROM idempotency_keys WHERE created_at < $1 ORDER BY created_at LIMIT $2)`, millis(before), forgetBatch)
		total += n
		if err != nil || n < forgetBatch {
			return total, s.fail(err, "forget requests of before %s", before.Format(time.RFC3339))
		}
	}
}
