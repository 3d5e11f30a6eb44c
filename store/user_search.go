package store

import (
	"context"
	"database/sql"
	"errors"
	"time"

	"github.com/carillonhq/carillon/notifier"
)

// SearchUsers is Users by name, but stops with a partial page after patience has passed. Then reached is the name of
// the last examined user, after which a search can continue; otherwise reached is empty.
func (s *Store) SearchUsers(ctx context.Context, q notifier.UserQuery, patience time.Duration) (found []notifier.User, reached string, err error) {
	began, limit := time.Now(), pageSize(q.Limit)
	for size := firstStep; ; {
		stepped := time.Now()
		if q.UpTo, err = s.nameBehind(ctx, q.After, size); err != nil {
			return nil, "", s.fail(err, "search users")
		}
		q.Limit = limit - len(found)
		some, err := s.Users(ctx, q)
		if err != nil {
			return nil, "", err
		}
		if found = append(found, some...); len(found) >= limit || q.UpTo == "" {
			return found, "", nil
		}
		if q.After = q.UpTo; time.Since(began) >= patience {
			return found, q.After, nil
		}
		if time.Since(stepped) < quickStep {
			size *= 4
		}
	}
}

// nameBehind returns the name of the user that comes so many places after a name, or "" if there is none.
func (s *Store) nameBehind(ctx context.Context, name string, places int) (behind string, err error) {
	name = text(name)
	err = s.read.QueryRowContext(ctx, `SELECT name FROM users WHERE (name_fold, name) > ($1, $2) ORDER BY name_fold, name LIMIT 1 OFFSET $3`,
		fold(name), name, places-1).Scan(&behind)
	if errors.Is(err, sql.ErrNoRows) {
		err = nil
	}
	return behind, err
}

// CountMatches returns the number of users that a query selects, without its cursors and limit. It stops after patience
// has passed; then whole is false, and n counts only those found so far.
func (s *Store) CountMatches(ctx context.Context, q notifier.UserQuery, patience time.Duration) (n int64, whole bool, err error) {
	began := time.Now()
	q.After, q.Before, q.ByNewest, q.Descending = "", 0, false, false
	for size := firstStep; ; size *= 4 {
		if q.UpTo, err = s.nameBehind(ctx, q.After, size); err != nil {
			return 0, false, s.fail(err, "count users")
		}
		f, _ := userFilter(q)
		if q.Role != "" {
			if err = s.addMembership(ctx, &f, q.Role); err != nil {
				return 0, false, s.fail(err, "count the members of role %q", q.Role)
			}
		}
		var some int64
		if err = s.read.QueryRowContext(ctx, `SELECT COUNT(*) FROM users u `+f.where(), f.args...).Scan(&some); err != nil {
			return 0, false, s.fail(err, "count users")
		}
		if n += some; q.UpTo == "" {
			return n, true, nil
		}
		if q.After = q.UpTo; time.Since(began) >= patience {
			return n, false, nil
		}
	}
}
