package store

import (
	"context"
	"database/sql"
	"time"

	"github.com/carillonhq/carillon/notifier"
)

// unsent is the condition that a draft was not sent: the transaction that accepts a notice claims
// the token of its form, so the draft disappears in the same moment.
const unsent = `NOT EXISTS (SELECT 1 FROM idempotency_keys WHERE owner_kind = 'user'
	AND owner_id = CAST(drafts.seq AS TEXT) AND key = drafts.id)`

// SaveDraft saves a draft in place of the last state of the same one. It returns
// notifier.ErrConflict if the draft was sent already, a *notifier.InvalidError for one draft more
// than notifier.MaxSavedDrafts, and notifier.ErrNotFound for an unknown author.
func (s *Store) SaveDraft(ctx context.Context, d notifier.SavedDraft) error {
	err := s.tx(ctx, func(tx *sql.Tx) error {
		// Lock the author's row, so that two concurrent calls do not count the same number.
		var others, sent int
		if err := tx.QueryRowContext(ctx, `UPDATE users SET seq = seq WHERE seq = $1 RETURNING seq`, d.Author).Scan(&d.Author); err != nil {
			return err
		}
		err := tx.QueryRowContext(ctx, `SELECT (SELECT COUNT(*) FROM drafts WHERE seq = $1 AND id <> $2 AND `+unsent+`),
			(SELECT COUNT(*) FROM idempotency_keys WHERE owner_kind = 'user' AND owner_id = CAST($1 AS TEXT) AND key = $2)`,
			d.Author, d.ID).Scan(&others, &sent)
		switch {
		case err != nil:
			return err
		case sent > 0:
			return notifier.ErrConflict
		case others >= notifier.MaxSavedDrafts:
			var bad notifier.InvalidError
			bad.Add("draft", notifier.CodeTooManyDrafts, map[string]any{"Max": notifier.MaxSavedDrafts})
			return &bad
		}
		_, err = tx.ExecContext(ctx, `INSERT INTO drafts (seq, id, title, form, changed_at) VALUES ($1, $2, $3, $4, $5)
			ON CONFLICT (seq, id) DO UPDATE SET title = excluded.title, form = excluded.form, changed_at = excluded.changed_at`,
			d.Author, d.ID, text(d.Title), text(d.Form), millis(s.now()))
		return err
	})
	return s.fail(err, "save a draft of user %d", d.Author)
}

// SavedDrafts lists the drafts of an author without their forms, those changed last first.
func (s *Store) SavedDrafts(ctx context.Context, author int64) ([]notifier.SavedDraft, error) {
	var drafts []notifier.SavedDraft
	err := s.all(ctx, func(rows *sql.Rows) error {
		d := notifier.SavedDraft{Author: author}
		var changed int64
		err := rows.Scan(&d.ID, &d.Title, &changed)
		d.ChangedAt = fromMillis(changed)
		drafts = append(drafts, d)
		return err
	}, `SELECT id, title, changed_at FROM drafts WHERE seq = $1 AND `+unsent+` ORDER BY changed_at DESC, id`, author)
	return drafts, s.fail(err, "list the drafts of user %d", author)
}

// SavedDraft returns a draft of an author, or notifier.ErrNotFound if they have no such draft.
func (s *Store) SavedDraft(ctx context.Context, author int64, id string) (notifier.SavedDraft, error) {
	d := notifier.SavedDraft{Author: author, ID: id}
	var changed int64
	err := s.read.QueryRowContext(ctx, `SELECT title, form, changed_at FROM drafts WHERE seq = $1 AND id = $2 AND `+unsent,
		author, text(id)).Scan(&d.Title, &d.Form, &changed)
	d.ChangedAt = fromMillis(changed)
	return d, s.fail(err, "read a draft of user %d", author)
}

// DeleteDraft deletes a draft of an author, or returns notifier.ErrNotFound if they have no such
// draft.
func (s *Store) DeleteDraft(ctx context.Context, author int64, id string) error {
	n, err := s.exec(ctx, `DELETE FROM drafts WHERE seq = $1 AND id = $2 AND `+unsent, author, text(id))
	if err == nil && n == 0 {
		err = notifier.ErrNotFound
	}
	return s.fail(err, "delete a draft of user %d", author)
}

// TrimDrafts deletes the drafts that were last changed before then, and those that were sent. It
// has to run before ForgetKeys, which forgets that they were sent.
func (s *Store) TrimDrafts(ctx context.Context, before time.Time) (int64, error) {
	n, err := s.exec(ctx, `DELETE FROM drafts WHERE changed_at < $1 OR NOT `+unsent, millis(before))
	return n, s.fail(err, "delete the drafts from before %s", before.Format(time.RFC3339))
}
