package store

import (
	"context"
	"crypto/rand"
	"crypto/sha256"
	"database/sql"
	"errors"
	"fmt"
	"strings"

	"github.com/carillonhq/carillon/notifier"
)

// LinkBoard gives the board of a role a new token, which is not stored. An earlier one is not valid any more: replaced reports whether there was one. It
// returns notifier.ErrNotFound for an unknown role.
func (s *Store) LinkBoard(ctx context.Context, by notifier.Actor, role string) (token string, replaced bool, err error) {
	token = strings.ToLower(rand.Text()) // at least 128 random bits
	hash := boardHash(token)
	err = s.tx(ctx, func(tx *sql.Tx) error {
		// The update locks the row, so that concurrent calls replace one another.
		id, err := lookUp(ctx, tx, `UPDATE roles SET name = name WHERE name = $1 RETURNING id`, role)
		if err != nil {
			return fmt.Errorf("look up the role: %w", err)
		}
		n, err := change(ctx, tx, `DELETE FROM boards WHERE role_id = $1`, id)
		if err != nil {
			return err
		}
		replaced = n > 0
		_, err = tx.ExecContext(ctx, `INSERT INTO boards (role_id, hash, created_at) VALUES ($1, $2, $3)`, id, hash, millis(s.now()))
		if err != nil {
			return err
		}
		return s.record(ctx, tx, by, "board.link", notifier.RoleRef(role), "")
	})
	return token, replaced, s.fail(err, "give the board of role %q a link", role)
}

// RevokeBoard ends the link of the board of a role. It returns notifier.ErrNotFound for an unknown role, and for one whose board has no link.
func (s *Store) RevokeBoard(ctx context.Context, by notifier.Actor, role string) error {
	err := s.tx(ctx, func(tx *sql.Tx) error {
		n, err := change(ctx, tx, `DELETE FROM boards WHERE role_id = (SELECT id FROM roles WHERE name = $1)`, valid(role))
		if err == nil && n == 0 {
			err = notifier.ErrNotFound
		}
		if err != nil {
			return err
		}
		return s.record(ctx, tx, by, "board.revoke", notifier.RoleRef(role), "")
	})
	return s.fail(err, "revoke the link of the board of role %q", role)
}

// Boards returns the boards that have a link, by role.
func (s *Store) Boards(ctx context.Context) (all []notifier.Board, err error) {
	err = s.all(ctx, func(rows *sql.Rows) error {
		var b notifier.Board
		var since int64
		err := rows.Scan(&b.Role, &since)
		b.LinkedAt = fromMillis(since)
		all = append(all, b)
		return err
	}, `SELECT r.name, b.created_at FROM boards b JOIN roles r ON r.id = b.role_id ORDER BY r.name`)
	return all, s.fail(err, "list the boards")
}

// HasBoard reports whether a token is that of the board of a role. It is false for an unknown role.
func (s *Store) HasBoard(ctx context.Context, role, token string) (bool, error) {
	var one int
	err := s.read.QueryRowContext(ctx, `SELECT 1 FROM boards WHERE hash = $1 AND role_id = (SELECT id FROM roles WHERE name = $2)`,
		boardHash(token), valid(role)).Scan(&one)
	if errors.Is(err, sql.ErrNoRows) {
		return false, nil
	}
	return err == nil, s.fail(err, "check the link of a board")
}

// boardHash returns what is stored of a token.
func boardHash(token string) []byte {
	sum := sha256.Sum256([]byte(token))
	return sum[:]
}
