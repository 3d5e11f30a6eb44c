package store

import (
	"context"
	"crypto/rand"
	"database/sql"
	"encoding/hex"
	"errors"
	"slices"
	"time"

	"github.com/carillonhq/carillon/notifier"
)

const targetColumns = `t.id, t.seq, t.kind, t.address, t.keys, t.label, t.token, t.state, t.wait, t.daily, t.told, t.told_urgent,
	t.newest, t.upto, t.urgent, t.due_at, t.tries, t.refusals, t.refused_at, t.failing_since, t.held_since, t.error, t.created_at, t.seen_at`

// targetRow is a target as it is scanned.
type targetRow struct {
	notifier.ReachTarget
	wait, due, refused, failing, held, created, seen int64

	daily sql.Null[int64]
}

// fields returns the scan destinations of targetColumns.
func (r *targetRow) fields() []any {
	t := &r.ReachTarget
	return []any{
		&t.ID, &t.Seq, &t.Kind, &t.Address, &t.Keys, &t.Label, &t.Token, &t.State, &r.wait, &r.daily, &t.Told, &t.ToldUrgent,
		&t.Newest, &t.UpTo, &t.Urgent, &r.due, &t.Tries, &t.Refusals, &r.refused, &r.failing, &r.held, &t.Error, &r.created, &r.seen,
	}
}

// target converts the row to the type that callers see.
func (r *targetRow) target() notifier.ReachTarget {
	t := r.ReachTarget
	t.Wait, t.Daily = time.Duration(r.wait)*time.Millisecond, -1
	if r.daily.Valid {
		t.Daily = int(r.daily.V)
	}
	t.DueAt, t.CreatedAt, t.SeenAt = fromMillis(r.due), fromMillis(r.created), fromMillis(r.seen)
	t.RefusedAt, t.FailingSince, t.HeldSince = fromMillis(r.refused), fromMillis(r.failing), fromMillis(r.held)
	return t
}

// Targets lists the targets of a user, the oldest first.
func (s *Store) Targets(ctx context.Context, seq int64) (found []notifier.ReachTarget, err error) {
	err = s.all(ctx, func(rows *sql.Rows) error {
		var r targetRow
		err := rows.Scan(r.fields()...)
		found = append(found, r.target())
		return err
	}, `SELECT `+targetColumns+` FROM targets t WHERE t.seq = $1 ORDER BY t.id`, seq)
	return found, s.fail(err, "list the targets of user %d", seq)
}

// MailOf returns the mail address of a user, and whether it receives mail.
func (s *Store) MailOf(ctx context.Context, seq int64) (m notifier.Mailbox, err error) {
	var failing int64
	err = s.read.QueryRowContext(ctx, `SELECT address, state, failing_since FROM targets WHERE seq = $1 AND kind = 'mail'`, seq).Scan(&m.Address, &m.State, &failing)
	if errors.Is(err, sql.ErrNoRows) {
		err = nil
	}
	m.FailingSince = fromMillis(failing)
	return m, s.fail(err, "read the mail address of user %d", seq)
}

// MailAddresses returns the mail addresses of these users by number; users without one are omitted.
func (s *Store) MailAddresses(ctx context.Context, seqs []int64) (map[int64]string, error) {
	found := make(map[int64]string, len(seqs))
	for part := range slices.Chunk(seqs, listSize) {
		err := s.all(ctx, func(rows *sql.Rows) error {
			var seq int64
			var address string
			err := rows.Scan(&seq, &address)
			found[seq] = address
			return err
		}, `SELECT seq, address FROM targets WHERE kind = 'mail' AND `+s.dialect.within("seq", 1), s.dialect.numberList(part))
		if err != nil {
			return nil, s.fail(err, "read the mail addresses of %d users", len(seqs))
		}
	}
	return found, nil
}

// putMail sets a user's mail address; an empty one removes it. Notices from before the address was set are
// not sent to it.
func (s *Store) putMail(ctx context.Context, tx *sql.Tx, seq int64, address string) error {
	if address == "" {
		_, err := tx.ExecContext(ctx, `DELETE FROM targets WHERE seq = $1 AND kind = 'mail'`, seq)
		return err
	}
	var has string
	var state notifier.ReachState
	err := tx.QueryRowContext(ctx, `SELECT address, state FROM targets WHERE seq = $1 AND kind = 'mail'`, seq).Scan(&has, &state)
	switch {
	case err == nil && has == address:
		if state == notifier.ReachDead {
			_, err = s.revive(ctx, tx, `AND seq = $2`, seq)
		}
		return err
	case err == nil:
		_, err = tx.ExecContext(ctx, `DELETE FROM targets WHERE seq = $1 AND kind = 'mail'`, seq)
	case errors.Is(err, sql.ErrNoRows):
		err = nil
	}
	if err != nil {
		return err
	}
	return s.addTarget(ctx, tx, &notifier.ReachTarget{Seq: seq, Kind: notifier.ReachMail, Address: address, Keys: []byte{}}, "")
}

