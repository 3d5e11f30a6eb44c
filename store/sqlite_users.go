package store

import (
	"context"
	"database/sql"
)

// addUsers inserts row by row: on SQLite a statement with many rows is slower.
func (sqliteDialect) addUsers(ctx context.Context, tx *sql.Tx, rows []userRow) (int, error) {
	insert, err := tx.PrepareContext(ctx, `INSERT INTO users
		(seq, name, name_fold, password_hash, audience, locale, created_at)
		VALUES ($1, $2, $3, $4, $5, $6, $7) ON CONFLICT (name) DO NOTHING`)
	if err != nil {
		return -1, err
	}
	defer func() { _ = insert.Close() }()
	for i, u := range rows {
		res, err := insert.ExecContext(ctx, u.seq, u.Name, u.fold, u.PasswordHash, int64(u.Audience), u.Locale, u.created)
		if err != nil {
			return -1, err
		}
		if n, err := res.RowsAffected(); err != nil || n == 0 {
			return i, err
		}
	}
	return -1, nil
}

func (sqliteDialect) addMembers(ctx context.Context, tx *sql.Tx, roles, seqs []int64) error {
	insert, err := tx.PrepareContext(ctx, `INSERT INTO role_members (role_id, seq) VALUES ($1, $2) ON CONFLICT DO NOTHING`)
	if err != nil {
		return err
	}
	defer func() { _ = insert.Close() }()
	for i, role := range roles {
		if _, err := insert.ExecContext(ctx, role, seqs[i]); err != nil {
			return err
		}
	}
	return nil
}
