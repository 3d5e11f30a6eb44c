package store

import (
	"context"
	"database/sql"
	"fmt"
	"strings"
	"unicode/utf8"

	"github.com/carillonhq/carillon/notifier"
)

const defaultPage = 50

// Users lists users by name without regard to case.
func (s *Store) Users(ctx context.Context, q notifier.UserQuery) ([]notifier.User, error) {
	where, args := userFilter(q)
	args = append(args, pageSize(q.Limit))
	users, err := s.users(ctx, fmt.Sprintf(`WITH u AS (
			SELECT seq, name, name_fold, audience, locale, theme, keys, toasts FROM users WHERE %s ORDER BY name_fold, name LIMIT $%d)
		SELECT `+userColumns+`, r.name FROM u
		LEFT JOIN role_members m ON m.seq = u.seq LEFT JOIN roles r ON r.id = m.role_id
		ORDER BY u.name_fold, u.name, r.name`, strings.Join(where, " AND "), len(args)), args...)
	return users, s.fail(err, "list users")
}

// userFilter turns a query into conditions and their parameters.
func userFilter(q notifier.UserQuery) (where []string, args []any) {
	param := func(value string) string {
		args = append(args, value)
		return fmt.Sprintf("$%d", len(args))
	}
	where = []string{"TRUE"}
	if q.Prefix != "" {
		low := fold(text(q.Prefix))
		// A range, unlike LIKE, uses the index on both databases.
		where = append(where, "name_fold >= "+param(low), "name_fold < "+param(low+string(utf8.MaxRune)))
	}
	if q.Contains != "" {
		escaped := strings.NewReplacer(`\`, `\\`, `%`, `\%`, `_`, `\_`).Replace(fold(text(q.Contains)))
		where = append(where, "name_fold LIKE "+param("%"+escaped+"%")+` ESCAPE '\'`)
	}
	if q.After != "" {
		after := text(q.After)
		where = append(where, "(name_fold, name) > ("+param(fold(after))+", "+param(after)+")")
	}
	return where, args
}

// userColumns is what of a row of users, named u, makes a notifier.User.
const userColumns = `u.seq, u.name, u.audience, u.locale, u.theme, NOT u.keys, NOT u.toasts`

// userFields is where userColumns go.
func userFields(u *notifier.User) []any {
	return []any{&u.Seq, &u.Name, &u.Audience, &u.Locale, &u.Theme, &u.KeysOff, &u.ToastsOff}
}

// oneUser returns the user that the condition names, or sql.ErrNoRows.
func (s *Store) oneUser(ctx context.Context, where string, arg any) (notifier.User, error) {
	users, err := s.users(ctx, `SELECT `+userColumns+`, r.name FROM users u
		LEFT JOIN role_members m ON m.seq = u.seq LEFT JOIN roles r ON r.id = m.role_id
		WHERE `+where+` ORDER BY r.name`, arg)
	if err != nil {
		return notifier.User{}, err
	}
	if len(users) == 0 {
		return notifier.User{}, sql.ErrNoRows
	}
	return users[0], nil
}

// users gathers rows of a user and one role each; those of one user follow
// each other.
func (s *Store) users(ctx context.Context, query string, args ...any) ([]notifier.User, error) {
	var users []notifier.User
	err := s.all(ctx, func(rows *sql.Rows) error {
		var u notifier.User
		var role sql.NullString
		if err := rows.Scan(append(userFields(&u), &role)...); err != nil {
			return err
		}
		if n := len(users); n == 0 || users[n-1].Seq != u.Seq {
			users = append(users, u)
		}
		if role.Valid {
			last := &users[len(users)-1]
			last.Roles = append(last.Roles, role.String)
		}
		return nil
	}, query, args...)
	return users, err
}

// text is what of a search can stand in a statement: PostgreSQL refuses NUL
// and broken UTF-8, and no name holds either.
func text(s string) string {
	return strings.ReplaceAll(strings.ToValidUTF8(s, "\ufffd"), "\x00", "\ufffd")
}

func pageSize(limit int) int {
	if limit <= 0 {
		return defaultPage
	}
	return limit
}
