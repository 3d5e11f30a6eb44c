package store

import (
	"context"
	"embed"
	"fmt"
	"io/fs"
	"path"
	"strconv"
	"strings"

	"github.com/pressly/goose/v3"

	"github.com/carillonhq/carillon/notifier"
)

//go:embed migrations
var migrations embed.FS

// Migrate updates the schema and returns the number of migrations applied. Open does the same; a
// second call applies none.
func (s *Store) Migrate(ctx context.Context) (applied int, err error) {
	release, err := s.dialect.lock(ctx)
	if err != nil {
		return 0, s.fail(err, "lock the schema")
	}
	defer release()
	dialect, dir := s.dialect.schema()
	files, err := fs.Sub(migrations, "migrations/"+dir)
	if err != nil {
		return 0, err
	}
	provider, err := goose.NewProvider(dialect, s.write.DB, files, goose.WithDisableGlobalRegistry(true))
	if err != nil {
		return 0, fmt.Errorf("read the migrations: %w", err)
	}
	newer := false
	err = s.patiently(ctx, func() error {
		newer, err = s.admitted(ctx, provider)
		if err != nil || newer {
			return err
		}
		done, err := provider.Up(ctx)
		applied += len(done)
		return err
	})
	if err == nil && !newer {
		err = s.admit(ctx)
	}
	return applied, s.fail(err, "migrate the schema")
}

// oldestBeside is the newest migration that a program must contain to run on this schema. Two
// consecutive releases must run side by side, so it may rise only to a migration that was already
// in the release before the previous one. Later migrations are additive: TestNewMigrationsAreAdditive.
const oldestBeside = 42

// newestMigration is the newest migration in this program.
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

// Ping returns nil if the database responds and its schema fits this program. Otherwise the error is an
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

// admitted reports whether the schema is newer than this program, and returns an error if the program may not
// run on it. A schema without the table is older.
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
		e.Needs = version // not our version: only a program that contains it has the lower limit
	}
	e.Schema = version
	return true, s.fits(e)
}

// admit records which programs may run on the schema from now on. Without a change it only reads, because another
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
