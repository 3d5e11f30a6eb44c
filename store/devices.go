package store

import (
	"context"
	"database/sql"
	"errors"

	"github.com/carillonhq/carillon/notifier"
)

// AddDevice stores a browser for push messages to its user, and returns its id. A browser that the user has
// already registered is updated: known is true. A browser of another user moves to this user. The eleventh
// device replaces the oldest. The session must belong to the user, or be empty for a user without
// sessions; if it has ended, the error is notifier.ErrNotFound. Without a click the error may be
// notifier.ErrConflict: see notifier.NewDevice.
func (s *Store) AddDevice(ctx context.Context, d notifier.NewDevice) (id int64, known bool, err error) {
	d.Was = text(d.Was)
	for range 2 { // retry once if another user registers the same browser concurrently
		err = s.tx(ctx, func(tx *sql.Tx) (err error) {
			id, known, err = s.addDevice(ctx, tx, &d)
			return err
		})
		if err == nil || s.dialect.fault(err) != faultConflict {
			break
		}
	}
	return id, known, s.fail(err, "register a device of user %d", d.Seq)
}

func (s *Store) addDevice(ctx context.Context, tx *sql.Tx, d *notifier.NewDevice) (id int64, known bool, err error) {
	// The lock on the user's row prevents two concurrent calls from exceeding the limit.
	if err = tx.QueryRowContext(ctx, `UPDATE users SET seq = seq WHERE seq = $1 RETURNING seq`, d.Seq).Scan(new(int64)); err != nil {
		return 0, false, err
	}
	if err = holdLogin(ctx, tx, d.Seq, d.Session); err != nil {
		return 0, false, err
	}
	for _, address := range []string{d.Endpoint, d.Was} {
		if id, err = s.refreshDevice(ctx, tx, d, address); err == nil {
			return id, true, s.clicked(ctx, tx, d)
		} else if !errors.Is(err, sql.ErrNoRows) {
			return 0, false, err
		}
	}
	if d.Again {
		if err = mayReturn(ctx, tx, d); err != nil {
			return 0, false, err
		}
	}
	if _, err = tx.ExecContext(ctx, `DELETE FROM targets WHERE kind = 'push' AND address = $1`, d.Endpoint); err != nil {
		return 0, false, err
	}
	t := notifier.ReachTarget{Seq: d.Seq, Kind: notifier.ReachPush, Address: d.Endpoint, Keys: d.Keys, Label: d.Label}
	if err = s.addTarget(ctx, tx, &t, d.Session); err != nil {
		return 0, false, err
	}
	_, err = tx.ExecContext(ctx, `DELETE FROM targets WHERE id IN (
		SELECT id FROM targets WHERE seq = $1 AND kind = 'push' ORDER BY id DESC LIMIT 1000 OFFSET $2)`, d.Seq, notifier.MaxDevices)
	if err != nil {
		return 0, false, err
	}
	return t.ID, false, s.clicked(ctx, tx, d)
}

// refreshDevice updates the device of a user at this endpoint: a browser that is seen again is reachable
// again. It returns sql.ErrNoRows if there is none.
func (s *Store) refreshDevice(ctx context.Context, tx *sql.Tx, d *notifier.NewDevice, address string) (id int64, err error) {
	if address != d.Endpoint { // its subscription was replaced by one that another user may have registered since
		var taken bool
		err = tx.QueryRowContext(ctx, `SELECT EXISTS (SELECT 1 FROM targets WHERE kind = 'push' AND address = $1)`, d.Endpoint).Scan(&taken)
		if err == nil && taken {
			err = sql.ErrNoRows
		}
		if err != nil {
			return 0, err
		}
	}
	err = tx.QueryRowContext(ctx, `UPDATE targets SET address = $1, keys = $2, label = $3, login = $4, session = NULL, seen_at = $5,
			refusals = 0, error = '', state = CASE state WHEN 'off' THEN 'off' ELSE 'on' END
		WHERE kind = 'push' AND address = $6 AND seq = $7 RETURNING id`,
		d.Endpoint, d.Keys, d.Label, d.Session, millis(s.now()), address, d.Seq).Scan(&id)
	return id, err
}

// clicked deletes the record that a browser was ended, after its user has turned it on again.
func (s *Store) clicked(ctx context.Context, tx *sql.Tx, d *notifier.NewDevice) error {
	if d.Again {
		return nil
	}
	_, err := tx.ExecContext(ctx, `DELETE FROM left_devices WHERE seq = $1 AND mark = $2`, d.Seq, leftMark(d.Endpoint))
	return err
}

// RemoveDevice deletes a device of a user; only a click registers it again. It returns notifier.ErrNotFound unless the id is a device of this user.
func (s *Store) RemoveDevice(ctx context.Context, seq, id int64) error {
	err := s.tx(ctx, func(tx *sql.Tx) error {
		n, err := s.endDevices(ctx, tx, `id = $1 AND seq = $2`, id, seq)
		if err == nil && n == 0 {
			err = sql.ErrNoRows
		}
		return err
	})
	return s.fail(err, "remove device %d of user %d", id, seq)
}

// Devices lists the devices of a user, oldest first, with the devices of this session marked.
func (s *Store) Devices(ctx context.Context, seq int64, session string) (found []notifier.Device, err error) {
	err = s.all(ctx, func(rows *sql.Rows) error {
		var r targetRow
		var d notifier.Device
		err := rows.Scan(append(r.fields(), &d.Here)...)
		d.ReachTarget = r.target()
		found = append(found, d)
		return err
	}, `SELECT `+targetColumns+`, t.login = $2 AND $2 <> '' FROM targets t WHERE t.seq = $1 AND t.kind = 'push' ORDER BY t.id`, seq, session)
	return found, s.fail(err, "list the devices of user %d", seq)
}

// Secret returns the value stored under this name, which all instances share. The first call stores the result of
// fresh; concurrent first calls return the same value.
func (s *Store) Secret(ctx context.Context, name string, fresh func() ([]byte, error)) ([]byte, error) {
	value, err := s.secret(ctx, name)
	if !errors.Is(err, sql.ErrNoRows) {
		return value, s.fail(err, "read the secret %s", name)
	}
	made, err := fresh()
	if err != nil {
		return nil, err
	}
	if _, err = s.exec(ctx, `INSERT INTO secrets (name, value) VALUES ($1, $2) ON CONFLICT (name) DO NOTHING`, name, made); err == nil {
		value, err = s.secret(ctx, name)
	}
	return value, s.fail(err, "store the secret %s", name)
}

func (s *Store) secret(ctx context.Context, name string) (value []byte, err error) {
	err = s.write.QueryRowContext(ctx, `SELECT value FROM secrets WHERE name = $1`, name).Scan(&value)
	return value, err
}

// ReplaceSecret stores another form of a secret, such as one sealed with a newer key, unless it has changed
// since it was read as had.
func (s *Store) ReplaceSecret(ctx context.Context, name string, had, value []byte) error {
	_, err := s.exec(ctx, `UPDATE secrets SET value = $1 WHERE name = $2 AND value = $3`, value, name, had)
	return s.fail(err, "replace the secret %s", name)
}
