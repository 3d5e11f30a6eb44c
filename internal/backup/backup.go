// Package backup copies an instance that runs on SQLite to one file, and restores it: the database as of
// one instant, with the session keys of the data directory, which seal secrets in it. Redis needs no
// copy, because it is restored from SQL.
package backup

import (
	"context"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"time"

	"github.com/carillonhq/carillon/internal/config"
	"github.com/carillonhq/carillon/store"
)

// The names of the texts that a backup contains besides the database.
const (
	keptKeys    = "session.keys"
	keptTime    = "made_at"
	keptVersion = "version"
)

var (
	errDumpPostgres    = errors.New("the database is PostgreSQL: back it up with pg_dump, and keep a copy of the session keys")
	errRestorePostgres = errors.New("the database is PostgreSQL: restore it with pg_restore into an empty database, and give Carillon a --redis-prefix that was not used before")
)

// Config selects what to back up or to replace.
type Config struct {
	Settings config.Config
	Version  string                // of this program
	Progress func(done, total int) // pages of 4 KB
	Now      func() time.Time
}

// Made is a completed backup.
type Made struct {
	File      string    `json:"file"`
	Bytes     int64     `json:"bytes"`
	MadeAt    time.Time `json:"made_at"`
	KeysApart bool      `json:"session_keys_apart"` // the session keys are in the configuration instead of the file
}

// Make writes a backup to a new file, while servers and commands run.
func Make(ctx context.Context, c Config, file string) (Made, error) {
	if c.Settings.Database.URL != "" {
		return Made{}, errDumpPostgres
	}
	m := Made{File: file, MadeAt: c.Now().UTC().Truncate(time.Second), KeysApart: len(c.Settings.SessionKeys) > 0}
	kept := map[string]string{keptTime: m.MadeAt.Format(time.RFC3339), keptVersion: c.Version}
	if !m.KeysApart {
		keys, err := os.ReadFile(config.KeyFile(c.Settings.DataDir))
		if err != nil && !errors.Is(err, fs.ErrNotExist) {
			return Made{}, fmt.Errorf("read the session keys: %w", err)
		}
		kept[keptKeys] = string(keys)
	}
	if err := store.Backup(ctx, c.Settings.DataDir, file, kept, c.Progress); err != nil {
		return Made{}, err
	}
	info, err := os.Stat(file)
	if err != nil {
		return Made{}, fmt.Errorf("measure the backup: %w", err)
	}
	m.Bytes = info.Size()
	return m, nil
}
