package store

import (
	"context"
	"database/sql"
	"errors"

	"github.com/carillonhq/carillon/notifier"
)

// Proxied returns the user whom a proxy names, created if there is none, with the name for people that
// it says. since is when the user was last signed out, in seconds. It returns the errors of CreateUser.
func (s *Store) Proxied(ctx context.Context, p notifier.ProxiedUser) (u notifier.User, since int64, created, changed bool, err error) {
	for left := leavers; ; left-- {
		u, since, changed, err = s.welcomeProxied(ctx, p)
		if !errors.Is(err, sql.ErrNoRows) {
			return u, since, created, changed, s.fail(err, "look up a user of the proxy")
		}
		_, err = s.CreateUser(ctx, notifier.NewUser{Name: p.Name, Audience: p.Audience})
		created = err == nil
		if err != nil && !errors.Is(err, notifier.ErrConflict) || left == 0 { // on a conflict another caller has created the user
			return u, 0, false, false, err
		}
	}
}

// welcomeProxied returns an existing user, called as the proxy says, or sql.ErrNoRows.
func (s *Store) welcomeProxied(ctx context.Context, p notifier.ProxiedUser) (u notifier.User, since int64, changed bool, err error) {
	if u, err = s.oneUser(ctx, `u.name = $1`, p.Name); err != nil {
		return u, 0, false, err
	}
	if err = s.read.QueryRowContext(ctx, `SELECT signed_out FROM users WHERE seq = $1`, u.Seq).Scan(&since); err != nil {
		return u, 0, false, err
	}
	if p.Display == nil || *p.Display == u.Display {
		return u, since, false, nil
	}
	err = s.whileThere(ctx, func(tx *sql.Tx) error {
		_, err := tx.ExecContext(ctx, `UPDATE users SET display = $1, display_fold = $2 WHERE seq = $3`, *p.Display, fold(*p.Display), u.Seq)
		if err != nil {
			return err
		}
		return s.noteChange(ctx, tx, u.Seq, false)
	})
	u.Display = *p.Display
	return u, since, err == nil, err
}
