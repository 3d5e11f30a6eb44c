package store

import (
	"context"
	"database/sql"
	"errors"
	"time"

	"github.com/carillonhq/carillon/notifier"
)

const (
	// unsent is the condition that a draft was not sent: the transaction that accepts a notice also
	// claims the token of its form, which hides the draft.
	unsent = `NOT EXISTS (SELECT 1 FROM idempotency_keys WHERE owner_kind = 'user'
	AND owner_id = CAST(drafts.seq AS TEXT) AND key = drafts.id)`

	// present is the condition that a row is a usable draft or template.
	present = `deleted_at = 0 AND (name <> '' OR ` + unsent + `)`

	// usable is the condition that user $1 may use the draft or template $2.
	usable = `id = $2 AND (seq = $1 OR name <> '')`
)

// SaveDraft saves a draft, replacing its previous state. It returns notifier.ErrConflict if the
// draft was already sent, a *notifier.InvalidError if the author already has
// notifier.MaxSavedDrafts, and notifier.ErrNotFound for an unknown author.
func (s *Store) SaveDraft(ctx context.Context, d notifier.SavedDraft) error {
	err := s.tx(ctx, func(tx *sql.Tx) error {
		if err := draftFits(ctx, tx, d.Author, d.ID); err != nil {
			return err
		}
		done, err := tx.ExecContext(ctx, `INSERT INTO drafts (seq, id, title, form, changed_at) VALUES ($1, $2, $3, $4, $5)
			ON CONFLICT (seq, id) DO UPDATE SET title = excluded.title, form = excluded.form, changed_at = excluded.changed_at, deleted_at = 0
			WHERE drafts.name = ''`,
			d.Author, d.ID, text(d.Title), text(d.Form), millis(s.now()))
		if err != nil {
			return err
		}
		if n, err := done.RowsAffected(); err != nil || n == 0 {
			return errors.Join(err, notifier.ErrConflict)
		}
		return nil
	})
	return s.fail(err, "save a draft of user %d", d.Author)
}

// draftFits returns a *notifier.InvalidError if the author has reached the limit, and
// notifier.ErrConflict if the draft was sent. It locks the author, so that the number of drafts
// stays the same until the end of the transaction.
func draftFits(ctx context.Context, tx *sql.Tx, author int64, id string) error {
	// Lock the author's row, so that two concurrent calls do not count the same number.
	var others, sent int
	if err := tx.QueryRowContext(ctx, `UPDATE users SET seq = seq WHERE seq = $1 RETURNING seq`, author).Scan(&author); err != nil {
		return err
	}
	err := tx.QueryRowContext(ctx, `SELECT (SELECT COUNT(*) FROM drafts WHERE seq = $1 AND id <> $2 AND name = '' AND `+present+`),
		(SELECT COUNT(*) FROM idempotency_keys WHERE owner_kind = 'user' AND owner_id = CAST($1 AS TEXT) AND key = $2)`,
		author, id).Scan(&others, &sent)
	switch {
	case err != nil:
		return err
	case sent > 0:
		return notifier.ErrConflict
	case others >= notifier.MaxSavedDrafts:
		return tooMany("draft", notifier.CodeTooManyDrafts, notifier.MaxSavedDrafts)
	}
	return nil
}

// SavedDrafts lists the drafts of an author without their forms, last changed first.
func (s *Store) SavedDrafts(ctx context.Context, author int64) ([]notifier.SavedDraft, error) {
	drafts, err := s.listDrafts(ctx, `seq = $1 AND name = '' AND `+present+` ORDER BY changed_at DESC, id`, author)
	return drafts, s.fail(err, "list the drafts of user %d", author)
}

// listDrafts lists rows without their forms.
func (s *Store) listDrafts(ctx context.Context, condition string, args ...any) (drafts []notifier.SavedDraft, err error) {
	err = s.all(ctx, func(rows *sql.Rows) error {
		var d notifier.SavedDraft
		var changed int64
		err := rows.Scan(&d.Author, &d.ID, &d.Name, &d.Title, &changed)
		d.ChangedAt = fromMillis(changed)
		drafts = append(drafts, d)
		return err
	}, `SELECT seq, id, name, title, changed_at FROM drafts WHERE `+condition, args...)
	return drafts, err
}

// SavedDraft returns a draft of a user or a template, or notifier.ErrNotFound.
func (s *Store) SavedDraft(ctx context.Context, user int64, id string) (d notifier.SavedDraft, err error) {
	var changed int64
	err = s.read.QueryRowContext(ctx, `SELECT seq, id, name, title, form, changed_at FROM drafts WHERE `+usable+` AND `+present,
		user, text(id)).Scan(&d.Author, &d.ID, &d.Name, &d.Title, &d.Form, &changed)
	d.ChangedAt = fromMillis(changed)
	return d, s.fail(err, "read a draft of user %d", user)
}

// DeleteDraft deletes a draft of a user or a template, or returns notifier.ErrNotFound. RestoreDraft
// undoes it.
func (s *Store) DeleteDraft(ctx context.Context, user int64, id string) error {
	err := s.tx(ctx, func(tx *sql.Tx) error {
		var author int64
		err := tx.QueryRowContext(ctx, `UPDATE drafts SET deleted_at = $3 WHERE `+usable+` AND `+present+` RETURNING seq`,
			user, text(id), millis(s.now())).Scan(&author)
		if err != nil {
			return err
		}
		// An author has at most as many deleted drafts as drafts.
		_, err = tx.ExecContext(ctx, `DELETE FROM drafts WHERE seq = $1 AND deleted_at > 0 AND id NOT IN
			(SELECT id FROM drafts WHERE seq = $1 AND deleted_at > 0 ORDER BY deleted_at DESC, id LIMIT $2)`, author, notifier.MaxSavedDrafts)
		return err
	})
	return s.fail(err, "delete a draft of user %d", user)
}

// RestoreDraft undoes DeleteDraft. It returns notifier.ErrNotFound if that is no longer possible or
// already undone, and otherwise the errors of SaveDraft and SaveTemplate.
func (s *Store) RestoreDraft(ctx context.Context, user int64, id string) error {
	err := s.tx(ctx, func(tx *sql.Tx) error {
		var name string
		err := tx.QueryRowContext(ctx, `SELECT name FROM drafts WHERE `+usable+` AND deleted_at > 0`, user, text(id)).Scan(&name)
		switch {
		case err != nil:
			return err
		case name != "":
			err = templateFits(ctx, tx, name)
		default:
			err = draftFits(ctx, tx, user, id)
		}
		if err != nil {
			return err
		}
		_, err = tx.ExecContext(ctx, `UPDATE drafts SET deleted_at = 0 WHERE `+usable+` AND deleted_at > 0`, user, text(id))
		return err
	})
	return s.fail(err, "restore a draft of user %d", user)
}

// TrimDrafts deletes drafts last changed before then, sent drafts, and drafts whose deletion can no
// longer be undone. Call it before ForgetKeys, which deletes the record that drafts were
// sent.
func (s *Store) TrimDrafts(ctx context.Context, before time.Time) (int64, error) {
	n, err := s.exec(ctx, `DELETE FROM drafts WHERE name = '' AND (changed_at < $1 OR NOT `+unsent+`) OR deleted_at > 0 AND deleted_at < $2`,
		millis(before), millis(s.now().Add(-notifier.KeepDeletedDrafts)))
	return n, s.fail(err, "delete the drafts from before %s", before.Format(time.RFC3339))
}
