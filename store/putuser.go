package store

import (
	"context"
	"database/sql"
	"errors"
	"slices"

	"github.com/carillonhq/carillon/notifier"
)

// DefaultAudience is the audience of a user created without one: "user".
const DefaultAudience notifier.Audience = 2

// newUser returns the user to create if the name is new.
func newUser(u *notifier.PutUser) notifier.NewUser {
	n := notifier.NewUser{Name: u.Name, Audience: DefaultAudience}
	if u.Audience != nil {
		n.Audience = *u.Audience
	}
	if u.Locale != nil {
		n.Locale = *u.Locale
	}
	if u.Email != nil {
		n.Email = *u.Email
	}
	if u.Roles != nil {
		n.Roles = *u.Roles
	}
	return n
}

// PutUser creates a user, who cannot sign in with a password, or updates the fields of an existing
// user that are set in u. It returns the user as stored. It returns a *notifier.InvalidError with all
// invalid fields, or notifier.ErrFull.
func (s *Store) PutUser(ctx context.Context, u notifier.PutUser) (has notifier.User, created bool, err error) {
	row := newUser(&u)
	if err := checkUser(&row); err != nil {
		return notifier.User{}, false, err
	}
	if u.Locale != nil {
		u.Locale = &row.Locale
	}
	if u.Email != nil {
		u.Email = &row.Email
	}
	for left := leavers; ; left-- {
		has, err = s.changeUser(ctx, &u)
		if !errors.Is(err, sql.ErrNoRows) {
			return has, false, s.fail(err, "change user %q", u.Name)
		}
		has, err = s.CreateUser(ctx, row)
		if !errors.Is(err, notifier.ErrConflict) || left == 0 { // on a conflict another caller has created the user
			return has, err == nil, err
		}
	}
}

// changeUser updates an existing user, or returns sql.ErrNoRows.
func (s *Store) changeUser(ctx context.Context, u *notifier.PutUser) (has notifier.User, err error) {
	err = s.whileThere(ctx, func(tx *sql.Tx) error { // a concurrent call may delete a role while the user is added to it
		// Lock the row first, so that the second of two concurrent updates sees the result of the
		// first.
		var seq int64
		if err := tx.QueryRowContext(ctx, `UPDATE users SET name = name WHERE name = $1 RETURNING seq`, u.Name).Scan(&seq); err != nil {
			return err
		}
		had, err := only(gatherUsers(tx.QueryContext(ctx, userQuery(`u.seq = $1`), seq)))
		if err != nil {
			return err
		}
		if err := s.putFields(ctx, tx, &had, u); err != nil {
			return err
		}
		if has, err = only(gatherUsers(tx.QueryContext(ctx, userQuery(`u.seq = $1`), seq))); err != nil {
			return err
		}
		moved := has.Audience != had.Audience
		if u.Email == nil && !moved && has.Locale == had.Locale && slices.Equal(has.Roles, had.Roles) {
			return nil
		}
		return s.noteChange(ctx, tx, seq, moved)
	})
	return has, err
}

// putFields writes the fields of u that differ from the stored ones.
func (s *Store) putFields(ctx context.Context, tx *sql.Tx, had *notifier.User, u *notifier.PutUser) error {
	audience, locale := had.Audience, had.Locale
	if u.Audience != nil {
		audience = *u.Audience
	}
	if u.Locale != nil {
		locale = *u.Locale
	}
	if audience != had.Audience || locale != had.Locale {
		_, err := tx.ExecContext(ctx, `UPDATE users SET audience = $1, locale = $2 WHERE seq = $3`, int64(audience), locale, had.Seq)
		if err != nil {
			return err
		}
	}
	if u.Email != nil {
		if err := s.putMail(ctx, tx, had.Seq, *u.Email); err != nil {
			return err
		}
	}
	if err := s.putNotes(ctx, tx, had, putNotes(u)); err != nil {
		return err
	}
	if u.Roles == nil {
		return nil
	}
	return s.replaceRoles(ctx, tx, had.Seq, *u.Roles)
}

// replaceRoles makes a user a member of exactly these roles.
func (s *Store) replaceRoles(ctx context.Context, tx *sql.Tx, seq int64, roles []string) error {
	ids, same := []int64{}, []int64{}
	for _, role := range slices.Compact(slices.Sorted(slices.Values(roles))) { // in a fixed order: see EnsureTypes
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

// putNotes merges newer notes into the notes of a user's profile. It writes and logs only changes, so that a repeatedly sent
// profile is logged once.
func (s *Store) putNotes(ctx context.Context, tx *sql.Tx, had *notifier.User, newer notifier.ProfileNotes) error {
	old := notifier.ParseProfileNotes(had.Notes)
	notes := old.After(newer).String()
	if notes == had.Notes {
		return nil
	}
	if _, err := tx.ExecContext(ctx, `UPDATE users SET profile_notes = $1 WHERE seq = $2`, notes, had.Seq); err != nil {
		return err
	}
	if err := s.noteChange(ctx, tx, had.Seq, false); err != nil {
		return err
	}
	if notes != "" && s.noted != nil {
		s.noted(ctx, had.Seq, notes)
	}
	return nil
}

// putNotes returns the notes for an API call, which rejects invalid values.
func putNotes(u *notifier.PutUser) (n notifier.ProfileNotes) {
	if u.Email != nil {
		n.Email = notifier.Kept
	}
	if u.Locale != nil {
		n.Locale = notifier.Kept
	}
	return n
}
