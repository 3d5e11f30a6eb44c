package store

import (
	"context"
	"database/sql"
	"errors"
	"fmt"
	"maps"
	"slices"
	"strings"
	"time"

	"github.com/carillonhq/carillon/notifier"
)

const keyColumns = `id, name, scopes, created_at, used_at, revoked_at, app_id`

// AddKey stores an API key by its hash and returns it as stored. It returns a
// *notifier.InvalidError for invalid fields, and notifier.ErrConflict if the hash exists.
func (s *Store) AddKey(ctx context.Context, by notifier.Actor, k notifier.APIKey, hash []byte) (notifier.APIKey, error) {
	added, _, err := s.AddKeyOnce(ctx, by, k, hash, "")
	return added, err
}

// AddKeyOnce is AddKey for a form that may be posted twice. A second post with the same form
// id changes nothing and returns the key created by the first, with repeated true. An empty form
// id is never a repetition.
func (s *Store) AddKeyOnce(ctx context.Context, by notifier.Actor, k notifier.APIKey, hash []byte, form string) (added notifier.APIKey, repeated bool, err error) {
	if err := k.Validate(); err != nil {
		return notifier.APIKey{}, false, err
	}
	var scopes []string
	for _, scope := range notifier.KeyScopes() {
		if slices.Contains(k.Scopes, scope) {
			scopes = append(scopes, string(scope))
		}
	}
	added, err = s.changedKey(ctx, by, "key.add", `INSERT INTO api_keys (name, hash, scopes, created_at, form)
		VALUES ($1, $2, $3, $4, $5) ON CONFLICT (form) WHERE form IS NOT NULL DO NOTHING RETURNING `+keyColumns,
		k.Name, hash, strings.Join(scopes, " "), millis(s.now()), sql.NullString{String: form, Valid: form != ""})
	if form != "" && errors.Is(err, sql.ErrNoRows) {
		added, err = scanKey(s.read.QueryRowContext(ctx, `SELECT `+keyColumns+` FROM api_keys WHERE form = $1`, form))
		repeated = err == nil
	}
	return added, repeated, s.fail(err, "add API key %q", k.Name)
}

// Keys lists all keys, including revoked ones, newest first.
func (s *Store) Keys(ctx context.Context) ([]notifier.APIKey, error) {
	var found []notifier.APIKey
	err := s.all(ctx, func(rows *sql.Rows) error {
		k, err := scanKey(rows)
		found = append(found, k)
		return err
	}, `SELECT `+keyColumns+` FROM api_keys ORDER BY id DESC`)
	return found, s.fail(err, "list API keys")
}

// KeyByHash returns one key, even a revoked one, or notifier.ErrNotFound.
func (s *Store) KeyByHash(ctx context.Context, hash []byte) (notifier.APIKey, error) {
	k, err := scanKey(s.read.QueryRowContext(ctx, `SELECT `+keyColumns+` FROM api_keys WHERE hash = $1`, hash))
	return k, s.fail(err, "read an API key by its hash")
}

// RevokeKey permanently invalidates a key and returns it. Revoking a revoked key changes nothing. It returns
// notifier.ErrNotFound for an unknown id.
func (s *Store) RevokeKey(ctx context.Context, by notifier.Actor, id int64) (notifier.APIKey, error) {
	k, err := s.changedKey(ctx, by, "key.revoke", `UPDATE api_keys SET revoked_at = $1 WHERE id = $2 AND (revoked_at = 0 OR revoked_at > $1)
		RETURNING `+keyColumns, millis(s.now()), id)
	if errors.Is(err, sql.ErrNoRows) {
		k, err = scanKey(s.read.QueryRowContext(ctx, `SELECT `+keyColumns+` FROM api_keys WHERE id = $1`, id))
	}
	return k, s.fail(err, "revoke API key %d", id)
}

