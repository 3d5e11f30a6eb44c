package store

import (
	"context"
	"database/sql"
	"errors"

	"github.com/carillonhq/carillon/notifier"
)

// passedTask returns the task of a notice that is about to be edited, and locks it. Its Passed is 0 if there is no other notice to be
// edited as well.
func (s *Store) passedTask(ctx context.Context, tx *sql.Tx, n *notifier.Notice) (notifier.Task, error) {
	if n.Extras.Take == nil || n.Extras.Take.Of > 0 {
		return notifier.Task{}, nil
	}
	t, _, err := s.lockTask(ctx, tx, n.ID)
	if errors.Is(err, notifier.ErrNotFound) {
		err = nil
	}
	return t, err
}

// passOn records, in the transaction that accepts them, the notices that pass late tasks on. Their rows show the words of the task, which may have
// been edited meanwhile. It returns notifier.ErrConflict for a task that is not late any more, because somebody has taken it or another
// instance was faster, and notifier.ErrNotFound for one that was retracted or deleted.
func (s *Store) passOn(ctx context.Context, tx *sql.Tx, rows []*noticeRow) error {
	for _, n := range rows {
		if !n.passesOn() || n.replayed || n.err != nil {
			continue
		}
		t, _, err := s.lockTask(ctx, tx, n.Extras.Take.Of)
		switch {
		case err != nil:
			return err
		case t.State.TakenBack():
			return notifier.ErrNotFound
		case t.Passed > 0 || t.Taken.State() != notifier.TaskOpen:
			return notifier.ErrConflict
		}
		_, err = tx.ExecContext(ctx, `UPDATE tasks SET passed = $1 WHERE notice_id = $2`, n.id, t.ID)
		if err == nil && t.Revision > 0 {
			err = s.showTask(ctx, tx, &t, n.id, true)
		}
		if err != nil {
			return err
		}
	}
	return nil
}

// passesOn reports whether the notice passes a task on.
func (row *noticeRow) passesOn() bool { return row.Extras.Take != nil && row.Extras.Take.Of > 0 }

// KeepLate records that a late task is not to be passed on any more. It does nothing to one that was passed on.
func (s *Store) KeepLate(ctx context.Context, id int64) error {
	_, err := s.exec(ctx, `UPDATE tasks SET passes_to = '' WHERE notice_id = $1 AND passed = 0`, id)
	return s.fail(err, "keep the late task %d", id)
}

// retractPassed starts retracting the notice that passed on a task, if there is one.
func (s *Store) retractPassed(ctx context.Context, tx *sql.Tx, id int64) error {
	_, err := tx.ExecContext(ctx, `UPDATE notices SET state = 'retracting', done = 0, owner = 0, due_at = 0, tries = 0, trace = '', changed_at = $1
		WHERE id = (SELECT passed FROM tasks WHERE notice_id = $2) AND state IN ('accepted', 'sending', 'sent')`, millis(s.now()), id)
	return err
}
