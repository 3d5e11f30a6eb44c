package store

import (
	"context"
	"database/sql"

	"github.com/carillonhq/carillon/notifier"
)

// SaveTemplate saves a draft with a name, replacing a template of the same name. It returns a
// *notifier.InvalidError if there are already notifier.MaxTemplates.
func (s *Store) SaveTemplate(ctx context.Context, d notifier.SavedDraft) error {
	err := s.tx(ctx, func(tx *sql.Tx) error {
		if err := templateFits(ctx, tx, d.Name); err != nil {
			return err
		}
		_, err := tx.ExecContext(ctx, `INSERT INTO drafts (seq, id, name, title, form, changed_at) VALUES ($1, $2, $3, $4, $5, $6)
			ON CONFLICT (name) WHERE name <> '' AND deleted_at = 0
			DO UPDATE SET seq = excluded.seq, title = excluded.title, form = excluded.form, changed_at = excluded.changed_at`,
			d.Author, d.ID, d.Name, text(d.Title), text(d.Form), millis(s.now()))
		return err
	})
	return s.fail(err, "save a template of user %d", d.Author)
}

// templateFits returns a *notifier.InvalidError if there is no room for a template of that name.
func templateFits(ctx context.Context, tx *sql.Tx, name string) error {
	var others int
	err := tx.QueryRowContext(ctx, `SELECT COUNT(*) FROM drafts WHERE name <> '' AND name <> $1 AND deleted_at = 0`, name).Scan(&others)
	if err == nil && others >= notifier.MaxTemplates {
		return tooMany("template_name", notifier.CodeTooManyTemplates, notifier.MaxTemplates)
	}
	return err
}

// handOverTemplates makes another member of staff the author of a user's templates, which belong to all
// staff. Without another member they keep their author, and are deleted with the account.
func handOverTemplates(ctx context.Context, tx *sql.Tx, from int64) error {
	_, err := tx.ExecContext(ctx, `UPDATE drafts SET seq = s.seq FROM (SELECT m.seq FROM role_members m JOIN roles r ON r.id = m.role_id
		WHERE r.name = $2 AND m.seq <> $1 ORDER BY m.seq LIMIT 1) s WHERE drafts.seq = $1 AND name <> '' AND deleted_at = 0`, from, notifier.RoleStaff)
	return err
}

func tooMany(field, code string, most int) error {
	var bad notifier.InvalidError
	bad.Add(field, code, map[string]any{"Max": most})
	return &bad
}

// Templates lists the templates of all authors by name, without their forms.
func (s *Store) Templates(ctx context.Context) ([]notifier.SavedDraft, error) {
	templates, err := s.listDrafts(ctx, `name <> '' AND deleted_at = 0 ORDER BY name`)
	return templates, s.fail(err, "list the templates")
}
