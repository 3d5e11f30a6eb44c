package store

import (
	"context"
	"database/sql"
	"errors"
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
