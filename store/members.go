package store

import (
	"context"
	"database/sql"

	"github.com/carillonhq/carillon/notifier"
)

// Statements about the role $1 and its members; the condition that names the users follows.
const (
	// outsiders are the users whom no member of staff has put into the role; an app may have.
	outsiders     = `SELECT seq FROM users u WHERE NOT EXISTS (SELECT 1 FROM role_members m WHERE m.role_id = $1 AND m.seq = u.seq AND m.app_id = 0) AND `
	insiders      = `SELECT seq FROM role_members WHERE role_id = $1 AND `
	removeMembers = `DELETE FROM role_members WHERE role_id = $1 AND `
)

// ChangeMembers makes the users with these numbers join or leave a role, with an entry in the audit log for each of them
// that this changes, in one transaction; other writers wait, so callers pass a few hundred. It returns the numbers of those
// that it changed, in order: a member who joins again is not among them, unless only an app had put them there. Unknown
// users are ignored. It returns notifier.ErrNotFound for an unknown role.
func (s *Store) ChangeMembers(ctx context.Context, by notifier.Actor, m notifier.Membership, seqs []int64) (changed []int64, err error) {
	err = s.whileThere(ctx, func(tx *sql.Tx) error {
		changed = nil
		id, err := lookUp(ctx, tx, `SELECT id FROM roles WHERE name = $1`, m.Role)
		if err != nil {
			return err
		}
		among, who := s.dialect.within("seq", 2), outsiders
		if m.Leave {
			who = insiders
		}
		rows, err := tx.QueryContext(ctx, who+among+` ORDER BY seq`, id, s.dialect.numberList(seqs))
		err = each(rows, err, func(rows *sql.Rows) error {
			var seq int64
			err := rows.Scan(&seq)
			changed = append(changed, seq)
			return err
		})
		if err != nil || len(changed) == 0 {
			return err
		}
		if m.Leave {
			_, err = tx.ExecContext(ctx, removeMembers+among, id, s.dialect.numberList(changed))
		} else {
			err = s.dialect.addMembers(ctx, tx, repeated(id, len(changed)), changed)
		}
		if err != nil {
			return err
		}
		_, err = tx.ExecContext(ctx, noteChange+`SELECT seq, FALSE, CAST($1 AS BIGINT) FROM users WHERE `+s.dialect.within("seq", 2)+` ORDER BY seq`+noteChangeAgain,
			millis(s.now()), s.dialect.numberList(changed))
		if err != nil {
			return err
		}
		return s.recordUsers(ctx, tx, by, m.Action(), changed, m.Role)
	})
	if err != nil {
		return nil, s.fail(err, "change the membership of %d users in role %q", len(seqs), m.Role)
	}
	return changed, nil
}

func repeated(id int64, n int) []int64 {
	all := make([]int64, n)
	for i := range all {
		all[i] = id
	}
	return all
}
