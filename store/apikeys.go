package store

import (
	"context"
	"database/sql"
	"maps"
	"slices"
	"strings"
	"time"

	"github.com/carillonhq/carillon/notifier"
)

const keyColumns = `id, name, scopes, created_at, used_at, revoked_at`

// AddKey keeps a key of a host application by its hash, and answers it as it is kept.
// Faults are a *notifier.InvalidError; a hash that is there is notifier.ErrConflict.
func (s *Store) AddKey(ctx context.Context, k notifier.APIKey, hash []byte) (notifier.APIKey, error) {
	if err := k.Validate(); err != nil {
		return notifier.APIKey{}, err
	}
	var scopes []string
	for _, scope := range notifier.KeyScopes() {
		if slices.Contains(k.Scopes, scope) {
			scopes = append(scopes, string(scope))
		}
	}
	added, err := s.changedKey(ctx, `INSERT INTO api_keys (name, hash, scopes, created_at)
		VALUES ($1, $2, $3, $4) RETURNING `+keyColumns, k.Name, hash, strings.Join(scopes, " "), millis(s.now()))
	return added, s.fail(err, "add API key %q", k.Name)
}

// Keys lists every key, the revoked ones too, the latest first.
func (s *Store) Keys(ctx context.Context) ([]notifier.APIKey, error) {
	var found []notifier.APIKey
	err := s.all(ctx, func(rows *sql.Rows) error {
		k, err := scanKey(rows)
		found = append(found, k)
		return err
	}, `SELECT `+keyColumns+` FROM api_keys ORDER BY id DESC`)
	return found, s.fail(err, "list API keys")
}

// KeyByHash returns one key, also when it is revoked, or notifier.ErrNotFound.
func (s *Store) KeyByHash(ctx context.Context, hash []byte) (notifier.APIKey, error) {
	k, err := scanKey(s.read.QueryRowContext(ctx, `SELECT `+keyColumns+` FROM api_keys WHERE hash = $1`, hash))
	return k, s.fail(err, "read an API key by its hash")
}

// RevokeKey makes a key invalid for good and returns it; RevokedAt is the time of the
// first who did it. An unknown id is notifier.ErrNotFound.
func (s *Store) RevokeKey(ctx context.Context, id int64) (notifier.APIKey, error) {
	k, err := s.changedKey(ctx, `UPDATE api_keys
		SET revoked_at = CASE WHEN revoked_at = 0 THEN $1 ELSE revoked_at END WHERE id = $2 RETURNING `+keyColumns,
		millis(s.now()), id)
	return k, s.fail(err, "revoke API key %d", id)
}

// TouchKeys notes when keys were used, by their ids. A later time that is stored
// stays, and an id that no key has is passed over.
func (s *Store) TouchKeys(ctx context.Context, used map[int64]time.Time) error {
	if len(used) == 0 {
		return nil
	}
	err := s.tx(ctx, func(tx *sql.Tx) error {
		for _, id := range slices.Sorted(maps.Keys(used)) { // in one order, so that instances do not wait in a circle
			_, err := tx.ExecContext(ctx, `UPDATE api_keys SET used_at = $1 WHERE id = $2 AND used_at < $1`, millis(used[id]), id)
			if err != nil {
				return err
			}
		}
		return nil
	})
	return s.fail(err, "note the use of %d API keys", len(used))
}

// changedKey runs a statement that changes one key and returns its keyColumns.
func (s *Store) changedKey(ctx context.Context, query string, args ...any) (k notifier.APIKey, err error) {
	err = s.tx(ctx, func(tx *sql.Tx) (err error) {
		k, err = scanKey(tx.QueryRowContext(ctx, query, args...))
		return err
	})
	return k, err
}

// scanKey reads keyColumns.
func scanKey(row interface{ Scan(into ...any) error }) (k notifier.APIKey, err error) {
	var scopes string
	var created, used, revoked int64
	if err := row.Scan(&k.ID, &k.Name, &scopes, &created, &used, &revoked); err != nil {
		return notifier.APIKey{}, err
	}
	for _, scope := range strings.Fields(scopes) {
		k.Scopes = append(k.Scopes, notifier.KeyScope(scope))
	}
	k.CreatedAt, k.UsedAt, k.RevokedAt = fromMillis(created), fromMillis(used), fromMillis(revoked)
	return k, nil
}
