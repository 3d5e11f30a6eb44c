package store

import (
	"context"
	"database/sql"
	"errors"
	"fmt"
	"io"

	"github.com/carillonhq/carillon/notifier"
)

const importBatch = 2000

// ImportError names the line that stopped an import.
type ImportError struct {
	Line int
	Err  error
}

func (e *ImportError) Error() string { return fmt.Sprintf("line %d: %v", e.Line, e.Err) }

// Unwrap returns what is wrong with the line.
func (e *ImportError) Unwrap() error { return e.Err }

// ErrTwice says that an import names one user twice.
var ErrTwice = errors.New("the name stands twice in the file")

// ImportUsers adds the users that next returns until io.EOF, all or none of
// them, in one transaction: other writers of users wait for its end. Roles that
// do not exist are made. It answers how many were added, or an *ImportError
// with the first bad line: its Err is next's own, a *notifier.InvalidError, a
// notifier.ErrConflict (the name exists), ErrTwice or notifier.ErrFull. progress may be
// nil; it hears how many users are in so far, and total at the end is for it
// to know.
func (s *Store) ImportUsers(
	ctx context.Context, total int, next func() (u NewUser, line int, err error), progress func(done int),
) (int, error) {
	if progress == nil {
		progress = func(int) {}
	}
	in := importer{store: s, next: next, roles: roleIDs{}}
	in.rows = make([]userRow, 0, min(importBatch, max(total, 1)))
	err := s.tx(ctx, func(tx *sql.Tx) error {
		for more := true; more; {
			var err error
			if more, err = in.fill(); err != nil {
				return err
			}
			if err = in.flush(ctx, tx); err != nil {
				return err
			}
			progress(in.done)
		}
		return nil
	})
	if err != nil {
		return 0, s.fail(err, "import users")
	}
	return in.done, nil
}

// importer is one run of ImportUsers: a batch is filled, then flushed.
type importer struct {
	store *Store
	next  func() (NewUser, int, error)
	roles roleIDs
	rows  []userRow
	lines []int
	first int64 // the number of the first user of this import
	done  int
}

// fill reads a batch. more is false at the end of the file.
func (in *importer) fill() (more bool, err error) {
	in.rows, in.lines = in.rows[:0], in.lines[:0]
	created := millis(in.store.now())
	for len(in.rows) < importBatch {
		u, line, err := in.next()
		if errors.Is(err, io.EOF) {
			return false, nil
		}
		if err == nil {
			err = u.check()
		}
		if err != nil {
			return false, &ImportError{line, err}
		}
		in.rows = append(in.rows, userRow{NewUser: u, fold: fold(u.Name), created: created})
		in.lines = append(in.lines, line)
	}
	return true, nil
}

// flush inserts the batch.
func (in *importer) flush(ctx context.Context, tx *sql.Tx) error {
	if len(in.rows) == 0 {
		return nil
	}
	taken, err := in.store.addUsers(ctx, tx, in.rows, in.roles)
	if in.first == 0 {
		in.first = in.rows[0].seq
	}
	switch {
	case errors.Is(err, notifier.ErrFull):
		return &ImportError{in.lines[in.left(ctx, tx)], err}
	case err != nil:
		return err
	case taken >= 0:
		return &ImportError{in.lines[taken], in.whoHas(ctx, tx, in.rows[taken].Name)}
	}
	in.done += len(in.rows)
	return nil
}

// left is how many rows of the batch still had a number: the index of the first
// that had none.
func (in *importer) left(ctx context.Context, tx *sql.Tx) int {
	var last int64
	if err := tx.QueryRowContext(ctx, `SELECT value FROM sequences WHERE name = 'user'`).Scan(&last); err != nil {
		return 0
	}
	over := int(last - in.store.maxSeq)
	return max(0, len(in.rows)-over)
}

// whoHas says whether a taken name is this import's own or was there before.
func (in *importer) whoHas(ctx context.Context, tx *sql.Tx, name string) error {
	seq, err := lookUp(ctx, tx, `SELECT seq FROM users WHERE name = $1`, name)
	switch {
	case err != nil:
		return err
	case seq >= in.first:
		return fmt.Errorf("user %q: %w", name, ErrTwice)
	}
	return fmt.Errorf("user %q exists already: %w", name, notifier.ErrConflict)
}
