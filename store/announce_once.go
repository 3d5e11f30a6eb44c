package store

import (
	"bytes"
	"context"
	"database/sql"
	"errors"
	"fmt"

	"github.com/carillonhq/carillon/notifier"
)

// claimOnce claims the idempotency key of a request for the notice that this transaction is
// about to store; the notice has no id yet. It waits for another transaction that holds the
// same key. It returns the notice of the earlier request if there was one, or 0 if there was
// none or the request has no key.
func (s *Store) claimOnce(ctx context.Context, tx *sql.Tx, once *notifier.Once) (id int64, err error) {
	if once == nil {
		return 0, nil
	}
	digest := append([]byte{}, once.Digest...) // never NULL
	claimed, err := tx.ExecContext(ctx, `INSERT INTO idempotency_keys (owner_kind, owner_id, key, digest, notice_id, created_at)
		VALUES ($1, $2, $3, $4, 0, $5) ON CONFLICT DO NOTHING`, string(once.Owner.Kind), refID(once.Owner), once.Key, digest, millis(s.now()))
	if err != nil {
		return 0, err
	}
	if n, err := claimed.RowsAffected(); n > 0 || err != nil {
		return 0, err
	}
	var known []byte
	err = tx.QueryRowContext(ctx, `SELECT notice_id, digest FROM idempotency_keys WHERE owner_kind = $1 AND owner_id = $2 AND key = $3`,
		string(once.Owner.Kind), refID(once.Owner), once.Key).Scan(&id, &known)
	switch {
	case errors.Is(err, sql.ErrNoRows): // forgotten between the two statements
		return 0, fmt.Errorf("%w: the idempotency key vanished while it was being read", notifier.ErrUnavailable)
	case err == nil && !bytes.Equal(known, digest):
		return 0, notifier.ErrOtherRequest
	}
	return id, err
}
