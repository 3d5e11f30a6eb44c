package store

import (
	"bytes"
	"context"
	"database/sql"
	"errors"
	"fmt"

	"github.com/carillonhq/carillon/notifier"
)

// claimOnce takes the key of a request for what the transaction stores, which has
// no id yet. Who is at the same key is waited for. It answers the notice of the
// request when that came before, and 0 when it did not, or has no key.
func (s *Store) claimOnce(ctx context.Context, tx *sql.Tx, once *notifier.Once) (id int64, err error) {
	if once == nil {
		return 0, nil
	}
	digest := append([]byte{}, once.Digest...) // never NULL
	claimed, err := tx.ExecContext(ctx, `INSERT INTO idempotency_keys (owner, key, digest, notice_id, created_at)
		VALUES ($1, $2, $3, 0, $4) ON CONFLICT DO NOTHING`, once.Owner, once.Key, digest, millis(s.now()))
	if err != nil {
		return 0, err
	}
	if n, err := claimed.RowsAffected(); n > 0 || err != nil {
		return 0, err
	}
	var known []byte
	err = tx.QueryRowContext(ctx, `SELECT notice_id, digest FROM idempotency_keys WHERE owner = $1 AND key = $2`,
		once.Owner, once.Key).Scan(&id, &known)
	switch {
	case errors.Is(err, sql.ErrNoRows): // forgotten between the two
		return 0, fmt.Errorf("%w: a key comes and goes", notifier.ErrUnavailable)
	case err == nil && !bytes.Equal(known, digest):
		return 0, notifier.ErrOtherRequest
	}
	return id, err
}
