package store

import (
	"context"
	"crypto/sha256"
	"database/sql"
	"errors"
	"fmt"
	"slices"
	"time"

	"github.com/carillonhq/carillon/notifier"
)

// Arrive returns the user of a token, created or updated from the token. The first token of a user creates them.
// Values from a newer token stay, regardless of the order of arrival.
//
// It returns a *notifier.TokenError if the user was signed out or deleted after the token was issued,
// notifier.ErrNotFound if a read-only token is for an unknown user, a *notifier.TooManyError if the app has created
// too many users recently, and the errors of CreateUser.
func (s *Store) Arrive(ctx context.Context, t *notifier.UserToken) (u notifier.User, created, changed bool, err error) {
	for left := leavers; ; left-- {
		u, changed, err = s.welcome(ctx, t)
		if !errors.Is(err, sql.ErrNoRows) {
			return u, false, changed, s.fail(err, "welcome a user of app %q", t.App.Name)
		}
		if t.ReadOnly {
			return u, false, false, notifier.ErrNotFound
		}
		u, err = s.createArrival(ctx, t)
		if !errors.Is(err, notifier.ErrConflict) || left == 0 { // on a conflict another caller has created the user
			return u, err == nil, err == nil, err
		}
	}
}

// welcome returns an existing user, updated from the token, or sql.ErrNoRows.
func (s *Store) welcome(ctx context.Context, t *notifier.UserToken) (u notifier.User, changed bool, err error) {
	var profileAt, signedOut, app int64
	err = s.read.QueryRowContext(ctx, `SELECT profile_at, signed_out, app_id FROM users WHERE name = $1`, t.Subject).Scan(&profileAt, &signedOut, &app)
	switch {
	case err != nil:
		return u, false, err
	case t.IssuedAt.Unix() < signedOut:
		return u, false, signedOutError()
	case !t.ReadOnly && app == 0: // the user has no app yet
	case t.ReadOnly, t.Profile == notifier.TokenProfile{}, t.IssuedAt.Unix() <= profileAt:
		u, err = s.oneUser(ctx, `u.name = $1`, t.Subject)
		return u, false, err
	}
	err = s.whileThere(ctx, func(tx *sql.Tx) error {
		had, has, err := s.putProfile(ctx, tx, t)
		if err != nil {
			return err
		}
		u = has
		moved := has.Audience != had.Audience
		changed = moved || t.Profile.Email != nil || has.Locale != had.Locale || has.Display != had.Display || has.Zones != had.Zones || !slices.Equal(has.Roles, had.Roles)
		if !changed {
			return nil
		}
		return s.noteChange(ctx, tx, u.Seq, moved)
	})
	return u, changed, err
}

// putProfile stores the profile of a token, unless a newer token has stored one.
func (s *Store) putProfile(ctx context.Context, tx *sql.Tx, t *notifier.UserToken) (had, has notifier.User, err error) {
	// The update locks the row, so that the second of two tokens sees the values of the first.
	var newest int64
	err = tx.QueryRowContext(ctx, `UPDATE users SET profile_at = CASE WHEN profile_at < $1 THEN $1 ELSE profile_at END,
			app_id = CASE WHEN app_id = 0 OR profile_at < $1 THEN $3 ELSE app_id END
		WHERE name = $2 RETURNING seq, profile_at`, t.IssuedAt.Unix(), t.Subject, t.App.ID).Scan(&had.Seq, &newest)
	if err != nil {
		return had, has, err
	}
	if had, err = only(gatherUsers(tx.QueryContext(ctx, userQuery(`u.seq = $1`), had.Seq))); err != nil {
		return had, has, err
	}
	if newest != t.IssuedAt.Unix() {
		return had, had, nil
	}
	p := &t.Profile
	set := func(value any, columns string) {
		if err == nil {
			_, err = tx.ExecContext(ctx, `UPDATE users SET `+columns+` WHERE seq = $2`, value, had.Seq) //nolint:gosec // columns is a constant below
		}
	}
	if p.Display != nil {
		set(*p.Display, `display = $1`)
		set(fold(*p.Display), `display_fold = $1`)
	}
	if p.Audience != nil {
		set(int64(t.Audience()), `audience = $1`)
	}
	if p.Locale != nil { // a language chosen by the user takes precedence
		set(*p.Locale, `locale = CASE WHEN locale = app_locale THEN $1 ELSE locale END, app_locale = $1`)
	}
	if p.Zone != nil { // the browser's zone is newer: users travel
		set(*p.Zone, `zone_seen = CASE zone_seen WHEN '' THEN $1 ELSE zone_seen END`)
	}
	if p.Email != nil && err == nil {
		err = s.putReportedMail(ctx, tx, had.Seq, *p.Email)
	}
	if p.Roles != nil && err == nil {
		err = s.putAppRoles(ctx, tx, t.App.ID, had.Seq, *p.Roles)
	}
	if err == nil {
		err = s.putNotes(ctx, tx, &had, p.Notes)
	}
	if err == nil {
		has, err = only(gatherUsers(tx.QueryContext(ctx, userQuery(`u.seq = $1`), had.Seq)))
	}
	return had, has, err
}

