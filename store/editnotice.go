package store

import (
	"context"
	"database/sql"
	"errors"
	"fmt"

	"github.com/carillonhq/carillon/notifier"
)

// EditNotice replaces the title, body, link and extras of notice n.ID, which went to inboxes, and increments
// its revision; the recipients stay. It marks the notice as changed (see Since) and restarts
// its delivery, which is due immediately: the state becomes sending if all recipients had been served before, or if an
// earlier edit of such a notice was in progress; otherwise it becomes accepted. It fills n with the
// whole stored notice. If the notice is a task that was passed on, the notice that did so follows.
//
// On entry n.Revision is the revision that the editor saw. It returns notifier.ErrConflict if the
// notice was edited since then, or is retracted or expired, and notifier.ErrNotFound for an
// announcement.
func (s *Store) EditNotice(ctx context.Context, by notifier.Actor, n *notifier.Notice) error {
	var edited []notifier.Notice
	extras, err := encodeExtras(&n.Extras)
	if err != nil {
		return s.fail(err, "edit notice %d", n.ID)
	}
	err = s.tx(ctx, func(tx *sql.Tx) error {
		var sender notifier.Ref
		task, err := s.passedTask(ctx, tx, n)
		if err != nil {
			return err
		}
		err = tx.QueryRowContext(ctx, `UPDATE notices SET rev = rev + 1, done = 0, changed_at = $1, owner = 0, due_at = 0, tries = 0, trace = '',
				state = CASE WHEN state = 'sent' OR state = 'sending' AND rev > 0 THEN 'sending' ELSE 'accepted' END,
				title = $2, body = $3, link = $4, extras = $7
			WHERE id = $5 AND rev = $6 AND state IN ('accepted', 'sending', 'sent') AND (expires_at = 0 OR expires_at > $1)
				AND `+toInboxes+` RETURNING `+senderColumns,
			millis(s.now()), n.Title, n.Body, n.Link, n.ID, n.Revision, extras).Scan(refFields(&sender)...)
		if errors.Is(err, sql.ErrNoRows) {
			return whyNotEdited(ctx, tx, n.ID)
		}
		if err != nil {
			return err
		}
		err = s.indexWords(ctx, tx, n.ID, n.Title, sender)
		if err == nil && task.Passed > 0 {
			task.Title, task.Body, task.Link, task.Extras = n.Title, n.Body, n.Link, n.Extras
			err = s.showTask(ctx, tx, &task, task.Passed, true)
		}
		if err == nil {
			err = s.record(ctx, tx, by, "notice.edit", notifier.NoticeRef(n.ID), "")
		}
		if err != nil {
			return err
		}
		rows, err := tx.QueryContext(ctx, wholeNotice+`WHERE id = $1`, n.ID)
		if edited, err = scanWhole(rows, err); err == nil && len(edited) != 1 {
			err = fmt.Errorf("expected one notice, found %d", len(edited))
		}
		return err
	})
	if err != nil {
		return s.fail(err, "edit notice %d", n.ID)
	}
	*n = edited[0]
	return nil
}

// indexWords stores the words by which staff find a notice.
func (s *Store) indexWords(ctx context.Context, tx *sql.Tx, id int64, title string, sender notifier.Ref) error {
	_, err := tx.ExecContext(ctx, `UPDATE notices SET search = $1 WHERE id = $2`, searchable(title, sender), id)
	return err
}

// reviseNotice replaces the extras of a notice and makes it due, as EditNotice does. A scheduled notice becomes retracted, and one that
// is retracted stays so.
func (s *Store) reviseNotice(ctx context.Context, tx *sql.Tx, id int64, x *notifier.Extras) error {
	extras, err := encodeExtras(x)
	if err != nil {
		return err
	}
	_, err = tx.ExecContext(ctx, `UPDATE notices SET rev = rev + 1, done = 0, changed_at = $1, owner = 0, due_at = 0, tries = 0, trace = '', extras = $2,
			state = CASE WHEN state IN ('retracting', 'retracted') THEN state WHEN state = 'scheduled' THEN 'retracted'
				WHEN state = 'sent' OR state = 'sending' AND rev > 0 THEN 'sending' ELSE 'accepted' END
		WHERE id = $3`, millis(s.now()), extras, id)
	return err
}

// toInboxes is the condition that a notice is not an announcement.
const toInboxes = `NOT EXISTS (SELECT 1 FROM announcements WHERE notice_id = id)`

// whyNotEdited returns ErrConflict if the notice exists but cannot be edited, else ErrNotFound.
func whyNotEdited(ctx context.Context, tx *sql.Tx, id int64) error {
	var there bool
	err := tx.QueryRowContext(ctx, `SELECT EXISTS (SELECT 1 FROM notices WHERE id = $1 AND `+toInboxes+`)`, id).Scan(&there)
	switch {
	case err != nil:
		return err
	case there:
		return notifier.ErrConflict
	}
	return notifier.ErrNotFound
}
