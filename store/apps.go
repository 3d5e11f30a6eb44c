package store

import (
	"context"
	"database/sql"
	"fmt"
	"strconv"
	"strings"
	"time"

	"github.com/carillonhq/carillon/notifier"
)

const (
	appColumns    = `id, name, origins, audience, roles, max_life, issuer, jwks, created_at, revoked_at, base, inbox_url, settings_url, title, icon`
	appKeyColumns = `id, app_id, alg, material, created_at, revoked_at`
)

// AddApp stores an app, its key (nil: none) and the hash of an API key with the scope send that acts for the app. It completes
// key and returns the app as stored. It returns notifier.ErrConflict if a valid app has the same name, if a valid app with a
// JWKS has the same issuer, or if there are notifier.MaxApps valid apps.
func (s *Store) AddApp(ctx context.Context, by notifier.Actor, a notifier.App, key *notifier.AppKey, apiKey []byte) (added notifier.App, err error) {
	err = s.tx(ctx, func(tx *sql.Tx) (err error) {
		var others int
		if err := tx.QueryRowContext(ctx, `SELECT count(*) FROM apps WHERE revoked_at = 0`).Scan(&others); err != nil {
			return err
		}
		if others >= notifier.MaxApps {
			return fmt.Errorf("there are %d apps: %w", others, notifier.ErrConflict)
		}
		now := millis(s.now())
		added, err = scanApp(tx.QueryRowContext(ctx, `INSERT INTO apps (name, origins, audience, roles, max_life, issuer, jwks, created_at, base, inbox_url, settings_url, title, icon)
			VALUES ($1, $2, $3, $4, $5, $6, $7, $8, $9, $10, $11, $12, $13) RETURNING `+appColumns,
			a.Name, strings.Join(a.Origins, "\n"), int64(a.Audience), strings.Join(a.Roles, "\n"), a.MaxLife.Milliseconds(), a.Issuer, a.JWKS, now,
			a.Base, a.InboxURL, a.SettingsURL, a.Title, a.Icon))
		if err != nil {
			return err
		}
		if key != nil {
			if *key, err = s.addAppKey(ctx, tx, added.ID, key); err != nil {
				return err
			}
		}
		_, err = tx.ExecContext(ctx, `INSERT INTO api_keys (name, hash, scopes, created_at, app_id) VALUES ($1, $2, $3, $4, $5)`,
			added.Name, apiKey, string(notifier.ScopeSend), now, added.ID)
		if err != nil {
			return err
		}
		return s.record(ctx, tx, by, "app.add", notifier.AppRef(added.Name), "")
	})
	return added, s.fail(err, "add app %q", a.Name)
}

// AddAppKey adds a key to a valid app. It returns notifier.ErrNotFound, or notifier.ErrConflict if
// the app has notifier.MaxAppKeys valid keys.
func (s *Store) AddAppKey(ctx context.Context, by notifier.Actor, name string, key notifier.AppKey) (a notifier.App, added notifier.AppKey, err error) {
	err = s.tx(ctx, func(tx *sql.Tx) (err error) {
		// The update locks the row, so that concurrent calls do not count the same keys.
		a, err = scanApp(tx.QueryRowContext(ctx, `UPDATE apps SET name = name WHERE name = $1 AND revoked_at = 0 RETURNING `+appColumns, name))
		if err != nil {
			return err
		}
		var others int
		err = tx.QueryRowContext(ctx, `SELECT count(*) FROM app_keys WHERE app_id = $1 AND revoked_at = 0`, a.ID).Scan(&others)
		if err != nil {
			return err
		}
		if others >= notifier.MaxAppKeys {
			return fmt.Errorf("the app has %d keys: %w", others, notifier.ErrConflict)
		}
		if added, err = s.addAppKey(ctx, tx, a.ID, &key); err != nil {
			return err
		}
		return s.record(ctx, tx, by, "app.rotate", notifier.AppRef(a.Name), added.Kid())
	})
	return a, added, s.fail(err, "add a key to app %q", name)
}

