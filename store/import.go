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

// ImportError contains the line that stopped an import.
type ImportError struct {
	Line int
	Err  error
}

func (e *ImportError) Error() string { return fmt.Sprintf("line %d: %v", e.Line, e.Err) }

// Unwrap returns the fault of the line.
func (e *ImportError) Unwrap() error { return e.Err }

// ErrTwice means that an import names the same user twice.
var ErrTwice = errors.New("the name appears twice in the file")

// ImportUsers adds the users returned by next until io.EOF, either all of them or none, in one
// transaction; other writers of users wait until it ends. It creates missing roles. It returns the
// number of users added, or an *ImportError for the first bad line; its Err is next's own
// error, a *notifier.InvalidError, notifier.ErrConflict (the name exists), ErrTwice or
// notifier.ErrFull. total is the expected number of users, for allocation only. progress may be
// nil; it is called with the number of users inserted so far.
func (s *Store) ImportUsers(
	ctx context.Context, total int, next func() (u notifier.NewUser, line int, err error), progress func(done int),
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

// importer is one run of ImportUsers: it fills a batch, then flushes it.
type importer struct {
	store *Store
	next  func() (notifier.NewUser, int, error)
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
			err = checkNewUser(&u)
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
	case err != nil && taken >= 0:
		return &ImportError{in.lines[taken], err}
	case err != nil:
		return err
	case taken >= 0:
		return &ImportError{in.lines[taken], in.nameTaken(ctx, tx, in.rows[taken].Name)}
	}
	in.done += len(in.rows)
	return nil
}

// left returns how many rows of the batch can still get a number: the index of the first row without
// one.
func (in *importer) left(ctx context.Context, tx *sql.Tx) int {
	var last int64
	if err := tx.QueryRowContext(ctx, `SELECT value FROM sequences WHERE name = 'user'`).Scan(&last); err != nil {
		return 0
	}
	over := int(last - in.store.maxSeq)
	return max(0, len(in.rows)-over)
}

// nameTaken returns ErrTwice if this import added the name, else ErrConflict.
func (in *importer) nameTaken(ctx context.Context, tx *sql.Tx, name string) error {
	seq, err := lookUp(ctx, tx, `SELECT seq FROM users WHERE name = $1`, name)
	switch {
	case err != nil:
		return err
	case seq >= in.first:
		return fmt.Errorf("user %q: %w", name, ErrTwice)
	}
	return fmt.Errorf("user %q already exists: %w", name, notifier.ErrConflict)
}
