package store

import (
	"context"
	"database/sql"
	"encoding/json"
	"fmt"
	"time"

	"github.com/carillonhq/carillon/notifier"
)

// unfinished must repeat the predicate of the partial index notices_unfinished word for word;
// otherwise the index is not used.
const unfinished = `state IN ('accepted', 'sending', 'retracting')`

const noticeColumns = `id, state, done, rev, recipient_count, created_at, expires_at, target, type, scope, subject,
	title, body, link, toast, send_at, released_at, ordinal, ` + senderColumns + `, recipients IS NOT NULL, starts_at, ends_at, pinned, late_joiners,
	app_id, (SELECT name FROM apps WHERE apps.id = app_id), extras`

// Notice returns one notice, or notifier.ErrNotFound.
func (s *Store) Notice(ctx context.Context, id int64) (notifier.Notice, error) {
	found, err := s.wholeNotices(ctx, `WHERE id = $1`, id)
	if err == nil && len(found) == 0 {
		err = notifier.ErrNotFound
	}
	if err != nil {
		return notifier.Notice{}, s.fail(err, "read notice %d", id)
	}
	return found[0], nil
}

const unfinishedQuery = `SELECT id, state, done, recipient_count, recipients IS NOT NULL, created_at FROM notices
	WHERE ` + unfinished + ` AND id > $1 ORDER BY id LIMIT $2`

// Unfinished returns the notices with ids above after that are accepted, sending or retracting,
// oldest first. Only ID, State, Done, Recipients, Routed and CreatedAt are set.
func (s *Store) Unfinished(ctx context.Context, after int64, limit int) ([]notifier.Notice, error) {
	var found []notifier.Notice
	err := s.all(ctx, func(rows *sql.Rows) error {
		var n notifier.Notice
		var created int64
		err := rows.Scan(&n.ID, &n.State, &n.Done, &n.Recipients, &n.Routed, &created)
		n.CreatedAt = fromMillis(created)
		found = append(found, n)
		return err
	}, unfinishedQuery, after, pageSize(limit))
	return found, s.fail(err, "list unfinished notices")
}

// Backlog counts the notices in each unfinished state. It omits finished ones, of which there may be
// millions.
func (s *Store) Backlog(ctx context.Context) (map[notifier.State]int64, error) {
	counts := map[notifier.State]int64{
		notifier.StateAccepted: 0, notifier.StateSending: 0, notifier.StateRetracting: 0,
	}
	err := s.all(ctx, func(rows *sql.Rows) error {
		var state notifier.State
		var n int64
		err := rows.Scan(&state, &n)
		counts[state] = n
		return err
	}, `SELECT state, COUNT(*) FROM notices WHERE `+unfinished+` GROUP BY state`)
	return counts, s.fail(err, "count unfinished notices")
}

// RetractNotice starts retracting a notice to inboxes, or cancels a scheduled one: it changes its state
// from from to to, resets its cursor to 0 and marks it as changed (see Since). An open question is withdrawn with it, and the notice
// that passed on a task is retracted with it. It reports whether
// it did: it does nothing if the state is no longer from.
func (s *Store) RetractNotice(ctx context.Context, by notifier.Actor, id int64, from, to notifier.State) (done bool, err error) {
	set, args := `state = $1, done = 0, owner = 0, due_at = 0, tries = 0, trace = ''`, []any{string(to), id, string(from)}
	if to == notifier.StateRetracting {
		set, args = set+`, changed_at = $4`, append(args, millis(s.now()))
	}
	err = s.tx(ctx, func(tx *sql.Tx) error {
		changed, err := change(ctx, tx, `UPDATE notices SET `+set+` WHERE id = $2 AND state = $3`, args...)
		if done = changed > 0; err != nil || !done {
			return err
		}
		_, err = tx.ExecContext(ctx, `UPDATE asks SET state = 'withdrawn', ended_at = $1 WHERE notice_id = $2 AND state = 'open'`, millis(s.now()), id)
		if err == nil {
			err = s.retractPassed(ctx, tx, id)
		}
		if err != nil {
			return err
		}
		if err := s.emitNotices(ctx, tx, notifier.EventNoticeRetracted, id); err != nil {
			return err
		}
		return s.record(ctx, tx, by, "notice.retract", notifier.NoticeRef(id), "")
	})
	return done, s.fail(err, "move notice %d from %s to %s", id, from, to)
}

func (s *Store) notices(ctx context.Context, where string, args ...any) ([]notifier.Notice, error) {
	var found []notifier.Notice
	err := s.all(ctx, func(rows *sql.Rows) error {
		n, err := scanNotice(rows)
		found = append(found, n)
		return err
	}, listedNotice+where, args...)
	return found, err
}

const listedNotice = `SELECT ` + noticeColumns + ` FROM notices LEFT JOIN announcements ON notice_id = id `

// wholeNotices returns notices with their Reasons, which are needed to show a notice to its recipients.
func (s *Store) wholeNotices(ctx context.Context, where string, args ...any) ([]notifier.Notice, error) {
	rows, err := s.read.QueryContext(ctx, wholeNotice+where, args...)
	return scanWhole(rows, err)
}

const wholeNotice = `SELECT ` + noticeColumns + `, reasons FROM notices LEFT JOIN announcements ON notice_id = id `