func (s *Store) addAppKey(ctx context.Context, tx *sql.Tx, app int64, key *notifier.AppKey) (notifier.AppKey, error) {
	return scanAppKey(tx.QueryRowContext(ctx, `INSERT INTO app_keys (app_id, alg, material, created_at) VALUES ($1, $2, $3, $4) RETURNING `+appKeyColumns,
		app, string(key.Alg), key.Material, millis(s.now())))
}

// ChangeApp changes a valid app in one transaction and returns it. valid is called with the changed app; if it returns an
// error, nothing is stored and the error is returned unchanged. ChangeApp returns notifier.ErrNotFound for an unknown app.
func (s *Store) ChangeApp(ctx context.Context, by notifier.Actor, name string, change *notifier.AppChange, valid func(*notifier.App) error) (a notifier.App, err error) {
	err = s.tx(ctx, func(tx *sql.Tx) (err error) {
		// The update locks the row, so that the second of two changes sees the first.
		a, err = scanApp(tx.QueryRowContext(ctx, `UPDATE apps SET name = name WHERE name = $1 AND revoked_at = 0 RETURNING `+appColumns, text(name)))
		if err != nil {
			return err
		}
		change.Apply(&a)
		if err = valid(&a); err != nil {
			return err
		}
		_, err = tx.ExecContext(ctx, `UPDATE apps SET base = $1, inbox_url = $2, settings_url = $3, origins = $4, audience = $5, roles = $6, max_life = $7, issuer = $8,
			title = $9, icon = $10 WHERE id = $11`, a.Base, a.InboxURL, a.SettingsURL, strings.Join(a.Origins, "\n"), int64(a.Audience), strings.Join(a.Roles, "\n"),
			a.MaxLife.Milliseconds(), a.Issuer, a.Title, a.Icon, a.ID)
		if err != nil {
			return err
		}
		return s.record(ctx, tx, by, "app.change", notifier.AppRef(a.Name), change.String())
	})
	return a, s.fail(err, "change app %q", name)
}

// RevokeApp permanently revokes a valid app with all its keys and API keys. It returns
// notifier.ErrNotFound.
func (s *Store) RevokeApp(ctx context.Context, by notifier.Actor, name string) (a notifier.App, err error) {
	err = s.tx(ctx, func(tx *sql.Tx) (err error) {
		now := millis(s.now())
		a, err = scanApp(tx.QueryRowContext(ctx, `UPDATE apps SET revoked_at = $1 WHERE name = $2 AND revoked_at = 0 RETURNING `+appColumns, now, name))
		if err != nil {
			return err
		}
		if _, err = tx.ExecContext(ctx, `UPDATE app_keys SET revoked_at = $1 WHERE app_id = $2 AND revoked_at = 0`, now, a.ID); err != nil {
			return err
		}
		_, err = tx.ExecContext(ctx, `UPDATE api_keys SET revoked_at = $1 WHERE app_id = $2 AND (revoked_at = 0 OR revoked_at > $1)`, now, a.ID)
		if err != nil {
			return err
		}
		return s.record(ctx, tx, by, "app.revoke", notifier.AppRef(a.Name), "")
	})
	return a, s.fail(err, "revoke app %q", name)
}

// AppNamed returns the app with this name, or else the last revoked app with this name. It returns notifier.ErrNotFound.
func (s *Store) AppNamed(ctx context.Context, name string) (notifier.App, error) {
	a, err := scanApp(s.read.QueryRowContext(ctx, `SELECT `+appColumns+` FROM apps WHERE name = $1
		ORDER BY CASE WHEN revoked_at = 0 THEN 0 ELSE 1 END, id DESC LIMIT 1`, name))
	return a, s.fail(err, "find app %q", name)
}

