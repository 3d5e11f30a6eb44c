package store

import (
	"context"
	"database/sql"
	"slices"
	"time"

	"github.com/carillonhq/carillon/notifier"
)

// CreateSession stores a session of a user, begun and last seen at the given
// time. The id is the SHA-256 of what the cookie holds, in hex.
func (s *Store) CreateSession(ctx context.Context, id string, seq int64, at time.Time) error {
	_, err := s.exec(ctx, `INSERT INTO sessions (id, seq, created_at, seen_at) VALUES ($1, $2, $3, $3)`,
		id, seq, millis(at))
	return s.fail(err, "begin a session of user %d", seq)
}

const sessionQuery = `SELECT ` + userColumns + `, r.name, s.created_at, s.seen_at
	FROM sessions s JOIN users u ON u.seq = s.seq
	LEFT JOIN role_members m ON m.seq = u.seq LEFT JOIN roles r ON r.id = m.role_id
	WHERE s.id = $1 ORDER BY r.name`

// Session returns whose session it is, and when it began and was last seen, or
// notifier.ErrNotFound. Whether it is too old is for the caller to say.
func (s *Store) Session(ctx context.Context, id string) (u notifier.User, since, seen time.Time, err error) {
	var created, last int64
	found := false
	err = ask(ctx, s.ready.session, func(rows *sql.Rows) error {
		found = true
		var role sql.NullString
		err := rows.Scan(append(userFields(&u), &role, &created, &last)...)
		if role.Valid {
			u.Roles = append(u.Roles, role.String)
		}
		return err
	}, id)
	if err == nil && !found {
		err = notifier.ErrNotFound
	}
	if err != nil {
		return notifier.User{}, time.Time{}, time.Time{}, s.fail(err, "read a session")
	}
	return u, fromMillis(created), fromMillis(last), nil
}

// TouchSession notes that a session was seen.
func (s *Store) TouchSession(ctx context.Context, id string, at time.Time) error {
	_, err := s.exec(ctx, `UPDATE sessions SET seen_at = $1 WHERE id = $2 AND seen_at < $1`, millis(at), id)
	return s.fail(err, "touch a session")
}

// EndSession ends a session. One that does not exist is ended already.
func (s *Store) EndSession(ctx context.Context, id string) error {
	_, err := s.exec(ctx, `DELETE FROM sessions WHERE id = $1`, id)
	return s.fail(err, "end a session")
}

// EndSessions ends every session of a user and returns their ids.
func (s *Store) EndSessions(ctx context.Context, seq int64) ([]string, error) {
	var ids []string
	err := s.tx(ctx, func(tx *sql.Tx) error {
		rows, err := tx.QueryContext(ctx, `DELETE FROM sessions WHERE seq = $1 RETURNING id`, seq)
		if err != nil {
			return err
		}
		defer func() { _ = rows.Close() }()
		for rows.Next() {
			var id string
			if err := rows.Scan(&id); err != nil {
				return err
			}
			ids = append(ids, id)
		}
		return rows.Err()
	})
	if err != nil {
		return nil, s.fail(err, "end the sessions of user %d", seq)
	}
	return ids, nil
}

// SessionsOf returns the ids of a user's sessions.
func (s *Store) SessionsOf(ctx context.Context, seq int64) ([]string, error) {
	var ids []string
	err := s.all(ctx, func(rows *sql.Rows) error {
		var id string
		err := rows.Scan(&id)
		ids = append(ids, id)
		return err
	}, `SELECT id FROM sessions WHERE seq = $1`, seq)
	return ids, s.fail(err, "list the sessions of user %d", seq)
}

// LiveSessions returns those of ids that exist, began after since and were seen
// after seen.
func (s *Store) LiveSessions(ctx context.Context, ids []string, since, seen time.Time) ([]string, error) {
	var live []string
	for part := range slices.Chunk(ids, listSize) {
		err := s.all(ctx, func(rows *sql.Rows) error {
			var id string
			err := rows.Scan(&id)
			live = append(live, id)
			return err
		}, `SELECT id FROM sessions WHERE created_at > $2 AND seen_at > $3 AND `+s.dialect.within("id", 1),
			s.dialect.textList(part), millis(since), millis(seen))
		if err != nil {
			return nil, s.fail(err, "look up %d sessions", len(ids))
		}
	}
	return live, nil
}

// PurgeSessions removes the sessions that began before since or were last seen
// before seen, and returns how many.
func (s *Store) PurgeSessions(ctx context.Context, since, seen time.Time) (int64, error) {
	n, err := s.exec(ctx, `DELETE FROM sessions WHERE created_at < $1 OR seen_at < $2`, millis(since), millis(seen))
	return n, s.fail(err, "purge sessions")
}
