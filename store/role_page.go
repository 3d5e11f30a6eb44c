package store

import (
	"context"
	"database/sql"
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
