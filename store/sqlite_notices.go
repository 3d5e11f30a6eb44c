package store

import (
	"context"
	"database/sql"
)

// addNotices inserts row by row: a statement with many rows is slower here.
func (sqliteDialect) addNotices(ctx context.Context, s *Store, rows []noticeRow) ([]int64, error) {
	ids := make([]int64, len(rows))
	err := s.tx(ctx, func(tx *sql.Tx) error {
		insert, err := tx.PrepareContext(ctx, `INSERT INTO notices
			(state, rev, created_at, expires_at, target, type, scope, subject, title, body, link, toast, sender, search)
			VALUES ($1, $2, $3, $4, $5, $6, $7, $8, $9, $10, $11, $12, $13, $14)`)
		if err != nil {
			return err
		}
		defer func() { _ = insert.Close() }()
		for i := range rows {
			n := &rows[i]
			res, err := insert.ExecContext(ctx, string(n.State), n.Revision, millis(n.CreatedAt), millis(n.ExpiresAt), n.target,
				n.Type, n.Scope, n.Subject, n.Title, n.Body, n.Link, n.Toast, n.Sender, n.search)
			if err != nil {
				return err
			}
			if ids[i], err = res.LastInsertId(); err != nil {
				return err
			}
		}
		return nil
	})
	return ids, err
}
