package store

import (
	"context"
	"database/sql"
	"fmt"
	"strings"

	"github.com/carillonhq/carillon/notifier"
)

// RolesPage lists roles by name with their numbers of members. A search reads all names.
func (s *Store) RolesPage(ctx context.Context, q notifier.RoleQuery) ([]notifier.RoleInfo, error) {
	var f filter
	if q.After != "" {
		f.add("name > %s", text(q.After))
	}
	limit, query := pageSize(q.Limit), `SELECT name FROM roles `
	query += f.where() + ` ORDER BY name`
	if q.Contains == "" {
		query += ` LIMIT ` + f.param(limit)
	}
	part := fold(text(q.Contains))
	var names []string
	err := s.all(ctx, func(rows *sql.Rows) error {
		var name string
		err := rows.Scan(&name)
		if len(names) < limit && strings.Contains(fold(name), part) {
			names = append(names, name)
		}
		return err
	}, query, f.args...)
	if err != nil {
		return nil, s.fail(err, "list the names of roles")
	}
	return s.countMembers(ctx, names)
}

// Role returns one role with its number of members, or notifier.ErrNotFound.
func (s *Store) Role(ctx context.Context, name string) (notifier.RoleInfo, error) {
	info := notifier.RoleInfo{Name: name}
	err := s.read.QueryRowContext(ctx, `SELECT (SELECT COUNT(*) FROM role_members m WHERE m.role_id = r.id) FROM roles r
		WHERE r.name = $1`, valid(name)).Scan(&info.Members)
	return info, s.fail(err, "count the members of role %q", name)
}

// countMembers returns roles with their numbers of members, in the order of names.
func (s *Store) countMembers(ctx context.Context, names []string) ([]notifier.RoleInfo, error) {
	members := make(map[string]int64, len(names))
	err := s.all(ctx, func(rows *sql.Rows) error {
		var name string
		var n int64
		err := rows.Scan(&name, &n)
		members[name] = n
		return err
	}, `SELECT r.name, (SELECT COUNT(*) FROM role_members m WHERE m.role_id = r.id) FROM roles r
		WHERE `+s.dialect.within("r.name", 1), s.dialect.textList(names))
	found := make([]notifier.RoleInfo, 0, len(names))
	for _, name := range names {
		found = append(found, notifier.RoleInfo{Name: name, Members: members[name]})
	}
	return found, s.fail(err, "count the members of %d roles", len(names))
}

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
