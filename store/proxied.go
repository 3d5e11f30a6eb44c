package store

import (
	"context"
	"database/sql"
	"errors"

	"github.com/carillonhq/carillon/notifier"
)

// Proxied returns the user named by a proxy, updated from its profile headers, and creates the user if necessary. since is
// when the user was last signed out, in seconds. It returns the errors of CreateUser.
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

// welcomeProxied stores the profile sent by the proxy for an existing user and returns the user, or sql.ErrNoRows.
func (s *Store) welcomeProxied(ctx context.Context, p notifier.ProxiedUser) (u notifier.User, since int64, changed bool, err error) {
	if u, err = s.oneUser(ctx, `u.name = $1`, p.Name); err != nil {
		return u, 0, false, err
	}
	var email string
	var signsIn bool
	zoned := p.Zone != nil && u.Zones.Seen == "" // the browser's zone is more recent: users travel
	err = s.read.QueryRowContext(ctx, `SELECT signed_out, provider_email, signs_in FROM users WHERE seq = $1`, u.Seq).Scan(&since, &email, &signsIn)
	if err != nil {
		return u, 0, false, err
	}
	if !signsIn { // from now on links lead to Carillon's own pages
		if _, err = s.exec(ctx, `UPDATE users SET signs_in = TRUE WHERE seq = $1`, u.Seq); err != nil {
			return u, 0, false, err
		}
	}
	renamed := p.Display != nil && *p.Display != u.Display
	moved := p.Email != nil && *p.Email != email
	if !renamed && !moved && !zoned && notifier.ParseProfileNotes(u.Notes).After(p.Notes).String() == u.Notes {
		return u, since, false, nil
	}
	had := u
	err = s.whileThere(ctx, func(tx *sql.Tx) error {
		if renamed {
			_, err := tx.ExecContext(ctx, `UPDATE users SET display = $1, display_fold = $2 WHERE seq = $3`, *p.Display, fold(*p.Display), u.Seq)
			if err != nil {
				return err
			}
		}
		if zoned {
			if _, err := tx.ExecContext(ctx, `UPDATE users SET zone_seen = $1 WHERE seq = $2 AND zone_seen = ''`, *p.Zone, u.Seq); err != nil {
				return err
			}
		}
		if moved {
			if err := s.putProviderMail(ctx, tx, u.Seq, *p.Email); err != nil {
				return err
			}
		}
		if err := s.putNotes(ctx, tx, &had, p.Notes); err != nil || !renamed && !zoned {
			return err
		}
		return s.noteChange(ctx, tx, u.Seq, false)
	})
	if renamed {
		u.Display = *p.Display
	}
	if zoned {
		u.Zones.Seen = *p.Zone
	}
	return u, since, err == nil && (renamed || zoned), err
}

// putProviderMail stores the mail address sent by a proxy or provider, unless the user has one from their app, the
// API or a command, which take precedence.
func (s *Store) putProviderMail(ctx context.Context, tx *sql.Tx, seq int64, address string) error {
	var before, has string
	err := tx.QueryRowContext(ctx, `SELECT u.provider_email, COALESCE(t.address, '') FROM users u
		LEFT JOIN targets t ON t.seq = u.seq AND t.kind = 'mail' WHERE u.seq = $1`, seq).Scan(&before, &has)
	if err != nil {
		return err
	}
	if _, err := tx.ExecContext(ctx, `UPDATE users SET provider_email = $1 WHERE seq = $2`, address, seq); err != nil || has != before {
		return err
	}
	return s.putReportedMail(ctx, tx, seq, address)
}
