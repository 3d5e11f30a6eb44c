package store

import (
	"context"
	"database/sql"
	"errors"
	"slices"
	"time"

	"github.com/carillonhq/carillon/notifier"
)

// CreateSession stores a session of a user, begun and last seen at the given time. The id is the
// SHA-256 of the cookie's value, in hex.
func (s *Store) CreateSession(ctx context.Context, id string, signed notifier.Signed, at time.Time) error {
	var ends sql.NullInt64
	var by notifier.Provided
	if signed.By != nil {
		by = *signed.By
		ends = sql.NullInt64{Int64: millis(by.Until), Valid: true}
	}
	_, err := s.exec(ctx, `INSERT INTO sessions (id, seq, created_at, seen_at, ends_at, staff, id_token, agent) VALUES ($1, $2, $3, $3, $4, $5, $6, $7)`,
		id, signed.User.Seq, millis(at), ends, by.Staff, by.IDToken, text(signed.Agent))
	return s.fail(err, "begin a session of user %d", signed.User.Seq)
}

// sessionsQuery is completed by the condition for the ids.
const sessionsQuery = `SELECT s.id, ` + userColumns + `, r.name, s.created_at, s.seen_at, s.ends_at, s.staff
	FROM sessions s JOIN users u ON u.seq = s.seq
	LEFT JOIN role_members m ON m.seq = u.seq LEFT JOIN roles r ON r.id = m.role_id
	WHERE `

// SeenSession is a session and when it was last seen.
type SeenSession struct {
	notifier.Signed

	Seen time.Time
}

// Sessions returns those of these sessions that exist, by id. A user has the staff role if their groups at the
// identity provider grant it. ID tokens are omitted. The caller decides whether a session has expired.
func (s *Store) Sessions(ctx context.Context, ids []string) (map[string]*SeenSession, error) {
	all := make(map[string]*SeenSession, len(ids))
	err := s.ask(ctx, s.ready.sessions, func(rows *sql.Rows) error {
		var one SeenSession
		var created, seen int64
		var ends sql.NullInt64
		var byGroup bool
		var role sql.NullString
		if err := rows.Scan(append(append([]any{&one.ID}, userFields(&one.User)...), &role, &created, &seen, &ends, &byGroup)...); err != nil {
			return err
		}
		known := all[one.ID]
		if known == nil { // otherwise this row is one more role of the same user
			one.Since, one.Seen = fromMillis(created), fromMillis(seen)
			if ends.Valid {
				one.By = &notifier.Provided{Until: fromMillis(ends.Int64), Staff: byGroup}
			}
			known = &one
			all[one.ID] = known
		}
		if role.Valid {
			known.User.Roles = append(known.User.Roles, role.String)
		}
		return nil
	}, s.dialect.textList(ids))
	if err != nil {
		return nil, s.fail(err, "read %d sessions", len(ids))
	}
	for _, one := range all {
		slices.Sort(one.User.Roles)
		if one.By != nil && one.By.Staff && !one.User.HasRole(notifier.RoleStaff) {
			one.User.Roles = append(one.User.Roles, notifier.RoleStaff)
		}
	}
	return all, nil
}

// IDToken returns the ID token of a session; empty: there is none, or no such session.
func (s *Store) IDToken(ctx context.Context, id string) (token string, err error) {
	err = s.all(ctx, func(rows *sql.Rows) error { return rows.Scan(&token) }, `SELECT id_token FROM sessions WHERE id = $1`, id)
	return token, s.fail(err, "read the ID token of a session")
}

// TouchSessions records that sessions were seen, in one commit per few hundred sessions.
func (s *Store) TouchSessions(ctx context.Context, ids []string, at time.Time) error {
	for part := range slices.Chunk(ids, listSize) {
		_, err := s.exec(ctx, `UPDATE sessions SET seen_at = $1 WHERE seen_at < $1 AND `+s.dialect.within("id", 2), millis(at), s.dialect.textList(part))
		if err != nil {
			return s.fail(err, "touch %d sessions", len(ids))
		}
	}
	return nil
}

// EndSession ends a session with its devices and returns its user's number, or 0 if there is no such session.
func (s *Store) EndSession(ctx context.Context, id string) (seq int64, err error) {
	err = s.tx(ctx, func(tx *sql.Tx) error {
		ended, err := s.endSessions(ctx, tx, `id = $1`, id)
		if len(ended) > 0 {
			seq = ended[0].Seq
			_, err = s.endDevices(ctx, tx, `login = $1`, id)
		}
		return err
	})
	return seq, s.fail(err, "end a session")
}

