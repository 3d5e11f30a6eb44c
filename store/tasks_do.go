package store

import (
	"context"
	"database/sql"
	"encoding/json"
	"errors"
	"fmt"
	"slices"
	"time"

	"github.com/RoaringBitmap/roaring/v2"

	"github.com/carillonhq/carillon/notifier"
)

// DoTask stores a deed of a user with a task. In the same transaction its notice, and the one that passed it on, get a new revision,
// whose delivery is due at once. It returns the task as it is then. The same deed again changes nothing.
//
// Only a recipient of the notice with the row who is still in its target may act, and whoever has the task may finish it or give it
// back; for others it returns notifier.ErrNotFound. A deed that is not possible is a *notifier.RefusedTaskError.
func (s *Store) DoTask(ctx context.Context, by notifier.Actor, is notifier.Taking) (t notifier.Task, err error) {
	err = s.tx(ctx, func(tx *sql.Tx) error {
		at, to, err := s.rowNotice(ctx, tx, is.Notice)
		if err == nil && at.Extras.Take == nil {
			err = notifier.ErrNotFound
		}
		if err != nil {
			return err
		}
		first := is.Notice
		if of := at.Extras.Take.Of; of > 0 {
			first = of
		}
		var all *roaring.Bitmap
		if t, all, err = s.lockTask(ctx, tx, first); err != nil {
			return err
		}
		if first == is.Notice {
			at, to = t.Notice, all
		}
		if t.State.TakenBack() {
			return notifier.ErrNotFound
		}
		if has := t.Taken.State() == notifier.TaskTaken && t.Holder == is.User.Seq; !has || is.Deed == notifier.DeedTake {
			if err := s.stillAddressed(ctx, tx, &at, to, is.User.Seq); err != nil {
				return err
			}
		}
		changed, err := t.Do(is.Deed, &is.User, s.now().UTC().Truncate(time.Millisecond))
		if err != nil || !changed {
			return err
		}
		if err := s.keepTask(ctx, tx, &t); err != nil {
			return err
		}
		if err := s.emit(ctx, tx, taskFacts(&is, t.ID)...); err != nil {
			return err
		}
		return s.record(ctx, tx, by, "task."+string(is.Deed), notifier.NoticeRef(t.ID), "")
	})
	return t, s.fail(err, "%s task %d", is.Deed, is.Notice)
}

// taskFacts returns what a deed is for hooks. Giving back is none.
func taskFacts(is *notifier.Taking, id int64) []fact {
	typ, known := map[notifier.TaskDeed]notifier.EventType{notifier.DeedTake: notifier.EventNoticeTaken, notifier.DeedDone: notifier.EventNoticeDone}[is.Deed]
	if !known {
		return nil
	}
	return []fact{{typ: typ, seq: is.User.Seq, data: notifier.HookTask{Notice: id, User: is.User.Name}}}
}

// rowNotice reads a notice and its recipients.
func (s *Store) rowNotice(ctx context.Context, tx *sql.Tx, id int64) (n notifier.Notice, to *roaring.Bitmap, err error) {
	rows, err := tx.QueryContext(ctx, `SELECT `+noticeColumns+`, recipients FROM notices LEFT JOIN announcements ON notice_id = id WHERE id = $1`, id)
	err = each(rows, err, func(rows *sql.Rows) error {
		var blob []byte
		n, err = scanNotice(rows, &blob)
		if err == nil {
			to, err = recipientsIn(id, blob)
		}
		return err
	})
	if err == nil && to == nil {
		err = notifier.ErrNotFound
	}
	return n, to, err
}

// lockTask reads a task and prevents others from changing it before this transaction ends. Like a deletion of a user, it locks the
// notice first. It returns notifier.ErrNotFound if there is none.
func (s *Store) lockTask(ctx context.Context, tx *sql.Tx, id int64) (t notifier.Task, to *roaring.Bitmap, err error) {
	changed, err := change(ctx, tx, `UPDATE notices SET rev = rev WHERE id = $1 AND EXISTS (SELECT 1 FROM tasks WHERE tasks.notice_id = notices.id)`, id)
	if err == nil && changed == 0 {
		err = notifier.ErrNotFound
	}
	if err != nil {
		return t, nil, err
	}
	rows, err := tx.QueryContext(ctx, taskNotice+`WHERE task_id = $1`, id)
	err = each(rows, err, func(rows *sql.Rows) (err error) {
		t, to, err = scanTask(rows)
		return err
	})
	return t, to, err
}

// keepTask stores who has a task, and what the rows of its notices show.
func (s *Store) keepTask(ctx context.Context, tx *sql.Tx, t *notifier.Task) error {
	_, err := tx.ExecContext(ctx, `UPDATE tasks SET state = $1, holder = $2, taken_at = $3, done_at = $4 WHERE notice_id = $5`,
		string(t.Taken.State()), t.Holder, millis(t.Taken.At), millis(t.Taken.DoneAt), t.ID)
	if err == nil {
		t.Extras.Take = &t.Taken
		err = s.reviseNotice(ctx, tx, t.ID, &t.Extras)
		t.Revision++
	}
	if err == nil && t.Passed > 0 {
		err = s.showTask(ctx, tx, t, t.Passed, false)
	}
	return err
}

// showTask stores what the rows of the notice that passed a task on show of it, and, if the task was edited, its words.
func (s *Store) showTask(ctx context.Context, tx *sql.Tx, t *notifier.Task, in int64, edited bool) error {
	var extras string
	var sender notifier.Ref
	err := tx.QueryRowContext(ctx, `UPDATE notices SET rev = rev WHERE id = $1 RETURNING extras, `+senderColumns, in).
		Scan(append([]any{&extras}, refFields(&sender)...)...)
	if errors.Is(err, sql.ErrNoRows) {
		return nil // all its recipients were deleted
	}
	var x notifier.Extras
	if err == nil {
		err = decodeExtras(extras, &x)
	}
	if err != nil || x.Take == nil {
		return err
	}
	shown := t.Taken
	shown.Of, shown.Waited = x.Take.Of, x.Take.Waited
	if edited {
		x = t.Extras
		if _, err = tx.ExecContext(ctx, `UPDATE notices SET title = $1, body = $2, link = $3 WHERE id = $4`, t.Title, t.Body, t.Link, in); err == nil {
			err = s.indexWords(ctx, tx, in, t.Title, sender)
		}
		if err != nil {
			return err
		}
	}
	x.Take = &shown
	return s.reviseNotice(ctx, tx, in, &x)
}

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
