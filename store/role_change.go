package store

import (
	"context"
	"database/sql"
	"fmt"

	"github.com/carillonhq/carillon/notifier"
)

// CreateRole creates a role without members. It returns notifier.ErrConflict if the role exists, and
// a *notifier.InvalidError on role for an invalid name.
func (s *Store) CreateRole(ctx context.Context, name string) error {
	if !notifier.ValidName(name) {
		var bad notifier.InvalidError
		bad.Add("role", notifier.CodeBadName, map[string]any{"Name": name})
		return &bad
	}
	_, err := s.exec(ctx, `INSERT INTO roles (name, created_at) VALUES ($1, $2)`, name, millis(s.now()))
	return s.fail(err, "create role %q", name)
}

// DeleteRole removes a role with its memberships and subscriptions. It returns notifier.ErrNotFound
// for an unknown role and notifier.ErrConflict for the staff role.
func (s *Store) DeleteRole(ctx context.Context, name string) error {
	if name == notifier.RoleStaff {
		return fmt.Errorf("delete role %q: %w", name, notifier.ErrConflict)
	}
	err := s.tx(ctx, func(tx *sql.Tx) error {
		id, err := lookUp(ctx, tx, `SELECT id FROM roles WHERE name = $1`, name)
		if err != nil {
			return err
		}
		if err := endSubscriptions(ctx, tx, "role_id", id); err != nil {
			return err
		}
		_, err = tx.ExecContext(ctx, noteChange+`SELECT seq, FALSE, CAST($1 AS BIGINT) FROM role_members WHERE role_id = $2`+noteChangeAgain, millis(s.now()), id)
		if err != nil {
			return err
		}
		_, err = tx.ExecContext(ctx, `DELETE FROM roles WHERE id = $1`, id) // its memberships are deleted with it
		return err
	})
	return s.fail(err, "delete role %q", name)
}