// EndSessions ends all sessions and devices of a user, and returns the sessions. Tokens issued before are rejected from
// then on.
func (s *Store) EndSessions(ctx context.Context, seq int64) (ended []notifier.EndedSession, err error) {
	err = s.tx(ctx, func(tx *sql.Tx) error {
		var known int64
		err := tx.QueryRowContext(ctx, `UPDATE users SET signed_out = $1 WHERE seq = $2 RETURNING seq`, s.now().Unix()+1, seq).Scan(&known)
		if err == nil {
			err = s.noteChange(ctx, tx, seq, true) // streams opened with a token are checked again
		}
		if err != nil && !errors.Is(err, sql.ErrNoRows) {
			return err
		}
		if _, err = s.endDevices(ctx, tx, `seq = $1`, seq); err != nil {
			return err
		}
		ended, err = s.endSessions(ctx, tx, `seq = $1`, seq)
		return err
	})
	if err != nil {
		return nil, s.fail(err, "end the sessions of user %d", seq)
	}
	return ended, nil
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

// LiveTokens returns, for each session in order, the audience of its user, or 0 if the user was deleted or signed out
// after their token was issued.
func (s *Store) LiveTokens(ctx context.Context, sessions []notifier.TokenSession) ([]notifier.Audience, error) {
	seqs := make([]int64, 0, len(sessions))
	for i := range sessions {
		seqs = append(seqs, sessions[i].Seq)
	}
	type user struct {
		audience  notifier.Audience
		signedOut int64
	}
	users := make(map[int64]user, len(seqs))
	for part := range slices.Chunk(seqs, listSize) {
		err := s.all(ctx, func(rows *sql.Rows) error {
			var seq int64
			var u user
			err := rows.Scan(&seq, &u.audience, &u.signedOut)
			users[seq] = u
			return err
		}, `SELECT seq, audience, signed_out FROM users WHERE `+s.dialect.within("seq", 1), s.dialect.numberList(part))
		if err != nil {
			return nil, s.fail(err, "look up the users of %d tokens", len(seqs))
		}
	}
	live := make([]notifier.Audience, len(sessions))
	for i, t := range sessions {
		if u, found := users[t.Seq]; found && t.IssuedAt >= u.signedOut {
			live[i] = u.audience
		}
	}
	return live, nil
}

// LiveSessions returns the valid sessions among ids, with the current audience of their users.
func (s *Store) LiveSessions(ctx context.Context, ids []string, valid notifier.SessionLimits) (map[string]notifier.Audience, error) {
	live := make(map[string]notifier.Audience, len(ids))
	for part := range slices.Chunk(ids, listSize) {
		err := s.all(ctx, func(rows *sql.Rows) error {
			var id string
			var audience notifier.Audience
			err := rows.Scan(&id, &audience)
			live[id] = audience
			return err
		}, `SELECT s.id, u.audience FROM sessions s JOIN users u ON u.seq = s.seq
			WHERE s.created_at > $2 AND s.seen_at > $3 AND (s.ends_at IS NULL OR s.ends_at > $4) AND `+s.dialect.within("s.id", 1),
			s.dialect.textList(part), millis(valid.Since), millis(valid.Seen), millis(valid.Now))
		if err != nil {
			return nil, s.fail(err, "look up %d sessions", len(ids))
		}
	}
	return live, nil
}

// PurgeSessions deletes the sessions that are no longer valid, and returns their number. Their devices stay.
func (s *Store) PurgeSessions(ctx context.Context, valid notifier.SessionLimits) (n int64, err error) {
	err = s.tx(ctx, func(tx *sql.Tx) error {
		if err := s.keepDevices(ctx, tx); err != nil {
			return err
		}
		n, err = change(ctx, tx, `DELETE FROM sessions WHERE created_at < $1 OR seen_at < $2 OR ends_at < $3`,
			millis(valid.Since), millis(valid.Seen), millis(valid.Now))
		return err
	})
	return n, s.fail(err, "purge sessions")
}

// EndOldest ends the user's sessions except the keep last seen ones, and returns the ended ones.
// Their devices stay.
func (s *Store) EndOldest(ctx context.Context, seq int64, keep int) (ended []notifier.EndedSession, err error) {
	err = s.tx(ctx, func(tx *sql.Tx) error {
		ended, err = s.endSessions(ctx, tx, `id IN (
			SELECT id FROM sessions WHERE seq = $1 ORDER BY seen_at DESC, created_at DESC, id LIMIT 1000 OFFSET $2)`, seq, keep)
		return err
	})
	if err != nil {
		return nil, s.fail(err, "end the oldest sessions of user %d", seq)
	}
	return ended, nil
}

// LastSeen returns when each of these users was last seen in a session that has not ended, accurate to a few minutes.
// Users without one are omitted: requests with tokens or by a proxy are not recorded.
func (s *Store) LastSeen(ctx context.Context, seqs []int64) (map[int64]time.Time, error) {
	seen := make(map[int64]time.Time, len(seqs))
	err := s.all(ctx, func(rows *sql.Rows) error {
		var seq, at int64
		err := rows.Scan(&seq, &at)
		seen[seq] = fromMillis(at)
		return err
	}, `SELECT seq, MAX(seen_at) FROM sessions WHERE `+s.dialect.within("seq", 1)+` GROUP BY seq`, s.dialect.numberList(seqs))
	return seen, s.fail(err, "read when %d users were last seen", len(seqs))
}
