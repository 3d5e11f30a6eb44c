package store

import (
	"context"
	"database/sql"
	"errors"
	"slices"
	"unicode/utf8"

	"golang.org/x/text/cases"

	"github.com/carillonhq/carillon/notifier"
)

// Users lists the users that a query selects.
func (s *Store) Users(ctx context.Context, q notifier.UserQuery) ([]notifier.User, error) {
	f, order := userFilter(q)
	if q.Role != "" {
		if err := s.addMembership(ctx, &f, q.Role); err != nil {
			return nil, s.fail(err, "list the members of role %q", q.Role)
		}
	}
	users, err := s.users(ctx, `WITH u AS (
			SELECT seq, name, name_fold, display, audience, locale, theme, keys, toasts, opening_reads, compact, paused_until, profile_notes, zone, zone_seen, zone_seen_at FROM users u
			`+f.where()+` ORDER BY `+order+` LIMIT `+f.param(pageSize(q.Limit))+`)
		SELECT `+userColumns+`, r.name FROM u
		LEFT JOIN role_members m ON m.seq = u.seq LEFT JOIN roles r ON r.id = m.role_id
		ORDER BY `+order+`, r.name`, f.args...)
	return users, s.fail(err, "list users")
}

// smallRole is the number of members up to which the members are sorted to find the first page.
const smallRole = 2000

// addMembership adds the condition that users are members of a role. Members of a small role are
// looked up; for a large role the users are scanned in the requested order, which fills the page
// quickly.
func (s *Store) addMembership(ctx context.Context, f *filter, role string) error {
	var id, members int64
	err := s.read.QueryRowContext(ctx, `SELECT id, (SELECT COUNT(*) FROM
			(SELECT 1 FROM role_members WHERE role_id = id LIMIT $1) few) FROM roles WHERE name = $2`, smallRole+1, valid(role)).Scan(&id, &members)
	switch {
	case errors.Is(err, sql.ErrNoRows):
		f.conditions = append(f.conditions, "FALSE")
		return nil
	case err != nil:
		return err
	case members > smallRole:
		f.add("EXISTS (SELECT 1 FROM role_members m WHERE m.role_id = %s AND m.seq = u.seq)", id)
	default:
		f.add("u.seq IN (SELECT m.seq FROM role_members m WHERE m.role_id = %s)", id)
	}
	return nil
}

// userFilter converts a query to a condition and an order.
func userFilter(q notifier.UserQuery) (f filter, order string) {
	if q.Prefix != "" {
		low := fold(text(q.Prefix))
		// A range, unlike LIKE, uses the index on both databases.
		f.add("u.name_fold >= %s", low)
		f.add("u.name_fold < %s", low+string(utf8.MaxRune))
	}
	if q.ByMail && q.Contains != "" {
		f.called(q.Contains)
	} else {
		f.holding(q.Contains, "u.name_fold", "u.display_fold")
	}
	if q.Audience > 0 {
		f.add("u.audience = %s", int64(q.Audience))
	}
	f.active(q)
	if q.ByNewest {
		if q.Before > 0 {
			f.add("u.seq < %s", q.Before)
		}
		return f, "u.seq DESC"
	}
	behind, upTo := ">", "<="
	order = "u.name_fold, u.name"
	if q.Descending {
		behind, upTo, order = "<", ">=", "u.name_fold DESC, u.name DESC"
	}
	for _, bound := range []struct{ name, is string }{{q.After, behind}, {q.UpTo, upTo}} {
		if bound.name != "" {
			name := text(bound.name)
			f.add("(u.name_fold, u.name) "+bound.is+" (%s, %s)", fold(name), name)
		}
	}
	return f, order
}