// RotateAPIKey adds an API key to a valid app, with the scope send. The others end at a time; zero: they stay valid until they are revoked.
// It returns notifier.ErrNotFound, or notifier.ErrConflict when the app has notifier.MaxAppKeys valid ones.
func (s *Store) RotateAPIKey(ctx context.Context, by notifier.Actor, app string, hash []byte, end time.Time) (added notifier.APIKey, err error) {
	err = s.tx(ctx, func(tx *sql.Tx) (err error) {
		now, valid := millis(s.now()), int64(0)
		// The update locks the row, so that concurrent calls do not count the same keys.
		a, err := scanApp(tx.QueryRowContext(ctx, `UPDATE apps SET name = name WHERE name = $1 AND revoked_at = 0 RETURNING `+appColumns, text(app)))
		if err != nil {
			return err
		}
		if !end.IsZero() {
			_, err = tx.ExecContext(ctx, `UPDATE api_keys SET revoked_at = $1 WHERE app_id = $2 AND (revoked_at = 0 OR revoked_at > $1)`, millis(end), a.ID)
			if err != nil {
				return err
			}
		}
		err = tx.QueryRowContext(ctx, `SELECT count(*) FROM api_keys WHERE app_id = $1 AND (revoked_at = 0 OR revoked_at > $2)`, a.ID, now).Scan(&valid)
		if err != nil {
			return err
		}
		if valid >= notifier.MaxAppKeys {
			return fmt.Errorf("the app has %d API keys: %w", valid, notifier.ErrConflict)
		}
		added, err = scanKey(tx.QueryRowContext(ctx, `INSERT INTO api_keys (name, hash, scopes, created_at, app_id) VALUES ($1, $2, $3, $4, $5) RETURNING `+keyColumns,
			a.Name, hash, string(notifier.ScopeSend), now, a.ID))
		if err != nil {
			return err
		}
		return s.record(ctx, tx, by, "app.rotate", notifier.AppRef(a.Name), "API key "+added.Audited())
	})
	return added, s.fail(err, "add an API key to app %q", app)
}

// TouchKeys records when keys were last used, by key id. A stored later time is kept, and
// unknown ids are ignored.
func (s *Store) TouchKeys(ctx context.Context, used map[int64]time.Time) error {
	if len(used) == 0 {
		return nil
	}
	err := s.tx(ctx, func(tx *sql.Tx) error {
		for _, id := range slices.Sorted(maps.Keys(used)) { // in a fixed order, so that instances do not deadlock
			_, err := tx.ExecContext(ctx, `UPDATE api_keys SET used_at = $1 WHERE id = $2 AND used_at < $1`, millis(used[id]), id)
			if err != nil {
				return err
			}
		}
		return nil
	})
	return s.fail(err, "record the use of %d API keys", len(used))
}

// changedKey runs a statement that changes one key and returns its keyColumns.
func (s *Store) changedKey(ctx context.Context, by notifier.Actor, action, query string, args ...any) (k notifier.APIKey, err error) {
	err = s.tx(ctx, func(tx *sql.Tx) (err error) {
		if k, err = scanKey(tx.QueryRowContext(ctx, query, args...)); err != nil {
			return err
		}
		return s.record(ctx, tx, by, action, notifier.KeyRef(k.Name), k.Audited())
	})
	return k, err
}

// scanKey reads keyColumns.
func scanKey(row interface{ Scan(into ...any) error }) (k notifier.APIKey, err error) {
	var scopes string
	var created, used, revoked int64
	if err := row.Scan(&k.ID, &k.Name, &scopes, &created, &used, &revoked, &k.AppID); err != nil {
		return notifier.APIKey{}, err
	}
	for _, scope := range strings.Fields(scopes) {
		k.Scopes = append(k.Scopes, notifier.KeyScope(scope))
	}
	k.CreatedAt, k.UsedAt, k.RevokedAt = fromMillis(created), fromMillis(used), fromMillis(revoked)
	return k, nil
}
