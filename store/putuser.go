package store

import (
	"context"
	"database/sql"
	"errors"
	"slices"

	"github.com/carillonhq/carillon/notifier"
)

// DefaultAudience is the audience of a user of whom none is said: "user".
const DefaultAudience notifier.Audience = 2

// PutUser is what a host application says about one of its users. What is nil it does
// not say.
type PutUser struct {
	Name     string
	Audience *notifier.Audience
	Locale   *string   // BCP 47; empty: as the browser asks
	Roles    *[]string // all of them; those that do not exist are made
}

// newUser is the user that u makes where there is none.
func (u *PutUser) newUser() NewUser {
	n := NewUser{Name: u.Name, Audience: DefaultAudience}
	if u.Audience != nil {
		n.Audience = *u.Audience
	}
	if u.Locale != nil {
		n.Locale = *u.Locale
	}
	if u.Roles != nil {
		n.Roles = *u.Roles
	}
	return n
}

// PutUser makes a user, who cannot sign in with a password, or changes of one what u
// says, and returns him as he is then. Faults are a *notifier.InvalidError that names
// all of them, or notifier.ErrFull.
func (s *Store) PutUser(ctx context.Context, u PutUser) (has notifier.User, created bool, err error) {
	row := u.newUser()
	if err := row.check(); err != nil {
		return notifier.User{}, false, err
	}
	for left := leavers; ; left-- {
		has, err = s.changeUser(ctx, &u)
		if !errors.Is(err, sql.ErrNoRows) {
			return has, false, s.fail(err, "change user %q", u.Name)
		}
		has, err = s.CreateUser(ctx, row)
		if !errors.Is(err, notifier.ErrConflict) || left == 0 { // else somebody has made him since
			return has, err == nil, err
		}
	}
}

// changeUser changes a user who is there, or answers sql.ErrNoRows.
func (s *Store) changeUser(ctx context.Context, u *PutUser) (has notifier.User, err error) {
	err = s.whileThere(ctx, func(tx *sql.Tx) error { // a role may be deleted while he becomes a member
		var audience, locale any
		if u.Audience != nil {
			audience = int64(*u.Audience)
		}
		if u.Locale != nil {
			locale = *u.Locale
		}
		// His row is locked, so that of two who replace his roles one comes first.
		var seq int64
		err := tx.QueryRowContext(ctx, `UPDATE users SET audience = COALESCE($1, audience), locale = COALESCE($2, locale)
			WHERE name = $3 RETURNING seq`, audience, locale, u.Name).Scan(&seq)
		if err != nil {
			return err
		}
		if u.Roles != nil {
			if err := s.replaceRoles(ctx, tx, seq, *u.Roles); err != nil {
				return err
			}
		}
		users, err := gatherUsers(tx.QueryContext(ctx, userQuery(`u.seq = $1`), seq))
		if err == nil {
			has = users[0] // the row is locked
		}
		return err
	})
	return has, err
}

// replaceRoles makes a user a member of these roles alone.
func (s *Store) replaceRoles(ctx context.Context, tx *sql.Tx, seq int64, roles []string) error {
	ids, same := []int64{}, []int64{}
	for _, role := range slices.Compact(slices.Sorted(slices.Values(roles))) { // in one order: see EnsureTypes
		id, err := s.roleID(ctx, tx, role)
		if err != nil {
			return err
		}
		ids, same = append(ids, id), append(same, seq)
	}
	_, err := change(ctx, tx, `DELETE FROM role_members WHERE seq = $1 AND NOT (`+s.dialect.within("role_id", 2)+`)`,
		seq, s.dialect.numberList(ids))
	if err != nil || len(ids) == 0 {
		return err
	}
	return s.dialect.addMembers(ctx, tx, ids, same)
}