// scanWhole reads the rows of wholeNotice.
func scanWhole(rows *sql.Rows, err error) (found []notifier.Notice, _ error) {
	err = each(rows, err, func(rows *sql.Rows) error {
		var reasons sql.RawBytes // decoding copies the data it retains
		n, err := scanNotice(rows, &reasons)
		if err != nil {
			return err
		}
		n.Reasons = storedReasons(reasons)
		found = append(found, n)
		return nil
	})
	return found, err
}

// scanNotice reads the noticeColumns of a row, and the columns after them into more.
func scanNotice(rows *sql.Rows, more ...any) (n notifier.Notice, err error) {
	var created, expires, sendAt, released int64
	var starts, ends sql.Null[int64] // of announcements only
	var pinned, late sql.Null[bool]
	var app sql.Null[string] // NULL unless sent by an app
	var target, extras string
	fields := []any{
		&n.ID, &n.State, &n.Done, &n.Revision, &n.Recipients, &created, &expires, &target, &n.Type, &n.Scope, &n.Subject,
		&n.Title, &n.Body, &n.Link, &n.Toast, &sendAt, &released, &n.Order, &n.Sender.Kind, &n.Sender.ID, &n.Sender.Name, &n.Routed, &starts, &ends, &pinned, &late,
		&n.App.ID, &app, &extras,
	}
	if err := rows.Scan(append(fields, more...)...); err != nil {
		return n, err
	}
	n.CreatedAt, n.ExpiresAt = fromMillis(created), fromMillis(expires)
	n.SendAt, n.ReleasedAt = fromMillis(sendAt), fromMillis(released)
	n.StartsAt, n.EndsAt, n.Pinned, n.LateJoiners = fromMillis(starts.V), fromMillis(ends.V), pinned.V, late.V
	n.App.Name = app.V
	if err := decodeExtras(extras, &n.Extras); err != nil {
		return n, fmt.Errorf("notice %d: %w", n.ID, err)
	}
	if err := json.Unmarshal([]byte(target), &n.Target); err != nil {
		return n, fmt.Errorf("read the target of notice %d: %w", n.ID, err)
	}
	return n, nil
}

const waitingQuery = `SELECT COUNT(*), MIN(CASE WHEN changed_at > created_at THEN changed_at ELSE created_at END)
	FROM notices WHERE ` + unfinished

// Waiting counts the accepted, unfinished notices, and returns since when the oldest of them has
// waited: since it was accepted or last changed, or since its retraction began. since is the zero
// time if there are none.
func (s *Store) Waiting(ctx context.Context) (n int64, since time.Time, err error) {
	var oldest sql.Null[int64] // NULL if there are none
	err = s.read.QueryRowContext(ctx, waitingQuery).Scan(&n, &oldest)
	return n, fromMillis(oldest.V), s.fail(err, "count the waiting notices")
}

// subjectQuery repeats the predicate of the partial index notices_subject; otherwise the index is not
// used.
func (s *Store) subjectQuery() string {
	return `WHERE subject = $1 AND subject <> '' AND id > $2 AND (expires_at = 0 OR expires_at > $3)
	AND state NOT IN ('retracting', 'retracted') AND ` + s.dialect.within("app_id", 5) + ` ORDER BY id LIMIT $4`
}

// NoticesBySubject returns the notices of these apps about a subject with ids above after, ordered by id and
// without their Reasons; the app 0 is the installation itself. It omits retracted and expired notices and includes
// announcements. The empty subject matches nothing.
func (s *Store) NoticesBySubject(ctx context.Context, subject string, apps []int64, after int64, limit int) ([]notifier.Notice, error) {
	found, err := s.notices(ctx, s.subjectQuery(), text(subject), after, millis(s.now()), pageSize(limit), s.dialect.numberList(apps))
	return found, s.fail(err, "list the notices about a subject")
}

// TrimNotices deletes finished notices to inboxes that expired before a time. It examines the next
// trimBatch notices with ids above after, in its own transaction, because senders wait for it,
// and returns the last of them. It returns 0 at the first notice accepted at or after
// accepted: ids rise with time, so all later ones are newer. Announcements stay.
func (s *Store) TrimNotices(ctx context.Context, after int64, accepted, expired time.Time) (next, deleted int64, err error) {
	var old []int64
	examined, young := 0, false
	err = s.all(ctx, func(rows *sql.Rows) error {
		var id, created int64
		var over bool
		if err := rows.Scan(&id, &created, &over); err != nil {
			return err
		}
		examined++
		if young = young || created >= millis(accepted); !young {
			next = id
			if over {
				old = append(old, id)
			}
		}
		return nil
	}, `SELECT id, created_at, `+overCondition+` FROM notices WHERE id > $1 ORDER BY id LIMIT $3`, after, millis(expired), trimBatch)
	if err == nil && len(old) > 0 {
		deleted, err = s.exec(ctx, `DELETE FROM notices WHERE `+s.dialect.within("id", 1)+` AND `+overCondition, s.dialect.numberList(old), millis(expired))
	}
	if young || examined < trimBatch {
		next = 0
	}
	return next, deleted, s.fail(err, "delete notices that expired before %s", expired.Format(time.RFC3339))
}

// overCondition is true for notices to inboxes that are finished and expired before $2.
const overCondition = `(state IN ('sent', 'retracted') AND expires_at > 0 AND expires_at < $2
	AND NOT EXISTS (SELECT 1 FROM announcements WHERE notice_id = id))`
