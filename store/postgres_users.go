package store

import (
	"context"
	"database/sql"
)

// addUsers inserts all rows with one statement over arrays.
func (postgresDialect) addUsers(ctx context.Context, tx *sql.Tx, rows []userRow) (int, error) {
	n := len(rows)
	seqs, audiences := make([]int64, n), make([]int64, n)
	names, folds, hashes, locales := make([]string, n), make([]string, n), make([]string, n), make([]string, n)
	for i, u := range rows {
		seqs[i], names[i], folds[i], hashes[i] = u.seq, u.Name, u.fold, u.PasswordHash
		audiences[i], locales[i] = int64(u.Audience), u.Locale
	}
	added, err := tx.QueryContext(ctx, `INSERT INTO users (seq, name, name_fold, password_hash, audience, locale, created_at)
		SELECT u.*, $7::bigint FROM unnest($1::bigint[], $2::text[], $3::text[], $4::text[], $5::bigint[], $6::text[]) u
		ON CONFLICT (name) DO NOTHING RETURNING seq`,
		seqs, names, folds, hashes, audiences, locales, rows[0].created)
	if err != nil {
		return -1, err
	}
	defer func() { _ = added.Close() }()
	found := make(map[int64]bool, n)
	for added.Next() {
		var seq int64
		if err := added.Scan(&seq); err != nil {
			return -1, err
		}
		found[seq] = true
	}
	if err := added.Err(); err != nil {
		return -1, err
	}
	for i, u := range rows {
		if !found[u.seq] {
			return i, nil
		}
	}
	return -1, nil
}

func (postgresDialect) addMembers(ctx context.Context, tx *sql.Tx, roles, seqs []int64) error {
	_, err := tx.ExecContext(ctx, `INSERT INTO role_members (role_id, seq)
		SELECT * FROM unnest($1::bigint[], $2::bigint[]) ON CONFLICT DO NOTHING`, roles, seqs)
	return err
}
