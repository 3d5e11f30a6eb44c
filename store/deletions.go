package store

import (
	"context"
	"database/sql"
	"errors"
	"fmt"

	"github.com/carillonhq/carillon/notifier"
)

// BeginDeletion deletes a user's account with its roles, settings, muted types, subscriptions, sessions and inbox,
// and records that the rest must be deleted. From then on the user cannot be found, reached or signed in, and their
// name cannot be reused. begun is false if the deletion began earlier. It returns notifier.ErrNotFound for an unknown
// name.
//
// SQL keeps the user's number: see DeletedSince.
func (s *Store) BeginDeletion(ctx context.Context, name string) (d notifier.Deletion, begun bool, err error) {
	err = s.tx(ctx, func(tx *sql.Tx) error {
		d = notifier.Deletion{Name: name, StartedAt: s.now()}
		// Lock the row, so that one of two concurrent deletions comes first.
		err := tx.QueryRowContext(ctx, `UPDATE users SET password_hash = '' WHERE name = $1 RETURNING seq, audience`, valid(name)).Scan(&d.Seq, &d.Audience)
		if errors.Is(err, sql.ErrNoRows) {
			begun = false
			d, err = scanDeletion(tx.QueryRowContext(ctx, deletionQuery+` WHERE name = $1`, valid(name)))
			return err
		}
		if err != nil {
			return err
		}
		if err := s.removeUser(ctx, tx, d.Seq); err != nil {
			return err
		}
		if err := s.former(ctx, tx, d.Name); err != nil {
			return err
		}
		begun = true
		if err := s.emit(ctx, tx, fact{notifier.EventUserDeleted, d.Seq, notifier.HookUser{User: d.Name}}); err != nil {
			return err
		}
		_, err = tx.ExecContext(ctx, `INSERT INTO deletions (seq, name, audience, started_at) VALUES ($1, $2, $3, $4)`,
			d.Seq, d.Name, int64(d.Audience), millis(d.StartedAt))
		return err
	})
	if err != nil {
		return notifier.Deletion{}, false, s.fail(err, "begin the deletion of a user") // this error is logged, so it leaves out the name
	}
	return d, begun, nil
}

const deletionQuery = `SELECT seq, name, audience, started_at FROM deletions`

func scanDeletion(row interface{ Scan(...any) error }) (d notifier.Deletion, err error) {
	var started int64
	err = row.Scan(&d.Seq, &d.Name, &d.Audience, &started)
	d.StartedAt = fromMillis(started)
	return d, err
}

// Deletions returns the deletions in progress, oldest first.
func (s *Store) Deletions(ctx context.Context, limit int) (all []notifier.Deletion, err error) {
	err = s.all(ctx, func(rows *sql.Rows) error {
		d, err := scanDeletion(rows)
		all = append(all, d)
		return err
	}, deletionQuery+` ORDER BY started_at, seq LIMIT $1`, pageSize(limit))
	return all, s.fail(err, "list the deletions under way")
}

// EndDeletion records that a deletion is complete. The name can be reused from then on.
func (s *Store) EndDeletion(ctx context.Context, seq int64) error {
	_, err := s.exec(ctx, `DELETE FROM deletions WHERE seq = $1`, seq)
	return s.fail(err, "end the deletion of user %d", seq)
}

// leaving returns the index of the first row whose name belongs to a user being deleted, or -1.
// Call it after inserting the rows: the transaction that removes a name also records its
// deletion.
func leaving(ctx context.Context, tx *sql.Tx, rows []userRow) (at int, err error) {
	names := map[string]bool{}
	found, err := tx.QueryContext(ctx, `SELECT name FROM deletions`)
	err = each(found, err, func(found *sql.Rows) error {
		var name string
		err := found.Scan(&name)
		names[name] = true
		return err
	})
	if err != nil || len(names) == 0 {
		return -1, err
	}
	for i := range rows {
		if names[rows[i].Name] {
			return i, fmt.Errorf("user %q: %w", rows[i].Name, notifier.ErrLeaving)
		}
	}
	return -1, nil
}
