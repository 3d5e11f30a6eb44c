package store

import (
	"context"
	"database/sql"
	"time"

	"github.com/carillonhq/carillon/notifier"
)

// endSessions deletes the sessions that match the condition, queues their publication, and returns
// them. Their devices stay; callers end them.
func (s *Store) endSessions(ctx context.Context, tx *sql.Tx, where string, args ...any) ([]notifier.EndedSession, error) {
	if err := s.keepDevices(ctx, tx); err != nil {
		return nil, err
	}
	var ended []notifier.EndedSession
	rows, err := tx.QueryContext(ctx, `DELETE FROM sessions WHERE `+where+` RETURNING id, seq`, args...) //nolint:gosec // where is a constant of a caller
	err = each(rows, err, func(rows *sql.Rows) error {
		var e notifier.EndedSession
		err := rows.Scan(&e.ID, &e.Seq)
		ended = append(ended, e)
		return err
	})
	if err != nil {
		return nil, err
	}
	for _, e := range ended {
		if err := s.noteEnded(ctx, tx, e); err != nil {
			return nil, err
		}
	}
	return ended, nil
}

// noteEnded queues the publication of an ended session.
func (s *Store) noteEnded(ctx context.Context, tx *sql.Tx, e notifier.EndedSession) error {
	_, err := tx.ExecContext(ctx, `INSERT INTO ended_sessions (id, seq, ended_at) VALUES ($1, $2, $3) ON CONFLICT DO NOTHING`,
		e.ID, e.Seq, millis(s.now()))
	return err
}

// EndedSessions returns ended sessions that have not been published yet, in the order in which
// they ended.
func (s *Store) EndedSessions(ctx context.Context, limit int) ([]notifier.EndedSession, error) {
	var ended []notifier.EndedSession
	err := s.all(ctx, func(rows *sql.Rows) error {
		var e notifier.EndedSession
		err := rows.Scan(&e.ID, &e.Seq)
		ended = append(ended, e)
		return err
	}, `SELECT id, seq FROM ended_sessions ORDER BY ended_at LIMIT $1`, pageSize(limit))
	return ended, s.fail(err, "list ended sessions")
}

// ToldEnded records that the end of these sessions was published.
func (s *Store) ToldEnded(ctx context.Context, ids []string) error {
	_, err := s.exec(ctx, `DELETE FROM ended_sessions WHERE `+s.dialect.within("id", 1), s.dialect.textList(ids))
	return s.fail(err, "mark the end of %d sessions as published", len(ids))
}

// noteChange queues the publication of a change of a user. changed_at rises with each change, so
// that ToldChange for an older change does not hide a newer one.
func (s *Store) noteChange(ctx context.Context, tx *sql.Tx, seq int64, moved bool) error {
	_, err := tx.ExecContext(ctx, noteChange+`VALUES ($1, $2, $3)`+noteChangeAgain, seq, moved, millis(s.now()))
	return err
}

const (
	noteChange      = `INSERT INTO changed_users (seq, moved, changed_at) `
	noteChangeAgain = ` ON CONFLICT (seq) DO UPDATE SET moved = changed_users.moved OR excluded.moved, told = FALSE,
		changed_at = CASE WHEN excluded.changed_at > changed_users.changed_at THEN excluded.changed_at ELSE changed_users.changed_at + 1 END`
)

// ChangedUser returns the unpublished change of a user; found is false if there is
// none.
func (s *Store) ChangedUser(ctx context.Context, seq int64) (c notifier.ChangedUser, found bool, err error) {
	changes, err := s.changedUsers(ctx, `c.seq = $1 AND NOT c.told`, seq)
	if err != nil || len(changes) == 0 {
		return c, false, s.fail(err, "read the change of user %d", seq)
	}
	return changes[0], true, nil
}

// ChangedUsers returns users with an unpublished change, and users whose move to another audience
// was recorded before again: a move is published twice.
func (s *Store) ChangedUsers(ctx context.Context, again time.Time, limit int) ([]notifier.ChangedUser, error) {
	changes, err := s.changedUsers(ctx, `NOT c.told OR c.changed_at < $1 ORDER BY c.changed_at LIMIT $2`, millis(again), pageSize(limit))
	return changes, s.fail(err, "list changed users")
}

func (s *Store) changedUsers(ctx context.Context, where string, args ...any) ([]notifier.ChangedUser, error) {
	var changes []notifier.ChangedUser
	err := s.all(ctx, func(rows *sql.Rows) error {
		var c notifier.ChangedUser
		err := rows.Scan(&c.Seq, &c.Audience, &c.Moved, &c.Told, &c.Version)
		changes = append(changes, c)
		return err
	}, `SELECT c.seq, u.audience, c.moved, c.told, c.changed_at FROM changed_users c JOIN users u ON u.seq = c.seq WHERE `+where, args...)
	return changes, err
}

// ToldChange records that a change was published. A newer change stays queued. ChangedUsers returns
// a moved user once more.
func (s *Store) ToldChange(ctx context.Context, c notifier.ChangedUser) error {
	query := `DELETE FROM changed_users WHERE seq = $1 AND changed_at = $2`
	if c.Moved && !c.Told {
		query = `UPDATE changed_users SET told = TRUE WHERE seq = $1 AND changed_at = $2`
	}
	_, err := s.exec(ctx, query, c.Seq, c.Version)
	return s.fail(err, "mark the change of user %d as published", c.Seq)
}

// Advance moves the cursor of a notice forward to done and renews the claim on it, if the notice still has this
// state and revision. It never moves the cursor backwards.
func (s *Store) Advance(ctx context.Context, c notifier.Claim, id, rev int64, state notifier.State, done int64) error {
	_, err := s.exec(ctx, `UPDATE notices SET done = $1, owner = $5, due_at = $6, tries = 0 WHERE id = $2 AND rev = $3 AND state = $4 AND done < $1`,
		done, id, rev, string(state), c.Owner, millis(c.Until))
	return s.fail(err, "advance notice %d to user %d", id, done)
}

// Finish is Move to the final state of a notice that every recipient has, or that is retracted.
func (s *Store) Finish(ctx context.Context, id, rev int64, from, to notifier.State) error {
	err := s.tx(ctx, func(tx *sql.Tx) error {
		n, err := change(ctx, tx, moveQuery, string(to), id, rev, string(from))
		if err != nil || n == 0 || to != notifier.StateSent || from == notifier.StateSending && rev > 0 { // an edit of a notice that had been delivered
			return err
		}
		return s.emitNotices(ctx, tx, notifier.EventNoticeDelivered, id)
	})
	return s.fail(err, "move notice %d from %s to %s", id, from, to)
}

const moveQuery = `UPDATE notices SET state = $1, done = 0 WHERE id = $2 AND rev = $3 AND state = $4`

// Move changes the state of a notice and resets its cursor to 0. It reports whether it did: it does
// nothing if the notice has another state or revision, so that work from before an edit has no
// effect.
func (s *Store) Move(ctx context.Context, id, rev int64, from, to notifier.State) (bool, error) {
	changed, err := s.exec(ctx, moveQuery, string(to), id, rev, string(from))
	return changed > 0, s.fail(err, "move notice %d from %s to %s", id, from, to)
}