// RevokeAppKey revokes one valid key of a valid app. It returns notifier.ErrNotFound.
func (s *Store) RevokeAppKey(ctx context.Context, by notifier.Actor, name string, id int64) (a notifier.App, err error) {
	err = s.tx(ctx, func(tx *sql.Tx) (err error) {
		a, err = scanApp(tx.QueryRowContext(ctx, `SELECT `+appColumns+` FROM apps WHERE name = $1 AND revoked_at = 0`, name))
		if err != nil {
			return err
		}
		changed, err := change(ctx, tx, `UPDATE app_keys SET revoked_at = $1 WHERE id = $2 AND app_id = $3 AND revoked_at = 0`, millis(s.now()), id, a.ID)
		if err == nil && changed == 0 {
			err = sql.ErrNoRows
		}
		if err != nil {
			return err
		}
		return s.record(ctx, tx, by, "app.revoke", notifier.AppRef(a.Name), "key "+strconv.FormatInt(id, 10))
	})
	return a, s.fail(err, "revoke key %d of app %q", id, name)
}

// Apps returns all apps with their keys, including revoked ones, newest first.
func (s *Store) Apps(ctx context.Context) (apps []notifier.App, keys []notifier.AppKey, err error) {
	err = s.all(ctx, func(rows *sql.Rows) error {
		a, err := scanApp(rows)
		apps = append(apps, a)
		return err
	}, `SELECT `+appColumns+` FROM apps ORDER BY id DESC`)
	if err == nil {
		err = s.all(ctx, func(rows *sql.Rows) error {
			k, err := scanAppKey(rows)
			keys = append(keys, k)
			return err
		}, `SELECT `+appKeyColumns+` FROM app_keys ORDER BY id DESC`)
	}
	return apps, keys, s.fail(err, "list apps")
}

// scanApp reads appColumns.
func scanApp(row interface{ Scan(into ...any) error }) (a notifier.App, err error) {
	var origins, roles string
	var audience, life, created, revoked int64
	if err := row.Scan(&a.ID, &a.Name, &origins, &audience, &roles, &life, &a.Issuer, &a.JWKS, &created, &revoked,
		&a.Base, &a.InboxURL, &a.SettingsURL, &a.Title, &a.Icon); err != nil {
		return notifier.App{}, err
	}
	a.Audience, a.MaxLife = notifier.Audience(audience), time.Duration(life)*time.Millisecond
	a.Origins, a.Roles = lines(origins), lines(roles)
	a.CreatedAt, a.RevokedAt = fromMillis(created), fromMillis(revoked)
	return a, nil
}

// lines splits a text into its lines; an empty text has none.
func lines(text string) []string {
	if text == "" {
		return nil
	}
	return strings.Split(text, "\n")
}

// scanAppKey reads appKeyColumns.
func scanAppKey(row interface{ Scan(into ...any) error }) (k notifier.AppKey, err error) {
	var alg string
	var created, revoked int64
	if err := row.Scan(&k.ID, &k.AppID, &alg, &k.Material, &created, &revoked); err != nil {
		return notifier.AppKey{}, err
	}
	k.Alg, k.CreatedAt, k.RevokedAt = notifier.KeyAlg(alg), fromMillis(created), fromMillis(revoked)
	return k, nil
}

// readerApp selects the app on whose pages the user u reads notices: the app that created them, unless they can
// sign in here; 0: none.
const readerApp = `CASE WHEN u.password_hash = '' AND NOT u.signs_in THEN u.app_id ELSE 0 END`

// ReaderApps returns the app on whose pages a user reads notices (0: on Carillon's), and the app whose key sent a notice
// (0: none). It returns notifier.ErrNotFound for an unknown user.
func (s *Store) ReaderApps(ctx context.Context, seq int64, sender notifier.Ref) (reader, sending int64, err error) {
	key := ""
	if sender.Kind == notifier.KindKey {
		key = sender.ID
	}
	err = s.read.QueryRowContext(ctx, `SELECT `+readerApp+`, COALESCE((SELECT app_id FROM api_keys WHERE name = $1 ORDER BY id DESC LIMIT 1), 0)
		FROM users u WHERE u.seq = $2`, key, seq).Scan(&reader, &sending)
	return reader, sending, s.fail(err, "find the app of user %d", seq)
}