// putReportedMail is putMail for an address that is reported repeatedly: it does not revive a dead one.
func (s *Store) putReportedMail(ctx context.Context, tx *sql.Tx, seq int64, address string) error {
	var same bool
	err := tx.QueryRowContext(ctx, `SELECT EXISTS (SELECT 1 FROM targets WHERE seq = $1 AND kind = 'mail' AND address = $2)`, seq, address).Scan(&same)
	if err != nil || same {
		return err
	}
	return s.putMail(ctx, tx, seq, address)
}

// addTarget stores a new target with the delay preferred by its user, and completes t. Earlier notices are not
// sent to it. login is the session of a device.
func (s *Store) addTarget(ctx context.Context, tx *sql.Tx, t *notifier.ReachTarget, login string) error {
	p, err := s.scanPreferences(tx.QueryRowContext(ctx, preferencesQuery, t.Seq))
	if err != nil {
		return err
	}
	when := p.Mail
	if t.Kind == notifier.ReachPush {
		when = p.Push
	}
	now := millis(s.now())
	if t.Told, err = ahead(ctx, tx, t.Seq, now); err != nil {
		return err
	}
	var token [16]byte
	_, _ = rand.Read(token[:]) // never fails
	t.Token = hex.EncodeToString(token[:])
	// An instance that has not read the new target does not mark it: see marks. The first decision is made
	// after every instance has read it, and includes everything up to then.
	due := now + 2*targetsKnown.Milliseconds()
	t.State = notifier.ReachOn
	if when.Off {
		t.State, due = notifier.ReachOff, 0
	}
	s.marks.heard(s.now())
	return tx.QueryRowContext(ctx, `INSERT INTO targets (seq, kind, address, keys, label, login, token, state, wait, daily, told, due_at, created_at, seen_at)
		VALUES ($1, $2, $3, $4, $5, $6, $7, $8, $9, $10, $11, $12, $13, $13) RETURNING id`,
		t.Seq, string(t.Kind), t.Address, t.Keys, t.Label, login, t.Token, string(t.State),
		when.Wait.Milliseconds(), dailyOf(when, p.MailAt), t.Told, due, now).Scan(&t.ID)
}

// dailyOf returns the stored form of the minute of daily mails.
func dailyOf(when notifier.When, minute int) sql.Null[int64] {
	return sql.Null[int64]{V: int64(minute), Valid: when.Daily}
}

// ahead returns now, or the version of the user's inbox if that is higher: no entry up to it is new.
func ahead(ctx context.Context, tx *sql.Tx, seq, now int64) (int64, error) {
	var ver int64
	err := tx.QueryRowContext(ctx, `SELECT ver FROM inbox_snapshots WHERE seq = $1`, seq).Scan(&ver)
	if errors.Is(err, sql.ErrNoRows) {
		err = nil
	}
	return max(now, ver), err
}

// SwitchOff switches off the target with this token, and mail for its user if it is a mail address. It
// returns the number of the user, or notifier.ErrNotFound for an unknown token.
func (s *Store) SwitchOff(ctx context.Context, token string) (seq int64, err error) {
	err = s.tx(ctx, func(tx *sql.Tx) error {
		var kind notifier.ReachKind
		err := tx.QueryRowContext(ctx, `UPDATE targets SET state = 'off', due_at = 0, upto = 0, urgent = FALSE, tries = 0, held_since = 0
			WHERE token = $1 RETURNING seq, kind`, text(token)).Scan(&seq, &kind)
		if err == nil && kind == notifier.ReachMail {
			_, err = tx.ExecContext(ctx, `UPDATE users SET mail_when = 'off' WHERE seq = $1`, seq)
		}
		if err == nil {
			err = s.noteChange(ctx, tx, seq, false)
		}
		if err == nil {
			err = s.emitUser(ctx, tx, notifier.EventPreferencesChanged, seq)
		}
		return err
	})
	return seq, s.fail(err, "switch a target off")
}

// TokenUser returns the user of the target with this token, and the app on whose pages they read notices (0: on
// Carillon's). It returns notifier.ErrNotFound for an unknown token.
func (s *Store) TokenUser(ctx context.Context, token string) (u notifier.User, app int64, err error) {
	err = s.read.QueryRowContext(ctx, `SELECT `+userColumns+`, `+readerApp+` FROM users u WHERE u.seq = (SELECT seq FROM targets WHERE token = $1)`,
		text(token)).Scan(append(userFields(&u), &app)...)
	return u, app, s.fail(err, "look up the token of a target")
}