// active adds the conditions about what users have done and have left to do. Each looks up users by an index.
func (f *filter) active(q notifier.UserQuery) {
	if q.Unread {
		f.conditions = append(f.conditions, `EXISTS (SELECT 1 FROM inbox_snapshots i WHERE i.seq = u.seq AND i.unread > 0)`)
	}
	if q.Inactive {
		f.conditions = append(f.conditions, `u.zone_seen = '' AND NOT EXISTS (SELECT 1 FROM sessions n WHERE n.seq = u.seq)
			AND NOT EXISTS (SELECT 1 FROM inbox_snapshots i WHERE i.seq = u.seq AND i.opened > 0)`)
	}
}

// called adds the condition that a part is in a user's name or display name, or at the beginning of their mail address,
// which is looked up by an index for each user examined.
func (f *filter) called(part string) {
	low := literal(fold(text(part)))
	within, begins := f.param("%"+low+"%"), f.param(low+"%")
	f.conditions = append(f.conditions, `(u.name_fold LIKE `+within+` ESCAPE '\' OR u.display_fold LIKE `+within+` ESCAPE '\' OR EXISTS (
		SELECT 1 FROM targets t WHERE t.seq = u.seq AND t.kind = 'mail' AND LOWER(t.address) LIKE `+begins+` ESCAPE '\'))`)
}

// userColumns are the columns of users, named u, from which a notifier.User is read.
const userColumns = `u.seq, u.name, u.display, u.audience, u.locale, u.theme, NOT u.keys, NOT u.toasts, NOT u.opening_reads, u.compact, u.paused_until, u.profile_notes, u.zone, u.zone_seen, u.zone_seen_at`

// userFields returns the scan destinations of userColumns.
func userFields(u *notifier.User) []any {
	return []any{&u.Seq, &u.Name, &u.Display, &u.Audience, &u.Locale, &u.Theme, &u.KeysOff, &u.ToastsOff, &u.OpensOnly, &u.Compact, &u.Paused, &u.Notes, &u.Zones.Chosen, &u.Zones.Seen, &u.Zones.SeenAt}
}

// User returns the user with a number, or notifier.ErrNotFound.
func (s *Store) User(ctx context.Context, seq int64) (notifier.User, error) {
	u, err := s.oneUser(ctx, `u.seq = $1`, seq)
	return u, s.fail(err, "read user %d", seq)
}

// oneUser returns the user that the condition selects, or sql.ErrNoRows.
func (s *Store) oneUser(ctx context.Context, where string, arg any) (notifier.User, error) {
	return only(s.users(ctx, userQuery(where), arg))
}

// only returns the first of users, or sql.ErrNoRows if there is none.
func only(users []notifier.User, err error) (notifier.User, error) {
	if err == nil && len(users) == 0 {
		err = sql.ErrNoRows
	}
	if err != nil {
		return notifier.User{}, err
	}
	return users[0], nil
}

// userQuery reads the user that the condition selects.
func userQuery(where string) string {
	return `SELECT ` + userColumns + `, r.name FROM users u
		LEFT JOIN role_members m ON m.seq = u.seq LEFT JOIN roles r ON r.id = m.role_id
		WHERE ` + where + ` ORDER BY r.name`
}

func (s *Store) users(ctx context.Context, query string, args ...any) ([]notifier.User, error) {
	return gatherUsers(s.read.QueryContext(ctx, query, args...))
}

// gatherUsers merges rows, each of a user and one role; rows of the same user are adjacent.
func gatherUsers(rows *sql.Rows, err error) ([]notifier.User, error) {
	var users []notifier.User
	err = each(rows, err, func(rows *sql.Rows) error {
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
	})
	return users, err
}

// userRow is a user with the values that the store adds.
type userRow struct {
	notifier.NewUser
	seq     int64
	fold    string
	created int64
}

// user converts the row to the type that callers see.
func (r *userRow) user() notifier.User {
	roles := slices.Clone(r.Roles)
	slices.Sort(roles)
	return notifier.User{
		Seq: r.seq, Name: r.Name, Audience: r.Audience, Settings: notifier.Settings{Locale: r.Locale},
		Roles: slices.Compact(roles),
	}
}

// fold removes the case from a name. It creates a Caser for each call, because a Caser must not be shared.
func fold(name string) string { return cases.Fold().String(name) }
