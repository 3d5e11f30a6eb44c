package store

import (
	"context"
	"database/sql"
	"fmt"

	"github.com/RoaringBitmap/roaring/v2"

	"github.com/carillonhq/carillon/notifier"
)

// AddRole makes a user a member of a role, and creates the role if it does not exist. It changes
// nothing if the user is already a member.
func (s *Store) AddRole(ctx context.Context, name, role string) error {
	if !notifier.ValidName(role) {
		var bad notifier.InvalidError
		bad.Add("role", notifier.CodeBadName, map[string]any{"Name": role})
		return &bad
	}
	err := s.tx(ctx, func(tx *sql.Tx) error {
		seq, err := lookUp(ctx, tx, `SELECT seq FROM users WHERE name = $1`, name)
		if err != nil {
			return fmt.Errorf("look up the user: %w", err)
		}
		id, err := s.roleID(ctx, tx, role)
		if err != nil {
			return err
		}
		if err := s.dialect.addMembers(ctx, tx, []int64{id}, []int64{seq}); err != nil {
			return err
		}
		return s.noteChange(ctx, tx, seq, false)
	})
	return s.fail(err, "add user %q to role %q", name, role)
}

// RemoveRole removes a user from a role. It returns notifier.ErrNotFound for an unknown user or role,
// and changes nothing if the user is not a member. The role stays when its last member leaves.
func (s *Store) RemoveRole(ctx context.Context, name, role string) error {
	err := s.tx(ctx, func(tx *sql.Tx) error {
		seq, err := lookUp(ctx, tx, `SELECT seq FROM users WHERE name = $1`, name)
		if err != nil {
			return fmt.Errorf("look up the user: %w", err)
		}
		id, err := lookUp(ctx, tx, `SELECT id FROM roles WHERE name = $1`, role)
		if err != nil {
			return fmt.Errorf("look up the role: %w", err)
		}
		n, err := change(ctx, tx, `DELETE FROM role_members WHERE role_id = $1 AND seq = $2`, id, seq)
		if err != nil || n == 0 {
			return err
		}
		return s.noteChange(ctx, tx, seq, false)
	})
	return s.fail(err, "remove user %q from role %q", name, role)
}

// RoleMembers returns the numbers of a role's members, or notifier.ErrNotFound for an unknown role.
func (s *Store) RoleMembers(ctx context.Context, role string) (*roaring.Bitmap, error) {
	var seqs []uint32
	exists := false
	err := s.all(ctx, func(rows *sql.Rows) error {
		exists = true
		var seq sql.Null[uint32]
		err := rows.Scan(&seq)
		if seq.Valid {
			seqs = append(seqs, seq.V)
		}
		return err
	}, `SELECT m.seq FROM roles r LEFT JOIN role_members m ON m.role_id = r.id WHERE r.name = $1 ORDER BY m.seq`, valid(role))
	if err == nil && !exists {
		err = notifier.ErrNotFound
	}
	if err != nil {
		return nil, s.fail(err, "read the members of role %q", role)
	}
	return roaring.BitmapOf(seqs...), nil
}

// roleIDs caches the ids of roles during one transaction.
type roleIDs map[string]int64

// roleID returns the id of a role and creates the role if it does not exist.
func (s *Store) roleID(ctx context.Context, tx *sql.Tx, role string) (int64, error) {
	_, err := tx.ExecContext(ctx, `INSERT INTO roles (name, created_at) VALUES ($1, $2) ON CONFLICT (name) DO NOTHING`,
		role, millis(s.now()))
	if err != nil {
		return 0, fmt.Errorf("add role %q: %w", role, err)
	}
	return lookUp(ctx, tx, `SELECT id FROM roles WHERE name = $1`, role)
}

// addMembers adds the users of rows to their roles.
func (s *Store) addMembers(ctx context.Context, tx *sql.Tx, rows []userRow, ids roleIDs) error {
	var roles, seqs []int64
	for _, u := range rows {
		for _, role := range u.Roles {
			if _, known := ids[role]; !known {
				id, err := s.roleID(ctx, tx, role)
				if err != nil {
					return err
				}
				ids[role] = id
			}
			roles, seqs = append(roles, ids[role]), append(seqs, u.seq)
		}
	}
	if len(roles) == 0 {
		return nil
	}
	return s.dialect.addMembers(ctx, tx, roles, seqs)
}

// lookUp returns the id or number for a name by a query, or sql.ErrNoRows.
func lookUp(ctx context.Context, tx *sql.Tx, query, name string) (n int64, err error) {
	err = tx.QueryRowContext(ctx, query, valid(name)).Scan(&n)
	return n, err
}
