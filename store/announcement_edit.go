package store

import (
	"cmp"
	"context"
	"database/sql"
	"fmt"
	"time"

	"github.com/carillonhq/carillon/notifier"
)

// EditAnnouncement replaces the title, body, link, extras, type, window and audiences of announcement
// n.ID, and sets n.Revision to the new revision. On entry n.Revision is the revision that the
// editor saw: it returns notifier.ErrConflict if the announcement was edited since then, or is
// retracted or over. It rejects the same announcements as AnnounceOnce.
//
// A removed audience is marked as withdrawn; one that is added again keeps its reads. If the
// opening is moved into the future, the parts are settled again when the announcement opens.
func (s *Store) EditAnnouncement(ctx context.Context, by notifier.Actor, n *notifier.Notice) error {
	return s.editAnnouncement(ctx, by, n, false)
}

// EditAnnouncementUnread is EditAnnouncement, and also marks the announcement as unread for
// all users: it deletes the reads in all audiences, including withdrawn ones. SaveReads
// drops reads from before the edit that arrive later.
func (s *Store) EditAnnouncementUnread(ctx context.Context, by notifier.Actor, n *notifier.Notice) error {
	return s.editAnnouncement(ctx, by, n, true)
}

func (s *Store) editAnnouncement(ctx context.Context, by notifier.Actor, n *notifier.Notice, unread bool) error {
	detail := ""
	if unread {
		detail = "unread for everybody"
	}
	target, err := announced(n)
	extras, cannot := encodeExtras(&n.Extras)
	if err = cmp.Or(err, cannot); err != nil {
		return s.fail(err, "edit announcement %d", n.ID)
	}
	err = s.revise(ctx, func(tx *sql.Tx) error {
		has, err := standing(ctx, tx, n.ID)
		switch {
		case err != nil:
			return err
		case has.rev != n.Revision, has.retracted, has.over(s.now()):
			return notifier.ErrConflict
		}
		if err := s.checkOpen(ctx, tx, n, n.ID); err != nil {
			return err
		}
		_, err = tx.ExecContext(ctx, `UPDATE notices SET rev = rev + 1, expires_at = $1, target = $2, type = $3, title = $4,
			body = $5, link = $6, search = $7, extras = $9 WHERE id = $8`,
			millis(n.ExpiresAt), target, n.Type, n.Title, n.Body, n.Link, searchable(n.Title, has.sender), n.ID, extras)
		if err != nil {
			return err
		}
		_, err = tx.ExecContext(ctx, `UPDATE announcements SET starts_at = $1, ends_at = $2, pinned = $3, late_joiners = $4,
			edited_at = $5 WHERE notice_id = $6`, millis(n.StartsAt), millis(n.EndsAt), n.Pinned, n.LateJoiners, millis(s.now()), n.ID)
		if err == nil && unread {
			err = deleteReads(ctx, tx, n.ID, n.Revision+1)
		}
		if err == nil {
			err = s.record(ctx, tx, by, "notice.edit", notifier.NoticeRef(n.ID), detail)
		}
		if err != nil {
			return err
		}
		return s.editParts(ctx, tx, n)
	})
	if err != nil {
		return s.fail(err, "edit announcement %d", n.ID)
	}
	n.Revision++
	return nil
}

// deleteReads deletes the reads of an announcement in all audiences, on behalf of its edit to
// the given revision. It updates the announcements row first, because saveReads locks that row.
func deleteReads(ctx context.Context, tx *sql.Tx, id, revision int64) error {
	_, err := tx.ExecContext(ctx, `UPDATE announcements SET reads_from = $1 WHERE notice_id = $2`, revision, id)
	if err == nil {
		_, err = tx.ExecContext(ctx, `UPDATE announcement_audiences SET reads = 0 WHERE announcement_id = $1`, id)
	}
	if err == nil {
		_, err = tx.ExecContext(ctx, `DELETE FROM announcement_reads WHERE announcement_id = $1`, id)
	}
	if err != nil {
		return fmt.Errorf("delete the reads: %w", err)
	}
	return nil
}

// editParts withdraws all audiences and adds the audiences of the edited announcement.
func (s *Store) editParts(ctx context.Context, tx *sql.Tx, n *notifier.Notice) error {
	_, err := tx.ExecContext(ctx, `UPDATE announcement_audiences SET withdrawn = TRUE WHERE announcement_id = $1`, n.ID)
	if err != nil {
		return err
	}
	if err := s.addParts(ctx, tx, n.ID, n.Target.Audiences); err != nil || !n.StartsAt.After(s.now()) {
		return err
	}
	if err := s.closeAnnouncement(ctx, tx, n.ID, 0); err != nil { // it opens again
		return err
	}
	_, err = tx.ExecContext(ctx, `UPDATE announcement_audiences SET settled = FALSE, top = 0, members = 0
		WHERE announcement_id = $1`, n.ID)
	return err
}

// RetractAnnouncement retracts an announcement before its end. It does nothing if the
// announcement is already retracted, and returns notifier.ErrConflict if it is over.
func (s *Store) RetractAnnouncement(ctx context.Context, by notifier.Actor, id int64) error {
	err := s.revise(ctx, func(tx *sql.Tx) error {
		has, err := standing(ctx, tx, id)
		switch {
		case err != nil:
			return err
		case has.retracted:
			return errUnchanged
		case has.over(s.now()):
			return notifier.ErrConflict
		}
		_, err = tx.ExecContext(ctx, `UPDATE notices SET state = $1 WHERE id = $2`, string(notifier.StateRetracted), id)
		if err == nil {
			err = s.closeAnnouncement(ctx, tx, id, 2)
		}
		if err != nil {
			return err
		}
		return s.record(ctx, tx, by, "notice.retract", notifier.NoticeRef(id), "")
	})
	return s.fail(err, "retract announcement %d", id)
}

// DeleteAnnouncement removes an announcement with its parts and reads. It returns
// notifier.ErrConflict unless the announcement is retracted or over.
func (s *Store) DeleteAnnouncement(ctx context.Context, by notifier.Actor, id int64) error {
	err := s.revise(ctx, func(tx *sql.Tx) error {
		has, err := standing(ctx, tx, id)
		switch {
		case err != nil:
			return err
		case !has.retracted && !has.over(s.now()):
			return notifier.ErrConflict
		}
		_, err = tx.ExecContext(ctx, `DELETE FROM notices WHERE id = $1`, id) // its parts and reads are deleted with it
		if err != nil {
			return err
		}
		return s.record(ctx, tx, by, "notice.delete", notifier.NoticeRef(id), "")
	})
	return s.fail(err, "delete announcement %d", id)
}

// stand is the current state of an announcement.
type stand struct {
	retracted bool
	rev       int64
	sender    notifier.Ref
	ends      int64
	late      bool
}

// over reports whether the window has ended.
func (a stand) over(now time.Time) bool { return a.ends <= millis(now) }

// standing reads the current state of an announcement. It returns sql.ErrNoRows if the
// announcement does not exist.
func standing(ctx context.Context, tx *sql.Tx, id int64) (a stand, err error) {
	err = tx.QueryRowContext(ctx, `SELECT state IN ('retracting', 'retracted'), rev, ends_at, late_joiners, `+senderColumns+`
		FROM announcements JOIN notices ON id = notice_id WHERE notice_id = $1`, id).
		Scan(append([]any{&a.retracted, &a.rev, &a.ends, &a.late}, refFields(&a.sender)...)...)
	return a, err
}
