package store

import (
	"context"
	"database/sql"
	"encoding/json"
	"errors"
	"fmt"
	"slices"

	"github.com/carillonhq/carillon/notifier"
)

// forgetTasks removes a deleted user from tasks. What they have not done is open again, and nothing is passed on to them.
func (s *Store) forgetTasks(ctx context.Context, u *notifier.User) error {
	if err := s.forgetElse(ctx, u); err != nil {
		return err
	}
	for {
		var ids []int64
		err := s.all(ctx, func(rows *sql.Rows) error {
			var id int64
			err := rows.Scan(&id)
			ids = append(ids, id)
			return err
		}, `SELECT notice_id FROM tasks WHERE state <> 'open' AND holder = $1 ORDER BY notice_id LIMIT $2`, u.Seq, forgetPage)
		if err != nil || len(ids) == 0 {
			return err
		}
		for _, id := range ids { // a transaction for each, as it locks two notices
			err := s.tx(ctx, func(tx *sql.Tx) error {
				t, _, err := s.lockTask(ctx, tx, id)
				if err != nil || !t.Forget(u.Seq) {
					return err
				}
				return s.keepTask(ctx, tx, &t)
			})
			if err != nil && !errors.Is(err, notifier.ErrNotFound) {
				return fmt.Errorf("task %d: %w", id, err)
			}
		}
	}
}

// forgetElse removes the name of a deleted user from those to whom tasks are to be passed on.
func (s *Store) forgetElse(ctx context.Context, u *notifier.User) error {
	quoted, err := json.Marshal(u.Name) // as it appears in a target
	if err != nil {
		return err
	}
	named := map[int64]string{}
	err = s.all(ctx, func(rows *sql.Rows) error {
		var id int64
		var to string
		err := rows.Scan(&id, &to)
		named[id] = to
		return err
	}, `SELECT notice_id, passes_to FROM tasks WHERE passes_to LIKE $1 ESCAPE '\'`, `%`+literal(text(string(quoted)))+`%`)
	if err != nil {
		return err
	}
	for id, was := range named {
		var to notifier.Target
		if err := json.Unmarshal([]byte(was), &to); err != nil {
			return fmt.Errorf("read to whom task %d is passed on: %w", id, err)
		}
		to.Users = slices.DeleteFunc(to.Users, func(name string) bool { return name == u.Name })
		is := ""
		if !to.IsZero() {
			text, err := json.Marshal(to)
			if err != nil {
				return err
			}
			is = string(text)
		}
		if _, err := s.exec(ctx, `UPDATE tasks SET passes_to = $1 WHERE notice_id = $2 AND passes_to = $3`, is, id, was); err != nil {
			return err
		}
	}
	return nil
}
