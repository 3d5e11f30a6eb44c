package store

import (
	"context"
	"fmt"
	"io/fs"
	"path"
	"strconv"
	"strings"

	"github.com/pressly/goose/v3"

	"github.com/carillonhq/carillon/notifier"
)

// oldestBeside is the newest migration that a program must know at least to run on this schema. Two
// releases in a row run beside each other, so it may rise only to a migration that the release before
// the last one had. Migrations above it are additive: TestNewMigrationsAreAdditive.
const oldestBeside = 42

// newestMigration is the newest migration that this program knows.
var newestMigration = newestOf(migrations)

func newestOf(files fs.FS) int64 {
	found, err := fs.Glob(files, "migrations/sqlite/*.sql")
	if err != nil || len(found) == 0 {
		return 0
	}
	number, _, _ := strings.Cut(path.Base(found[len(found)-1]), "_")
	n, _ := strconv.ParseInt(number, 10, 64)
	return n
}

// Ping returns nil if the database answers and its schema fits this program. Else the error is an
// ErrUnavailable; a *notifier.UnfitError if the schema does not fit.
func (s *Store) Ping(ctx context.Context) error {
	e, err := s.schemaRow(ctx)
	if err == nil {
		err = s.fits(e)
	} else if s.dialect.fault(err) == faultSchema {
		err = &notifier.UnfitError{Program: s.program, Knows: newestMigration}
	}
	return s.fail(err, "ping the database")
}

// schemaRow reads which programs may run on the schema.
func (s *Store) schemaRow(ctx context.Context) (notifier.UnfitError, error) {
	e := notifier.UnfitError{Program: s.program, Knows: newestMigration}
	err := s.read.QueryRowContext(ctx, `SELECT version, oldest, program FROM schema_version`).Scan(&e.Schema, &e.Needs, &e.Made)
	return e, err
}

// fits returns an error if this program may not run on the schema.
func (s *Store) fits(e notifier.UnfitError) error {
	if e.Schema < e.Knows || e.Knows < e.Needs {
		return &e
	}
	return nil
}

// admitted returns whether the schema is newer than this program, and an error if the program may not
// run on it. A schema from before the table is older.
func (s *Store) admitted(ctx context.Context, provider *goose.Provider) (newer bool, err error) {
	version, err := provider.GetDBVersion(ctx)
	if err != nil || version <= newestMigration {
		return false, err
	}
	e, err := s.schemaRow(ctx)
	if err != nil {
		if s.dialect.fault(err) != faultSchema {
			return false, err
		}
		e.Needs = version // not one of ours: only a program that knows it can say
	}
	e.Schema = version
	return true, s.fits(e)
}

// admit notes which programs may run on the schema from now on. Without a change it only reads, because another
// process may be writing.
func (s *Store) admit(ctx context.Context) error {
	if e, err := s.schemaRow(ctx); err != nil || e.Schema >= newestMigration {
		return err
	}
	_, err := s.exec(ctx, `UPDATE schema_version SET version = $1, oldest = $2, program = $3 WHERE version < $1`,
		newestMigration, oldestBeside, s.program)
	if err != nil {
		return fmt.Errorf("note the version of the schema: %w", err)
	}
	return nil
}
