package store

import (
	"context"
	"crypto/sha256"
	"database/sql"
	"encoding/hex"
	"errors"
	"time"

	"github.com/carillonhq/carillon/notifier"
)

const (
	maxLeft    = 20   // maximum number of ended devices stored per user
	purgeBatch = 1000 // devices deleted at a time
	// deadMark stands for the last device whose push service ended it. No browser has this mark, so none is kept from returning.
	deadMark = "dead"
)

// noteDead records when the push service ended a device of this user.
func (s *Store) noteDead(ctx context.Context, tx *sql.Tx, seq int64) error {
	_, err := tx.ExecContext(ctx, addLeft, seq, deadMark, millis(s.now()))
	return err
}

const addLeft = `INSERT INTO left_devices (seq, mark, at) VALUES ($1, $2, $3) ON CONFLICT (seq, mark) DO UPDATE SET at = excluded.at`

// leftMark is the stored form of an ended device. It is a hash, because anyone with an endpoint can send messages to
// it.
func leftMark(endpoint string) string {
	sum := sha256.Sum256([]byte(endpoint))
	return hex.EncodeToString(sum[:])
}

// endDevices deletes the devices that match the condition at their user's request, and records them: their
// browsers are registered again only by a click. It returns their number.
func (s *Store) endDevices(ctx context.Context, tx *sql.Tx, where string, args ...any) (int, error) {
	type device struct {
		seq  int64
		mark string
	}
	var ended []device
	rows, err := tx.QueryContext(ctx, `DELETE FROM targets WHERE kind = 'push' AND `+where+` RETURNING seq, address`, args...) //nolint:gosec // where is a constant of a caller
	err = each(rows, err, func(rows *sql.Rows) error {
		var d device
		err := rows.Scan(&d.seq, &d.mark)
		d.mark = leftMark(d.mark)
		ended = append(ended, d)
		return err
	})
	if err != nil {
		return 0, err
	}
	for _, d := range ended {
		if _, err := tx.ExecContext(ctx, addLeft, d.seq, d.mark, millis(s.now())); err != nil {
			return 0, err
		}
		if _, err := tx.ExecContext(ctx, `DELETE FROM left_devices WHERE seq = $1 AND mark IN (
			SELECT mark FROM left_devices WHERE seq = $1 ORDER BY at DESC, mark LIMIT 1000 OFFSET $2)`, d.seq, maxLeft); err != nil {
			return 0, err
		}
	}
	return len(ended), nil
}

// mayReturn returns notifier.ErrConflict if a browser must not be registered without a click: its user ended
// it, it belongs to another user, or it is unknown.
func mayReturn(ctx context.Context, tx *sql.Tx, d *notifier.NewDevice) error {
	if d.Was == "" {
		return notifier.ErrConflict
	}
	var ended, others bool
	err := tx.QueryRowContext(ctx, `SELECT EXISTS (SELECT 1 FROM left_devices WHERE seq = $1 AND mark IN ($2, $3)),
			EXISTS (SELECT 1 FROM targets WHERE kind = 'push' AND address IN ($4, $5) AND seq <> $1)`,
		d.Seq, leftMark(d.Endpoint), leftMark(d.Was), d.Endpoint, d.Was).Scan(&ended, &others)
	if err == nil && (ended || others) {
		err = notifier.ErrConflict
	}
	return err
}

// holdLogin returns notifier.ErrNotFound if a session has ended. It locks the row until the transaction ends, so
// that a concurrent sign-out finds the device.
func holdLogin(ctx context.Context, tx *sql.Tx, seq int64, session string) error {
	if session == "" {
		return nil
	}
	err := tx.QueryRowContext(ctx, `UPDATE sessions SET seq = seq WHERE id = $1 AND seq = $2 RETURNING seq`, session, seq).Scan(new(int64))
	if errors.Is(err, sql.ErrNoRows) {
		return notifier.ErrNotFound
	}
	return err
}

// keepDevices detaches devices from expired sessions that are about to be deleted. Instances of an older version
// attach them.
func (s *Store) keepDevices(ctx context.Context, tx *sql.Tx) error {
	_, err := tx.ExecContext(ctx, `UPDATE targets SET login = session, session = NULL WHERE session IS NOT NULL`)
	return err
}

// PurgeDevices deletes at most 1,000 devices that have neither been seen nor accepted a message since a time, and returns
// their number. They are registered again when their browsers come back.
func (s *Store) PurgeDevices(ctx context.Context, since time.Time) (int64, error) {
	n, err := s.exec(ctx, `DELETE FROM targets WHERE id IN (
		SELECT id FROM targets WHERE kind = 'push' AND seen_at < $1 ORDER BY id LIMIT $2)`, millis(since), purgeBatch)
	return n, s.fail(err, "purge devices")
}
