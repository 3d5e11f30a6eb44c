package store

import (
	"context"
	"embed"
	"fmt"
	"io/fs"

	"github.com/pressly/goose/v3"
)

//go:embed migrations
var migrations embed.FS

// Migrate brings the schema up to date and returns the number of migrations applied. Open does so
// too; a second call applies none.
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
