package store

import (
	"context"
	"database/sql"

	"github.com/carillonhq/carillon/notifier"
)

// OwnSessions lists the valid sessions of a user, last seen first.
func (s *Store) OwnSessions(ctx context.Context, seq int64, valid notifier.SessionLimits) (found []notifier.OwnSession, err error) {
	err = s.all(ctx, func(rows *sql.Rows) error {
		var o notifier.OwnSession
		var created, seen int64
		err := rows.Scan(&o.Session, &o.Agent, &created, &seen, &o.Provided)
		o.ID, o.Since, o.Seen = notifier.Browser(o.Session), fromMillis(created), fromMillis(seen)
		found = append(found, o)
		return err
	}, `SELECT id, agent, created_at, seen_at, ends_at IS NOT NULL FROM sessions
		WHERE seq = $1 AND created_at > $2 AND seen_at > $3 AND (ends_at IS NULL OR ends_at > $4) ORDER BY seen_at DESC, created_at DESC, id`,
		seq, millis(valid.Since), millis(valid.Seen), millis(valid.Now))
	return found, s.fail(err, "list the sessions of user %d", seq)
}

// EndOwnSession ends the user's session with this id from OwnSessions, and its devices. It returns
// notifier.ErrNotFound if the user has no such session.
func (s *Store) EndOwnSession(ctx context.Context, seq int64, id string) (ended []notifier.EndedSession, err error) {
	err = s.tx(ctx, func(tx *sql.Tx) error {
		var session string
		rows, err := tx.QueryContext(ctx, `SELECT id FROM sessions WHERE seq = $1`, seq)
		err = each(rows, err, func(rows *sql.Rows) error {
			var each string
			err := rows.Scan(&each)
			if notifier.Browser(each) == id {
				session = each
			}
			return err
		})
		if err != nil {
			return err
		}
		if ended, err = s.endSessions(ctx, tx, `id = $1 AND seq = $2`, session, seq); err == nil && len(ended) == 0 {
			err = sql.ErrNoRows
		}
		if err != nil {
			return err
		}
		_, err = s.endDevices(ctx, tx, `login = $1`, session)
		return err
	})
	if err != nil {
		return nil, s.fail(err, "end a session of user %d", seq)
	}
	return ended, nil
}

// ReplaceSession ends a browser's previous session after a new one of the user with this number began there.
// This user's devices continue in the new session; devices of another user end.
func (s *Store) ReplaceSession(ctx context.Context, old, id string, seq int64) (ended []notifier.EndedSession, err error) {
	err = s.tx(ctx, func(tx *sql.Tx) error {
		if ended, err = s.endSessions(ctx, tx, `id = $1`, old); err != nil {
			return err
		}
		if _, err = tx.ExecContext(ctx, `UPDATE targets SET login = $1 WHERE login = $2 AND seq = $3`, id, old, seq); err != nil {
			return err
		}
		_, err = s.endDevices(ctx, tx, `login = $1`, old)
		return err
	})
	if err != nil {
		return nil, s.fail(err, "replace a session of user %d", seq)
	}
	return ended, nil
}

// ChangePassword sets the hash of a user's password, gives the session in which they change it a new id, and
// ends all their other sessions. Devices of that session stay. It returns the sessions whose ids became invalid, or
// notifier.ErrNotFound if the session has ended.
func (s *Store) ChangePassword(ctx context.Context, seq int64, hash, old, id string) (ended []notifier.EndedSession, err error) {
	err = s.tx(ctx, func(tx *sql.Tx) error {
		if err := tx.QueryRowContext(ctx, `UPDATE users SET password_hash = $1 WHERE seq = $2 RETURNING seq`, hash, seq).Scan(new(int64)); err != nil {
			return err
		}
		if err := s.keepDevices(ctx, tx); err != nil {
			return err
		}
		if err := tx.QueryRowContext(ctx, `UPDATE sessions SET id = $1 WHERE id = $2 AND seq = $3 RETURNING seq`, id, old, seq).Scan(new(int64)); err != nil {
			return err
		}
		if _, err := tx.ExecContext(ctx, `UPDATE targets SET login = $1 WHERE login = $2 AND seq = $3`, id, old, seq); err != nil {
			return err
		}
		if _, err := s.endDevices(ctx, tx, `seq = $1 AND login <> $2`, seq, id); err != nil {
			return err
		}
		if ended, err = s.endSessions(ctx, tx, `seq = $1 AND id <> $2`, seq, id); err != nil {
			return err
		}
		was := notifier.EndedSession{ID: old, Seq: seq}
		ended = append(ended, was)
		return s.noteEnded(ctx, tx, was)
	})
	if err != nil {
		return nil, s.fail(err, "change the password of user %d", seq)
	}
	return ended, nil
}
