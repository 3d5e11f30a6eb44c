package store

import (
	"context"
	"database/sql"
	"slices"
	"strings"

	"github.com/carillonhq/carillon/notifier"
)

// FindUsers returns up to limit users for the part of a name that was typed: first users whose name
// begins with it, sorted by name; then users whose name contains it elsewhere, sorted by name, of
// whom those with the lowest numbers are chosen. Case is ignored.
func (s *Store) FindUsers(ctx context.Context, part string, limit int) ([]notifier.User, error) {
	found, err := s.Users(ctx, notifier.UserQuery{Prefix: part, Limit: limit})
	if err != nil || len(found) >= limit || part == "" {
		return found, err
	}
	others, err := s.containing(ctx, part, limit)
	for _, u := range others {
		twice := slices.ContainsFunc(found, func(has notifier.User) bool { return has.Seq == u.Seq })
		if len(found) < limit && !twice {
			found = append(found, u)
		}
	}
	return found, s.fail(err, "find users by part of their name")
}

// containing returns users whose name contains part after its beginning.
func (s *Store) containing(ctx context.Context, part string, limit int) ([]notifier.User, error) {
	seqs, whole, err := s.names.find(ctx, s, fold(text(part)), limit)
	switch {
	case err != nil:
		return nil, err
	case !whole:
		return s.Users(ctx, notifier.UserQuery{Contains: part, Limit: 2 * limit}) // some of them begin with part
	case len(seqs) == 0:
		return nil, nil
	}
	// This leaves out users who were deleted since the index was built.
	return s.users(ctx, `SELECT `+userColumns+`, r.name FROM users u
		LEFT JOIN role_members m ON m.seq = u.seq LEFT JOIN roles r ON r.id = m.role_id
		WHERE `+s.dialect.within("u.seq", 1)+` ORDER BY u.name_fold, u.name, r.name`, s.dialect.numberList(seqs))
}

// FindRoles returns up to limit roles whose name contains part, in the order of FindUsers.
func (s *Store) FindRoles(ctx context.Context, part string, limit int) ([]notifier.RoleInfo, error) {
	part = fold(part)
	var first, later []string
	err := s.all(ctx, func(rows *sql.Rows) error {
		var name string
		err := rows.Scan(&name)
		switch low := fold(name); {
		case strings.HasPrefix(low, part):
			first = append(first, name)
		case strings.Contains(low, part):
			later = append(later, name)
		}
		return err
	}, `SELECT name FROM roles ORDER BY name`)
	if err != nil {
		return nil, s.fail(err, "list the names of roles")
	}
	names := append(first, later...)
	return s.countMembers(ctx, names[:min(len(names), limit)])
}