// putAppRoles makes these roles the only ones that a user has from the app. Roles granted
// manually, or by another app, stay.
func (s *Store) putAppRoles(ctx context.Context, tx *sql.Tx, app, seq int64, roles []string) error {
	ids := []int64{}
	for _, role := range roles { // they are sorted: see EnsureTypes
		id, err := s.roleID(ctx, tx, role)
		if err != nil {
			return err
		}
		ids = append(ids, id)
		_, err = tx.ExecContext(ctx, `INSERT INTO role_members (role_id, seq, app_id) VALUES ($1, $2, $3) ON CONFLICT DO NOTHING`, id, seq, app)
		if err != nil {
			return err
		}
	}
	_, err := change(ctx, tx, `DELETE FROM role_members WHERE seq = $1 AND app_id = $2 AND NOT (`+s.dialect.within("role_id", 3)+`)`,
		seq, app, s.dialect.numberList(ids))
	return err
}

// createArrival creates the user of a token from its claims.
func (s *Store) createArrival(ctx context.Context, t *notifier.UserToken) (u notifier.User, err error) {
	row := userRow{NewUser: notifier.NewUser{Name: t.Subject, Audience: t.Audience()}, fold: fold(t.Subject), created: millis(s.now())}
	if t.Profile.Locale != nil {
		row.Locale = *t.Profile.Locale
	}
	if fault := notifier.NameFault(row.Name); fault != nil {
		return u, &notifier.TokenError{Code: notifier.TokenClaim, Claim: "sub", Detail: "sub of a new user " + fault.Sentence()}
	}
	if err := checkUser(&row.NewUser); err != nil {
		return u, err
	}
	err = s.tx(ctx, func(tx *sql.Tx) error {
		if err := s.countArrivals(ctx, tx, t.App.ID, 1); err != nil {
			return err
		}
		rows := []userRow{row}
		taken, err := s.addUsers(ctx, tx, rows, roleIDs{})
		if err == nil && taken >= 0 {
			err = notifier.ErrConflict
		}
		if err != nil {
			return err
		}
		var signedOut int64
		err = tx.QueryRowContext(ctx, `SELECT signed_out FROM former_users WHERE name_hash = $1 AND until > $2`, nameHash(t.Subject), millis(s.now())).Scan(&signedOut)
		if err == nil && t.IssuedAt.Unix() < signedOut {
			return signedOutError()
		}
		if err != nil && !errors.Is(err, sql.ErrNoRows) {
			return err
		}
		_, err = tx.ExecContext(ctx, `UPDATE users SET app_locale = locale WHERE seq = $1`, rows[0].seq)
		if err == nil {
			_, u, err = s.putProfile(ctx, tx, t)
		}
		return err
	})
	return u, s.fail(err, "create a user of app %q", t.App.Name)
}

func signedOutError() error {
	return &notifier.TokenError{Code: notifier.TokenRevoked, Detail: "the user was signed out after it was issued: issue a new one"}
}

// nameHash replaces the name of a user whose data is deleted.
func nameHash(name string) []byte {
	sum := sha256.Sum256([]byte("carillon former user " + name))
	return sum[:]
}

// former records a user who is being deleted, so that their tokens do not create them again.
func (s *Store) former(ctx context.Context, tx *sql.Tx, name string) error {
	now := s.now()
	if _, err := tx.ExecContext(ctx, `DELETE FROM former_users WHERE until <= $1`, millis(now)); err != nil {
		return err
	}
	_, err := tx.ExecContext(ctx, `INSERT INTO former_users (name_hash, signed_out, until) VALUES ($1, $2, $3)
		ON CONFLICT (name_hash) DO UPDATE SET signed_out = excluded.signed_out, until = excluded.until`,
		nameHash(name), now.Unix()+1, millis(now.Add(notifier.MaxTokenLife+time.Hour)))
	if err != nil {
		return fmt.Errorf("record a former user: %w", err)
	}
	return nil
}
