package store

import (
	"bytes"
	"context"
	"database/sql"
	"errors"

	"github.com/carillonhq/carillon/notifier"
)

// dueQuery repeats the predicate of the partial index notices_scheduled; otherwise the index is
// not used.
const dueQuery = `WHERE state = 'scheduled' AND send_at <= $1 ORDER BY send_at, id LIMIT $2`

// Due returns the scheduled notices that are due, earliest first.
func (s *Store) Due(ctx context.Context, limit int) ([]notifier.Notice, error) {
	found, err := s.wholeNotices(ctx, dueQuery, millis(s.now()), pageSize(limit))
	return found, s.fail(err, "list the notices that are due")
}

// Release changes scheduled notices to accepted, each with its recipients, or without if To is nil,
// and updates them to the stored state. Their expiry counts from now, and they are ordered after all
// notices accepted earlier. It marks them as changed: see Since. All are released in one
// transaction.
//
// Err is notifier.ErrConflict for a notice that is no longer scheduled in this revision: it was
// edited, cancelled, or released by another instance.
func (s *Store) Release(ctx context.Context, all []*notifier.Acceptance) error {
	rows := make([]noticeRow, len(all))
	for i, a := range all {
		if err := s.noticeRow(&rows[i], a); err != nil {
			return s.fail(err, "release notice %d", a.Notice.ID)
		}
	}
	now := millis(s.now())
	err := s.tx(ctx, func(tx *sql.Tx) error {
		var sent []int64
		for i, a := range all {
			n := &rows[i]
			var expires int64
			err := tx.QueryRowContext(ctx, `UPDATE notices SET state = 'accepted', released_at = $1, changed_at = $1, owner = $7, due_at = $8,
					expires_at = expires_at - send_at + $1, ordinal = (SELECT MAX(id) FROM notices),
					recipients = $2, recipient_count = $3, reasons = $4
				WHERE id = $5 AND rev = $6 AND state = 'scheduled' RETURNING ordinal, expires_at`,
				now, n.recipients, n.Recipients, n.reasons, n.ID, n.Revision, n.claim.Owner, millis(n.claim.Until)).Scan(&n.Order, &expires)
			if a.Err = nil; errors.Is(err, sql.ErrNoRows) {
				a.Err = notifier.ErrConflict
				continue
			}
			if err != nil {
				return err
			}
			n.ExpiresAt = fromMillis(expires)
			if n.Extras.Take != nil {
				if _, err := tx.ExecContext(ctx, `UPDATE tasks SET late_at = $1 + within WHERE notice_id = $2 AND within > 0`, now, n.ID); err != nil {
					return err
				}
			}
			sent = append(sent, n.ID)
		}
		return s.emitNotices(ctx, tx, notifier.EventNoticeSent, sent...)
	})
	if err != nil {
		return s.fail(err, "release %d notices", len(all))
	}
	for i, a := range all {
		if n := &rows[i]; a.Err == nil {
			a.Notice.State, a.Notice.ReleasedAt, a.Notice.ExpiresAt, a.Notice.Order = notifier.StateAccepted, fromMillis(now), n.ExpiresAt, n.Order
			a.Notice.Recipients, a.Notice.Routed = n.Recipients, n.Routed
		}
	}
	return nil
}

// EditScheduled replaces the title, body, link, extras, time and expiry of a scheduled notice with those in n, and
// increments n.Revision. It returns notifier.ErrConflict if the notice was edited since
// n.Revision, or is no longer scheduled.
func (s *Store) EditScheduled(ctx context.Context, by notifier.Actor, n *notifier.Notice) error {
	extras, err := encodeExtras(&n.Extras)
	if err != nil {
		return s.fail(err, "edit scheduled notice %d", n.ID)
	}
	err = s.tx(ctx, func(tx *sql.Tx) error {
		changed, err := change(ctx, tx, `UPDATE notices SET rev = rev + 1, title = $1, body = $2, link = $3, send_at = $4, expires_at = $5, search = $6, extras = $9
			WHERE id = $7 AND rev = $8 AND state = 'scheduled'`,
			n.Title, n.Body, n.Link, millis(n.SendAt), millis(n.ExpiresAt), searchable(n.Title, n.Sender), n.ID, n.Revision, extras)
		if err == nil && changed == 0 {
			err = notifier.ErrConflict
		}
		if err != nil {
			return err
		}
		return s.record(ctx, tx, by, "notice.edit", notifier.NoticeRef(n.ID), "")
	})
	if err != nil {
		return s.fail(err, "edit scheduled notice %d", n.ID)
	}
	n.Revision++
	return nil
}

// Earlier returns the id of the notice created by an earlier identical request, notifier.ErrNotFound if
// there is none, or notifier.ErrOtherRequest if its key was used for a different request.
func (s *Store) Earlier(ctx context.Context, once notifier.Once) (id int64, err error) {
	var digest []byte
	err = s.read.QueryRowContext(ctx, `SELECT notice_id, digest FROM idempotency_keys WHERE owner_kind = $1 AND owner_id = $2 AND key = $3`,
		string(once.Owner.Kind), refID(once.Owner), once.Key).Scan(&id, &digest)
	switch {
	case errors.Is(err, sql.ErrNoRows):
		err = notifier.ErrNotFound
	case err == nil && !bytes.Equal(digest, once.Digest):
		err = notifier.ErrOtherRequest
	}
	return id, s.fail(err, "look up an earlier request")
}
