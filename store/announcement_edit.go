package store

import (
	"context"
	"database/sql"
	"time"

	"github.com/carillonhq/carillon/notifier"
)

// EditAnnouncement gives announcement n.ID the title, body, link, type, window
// and audiences of n, and sets n.Revision to its new one. n.Revision is the one
// that the editor saw: notifier.ErrConflict says that it was edited since, or
// that it is retracted or over. It refuses what Announce refuses.
//
// An audience that is taken away is left; one that is added again goes on where
// it was. An opening that is put off is yet to come: its parts are settled anew.
func (s *Store) EditAnnouncement(ctx context.Context, n *notifier.Notice) error {
	target, err := announced(n)
	if err != nil {
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
			body = $5, link = $6, search = $7 WHERE id = $8`,
			millis(n.ExpiresAt), target, n.Type, n.Title, n.Body, n.Link, searchable(n.Title, has.sender), n.ID)
		if err != nil {
			return err
		}
		_, err = tx.ExecContext(ctx, `UPDATE announcements SET starts_at = $1, ends_at = $2, pinned = $3, late_joiners = $4
			WHERE notice_id = $5`, millis(n.StartsAt), millis(n.EndsAt), n.Pinned, n.LateJoiners, n.ID)
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

// editParts takes all audiences away and adds those that the edit names.
func (s *Store) editParts(ctx context.Context, tx *sql.Tx, n *notifier.Notice) error {
	_, err := tx.ExecContext(ctx, `UPDATE announcement_audiences SET withdrawn = TRUE WHERE announcement_id = $1`, n.ID)
	if err != nil {
		return err
	}
	if err := s.addParts(ctx, tx, n.ID, n.Target.Audiences); err != nil || !n.StartsAt.After(s.now()) {
		return err
	}
	_, err = tx.ExecContext(ctx, `UPDATE announcement_audiences SET settled = FALSE, top = 0, members = 0
		WHERE announcement_id = $1`, n.ID)
	return err
}

// RetractAnnouncement takes an announcement back before its end. One that is
// retracted stays so; one that is over is notifier.ErrConflict.
func (s *Store) RetractAnnouncement(ctx context.Context, id int64) error {
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
		return err
	})
	return s.fail(err, "retract announcement %d", id)
}

// DeleteAnnouncement removes all that is known of an announcement. It must be
// retracted or over, else it is notifier.ErrConflict.
func (s *Store) DeleteAnnouncement(ctx context.Context, id int64) error {
	err := s.revise(ctx, func(tx *sql.Tx) error {
		has, err := standing(ctx, tx, id)
		switch {
		case err != nil:
			return err
		case !has.retracted && !has.over(s.now()):
			return notifier.ErrConflict
		}
		_, err = tx.ExecContext(ctx, `DELETE FROM notices WHERE id = $1`, id) // its parts and reads go with it
		return err
	})
	return s.fail(err, "delete announcement %d", id)
}

// stand is where an announcement stands.
type stand struct {
	retracted bool
	rev       int64
	sender    string
	ends      int64
	late      bool
}

// over is whether its end has come.
func (a stand) over(now time.Time) bool { return a.ends <= millis(now) }

// standing reads where an announcement stands, or sql.ErrNoRows.
func standing(ctx context.Context, tx *sql.Tx, id int64) (a stand, err error) {
	err = tx.QueryRowContext(ctx, `SELECT state IN ('retracting', 'retracted'), rev, sender, ends_at, late_joiners
		FROM announcements JOIN notices ON id = notice_id WHERE notice_id = $1`, id).
		Scan(&a.retracted, &a.rev, &a.sender, &a.ends, &a.late)
	return a, err
}
