package store

import (
	"context"
	"database/sql"

	"github.com/carillonhq/carillon/notifier"
)

const deadLetterColumns = `id, notice_id, entry, reason, tries, created_at`

// Bury stores failed work as a dead letter, and deletes its row of work, if there is one. If owner no longer holds the row, or the notice
// of work without a row, it does nothing, and held is false: the next owner may succeed. Owner 0 holds every notice. It sets CreatedAt to
// now if that is empty, and assigns the ID. Bytes in the entry or reason that SQL cannot store as text are replaced.
func (s *Store) Bury(ctx context.Context, owner, work int64, d notifier.DeadLetter) (held bool, err error) {
	if d.CreatedAt.IsZero() {
		d.CreatedAt = s.now()
	}
	err = s.tx(ctx, func(tx *sql.Tx) error {
		n, err := int64(1), error(nil)
		switch {
		case work > 0:
			n, err = change(ctx, tx, `DELETE FROM work WHERE id = $1 AND owner = $2`, work, owner)
		case owner > 0:
			n, err = change(ctx, tx, `UPDATE notices SET owner = owner WHERE id = $1 AND owner = $2`, d.NoticeID, owner)
		}
		if held = n > 0; err != nil || !held {
			return err
		}
		_, err = tx.ExecContext(ctx, `INSERT INTO dead_letters (notice_id, entry, reason, tries, created_at) VALUES ($1, $2, $3, $4, $5)`,
			d.NoticeID, text(d.Entry), text(d.Reason), d.Tries, millis(d.CreatedAt))
		return err
	})
	return held && err == nil, s.fail(err, "bury work on notice %d", d.NoticeID)
}

// DeadLetters lists dead letters newest first: those with an id below before, or from the
// newest if before is 0.
func (s *Store) DeadLetters(ctx context.Context, before int64, limit int) ([]notifier.DeadLetter, error) {
	var f filter
	if before > 0 {
		f.add("id < %s", before)
	}
	found, err := s.deadLetters(ctx, f.where()+` ORDER BY id DESC LIMIT `+f.param(pageSize(limit)), f.args...)
	return found, s.fail(err, "list dead letters")
}

// DeadLetter returns one dead letter, or notifier.ErrNotFound.
func (s *Store) DeadLetter(ctx context.Context, id int64) (notifier.DeadLetter, error) {
	found, err := s.deadLetters(ctx, `WHERE id = $1`, id)
	if err == nil && len(found) == 0 {
		err = notifier.ErrNotFound
	}
	if err != nil {
		return notifier.DeadLetter{}, s.fail(err, "read dead letter %d", id)
	}
	return found[0], nil
}

// DiscardDeadLetter deletes a dead letter. It returns notifier.ErrNotFound if it does not exist.
func (s *Store) DiscardDeadLetter(ctx context.Context, by notifier.Actor, id int64) error {
	err := s.tx(ctx, func(tx *sql.Tx) error { return s.endDeadLetter(ctx, tx, by, "deadletter.delete", id) })
	return s.fail(err, "discard dead letter %d", id)
}

// endDeadLetter deletes a dead letter on behalf of an action. If two callers do so at the same time, one
// gets notifier.ErrNotFound.
func (s *Store) endDeadLetter(ctx context.Context, tx *sql.Tx, by notifier.Actor, action string, id int64) error {
	n, err := change(ctx, tx, `DELETE FROM dead_letters WHERE id = $1`, id)
	if err == nil && n == 0 {
		err = notifier.ErrNotFound
	}
	if err != nil {
		return err
	}
	return s.record(ctx, tx, by, action, notifier.DeadLetterRef(id), "")
}

// ReplayDeadLetter replaces a dead letter with a row of work, and marks its notice as changed, so that
// the notice is sent again if Redis is lost during the retry. It returns notifier.ErrNotFound if the
// dead letter does not exist.
func (s *Store) ReplayDeadLetter(ctx context.Context, by notifier.Actor, id int64, w notifier.Work) error {
	err := s.tx(ctx, func(tx *sql.Tx) error {
		err := s.endDeadLetter(ctx, tx, by, "deadletter.replay", id)
		if err == nil {
			err = addWork(ctx, tx, []notifier.Work{w})
		}
		if err == nil {
			_, err = tx.ExecContext(ctx, `UPDATE notices SET changed_at = $1 WHERE id = $2`, millis(s.now()), w.NoticeID)
		}
		return err
	})
	return s.fail(err, "replay dead letter %d", id)
}

// CountDeadLetters counts all dead letters.
func (s *Store) CountDeadLetters(ctx context.Context) (n int64, err error) {
	err = s.read.QueryRowContext(ctx, `SELECT COUNT(*) FROM dead_letters`).Scan(&n)
	return n, s.fail(err, "count dead letters")
}

// DeadLettersOf counts the dead letters of one notice.
func (s *Store) DeadLettersOf(ctx context.Context, noticeID int64) (n int64, err error) {
	err = s.read.QueryRowContext(ctx, `SELECT COUNT(*) FROM dead_letters WHERE notice_id = $1`, noticeID).Scan(&n)
	return n, s.fail(err, "count the dead letters of notice %d", noticeID)
}

func (s *Store) deadLetters(ctx context.Context, where string, args ...any) ([]notifier.DeadLetter, error) {
	var found []notifier.DeadLetter
	err := s.all(ctx, func(rows *sql.Rows) error {
		var d notifier.DeadLetter
		var created int64
		err := rows.Scan(&d.ID, &d.NoticeID, &d.Entry, &d.Reason, &d.Tries, &created)
		d.CreatedAt = fromMillis(created)
		found = append(found, d)
		return err
	}, `SELECT `+deadLetterColumns+` FROM dead_letters `+where, args...)
	return found, err
}
