package store

import (
	"context"
	"database/sql"
	"fmt"

	"github.com/carillonhq/carillon/notifier"
)

// CreateRole makes a role without members. One that exists is notifier.ErrConflict, a
// name that no role can bear a *notifier.InvalidError on role.
func (s *Store) CreateRole(ctx context.Context, name string) error {
	if !notifier.ValidName(name) {
		var bad notifier.InvalidError
		bad.Add("role", notifier.CodeBadName, map[string]any{"Name": name})
		return &bad
	}
	_, err := s.exec(ctx, `INSERT INTO roles (name, created_at) VALUES ($1, $2)`, name, millis(s.now()))
	return s.fail(err, "make role %q", name)
}

// DeleteRole removes a role with its subscriptions; its members are in it no more. An
// unknown one is notifier.ErrNotFound, that of the staff notifier.ErrConflict.
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
		_, err = tx.ExecContext(ctx, `DELETE FROM roles WHERE id = $1`, id) // its members go with it
		return err
	})
	return s.fail(err, "delete role %q", name)
}
