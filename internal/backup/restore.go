package backup

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"

	"github.com/carillonhq/carillon/internal/config"
	"github.com/carillonhq/carillon/internal/embedded"
	"github.com/carillonhq/carillon/store"
)

// Restored is a restored instance.
type Restored struct {
	Users   int64  `json:"users"`
	Notices int64  `json:"notices"`
	MadeAt  string `json:"made_at,omitempty"` // empty: unknown, because the file was made by another program
	Version string `json:"version,omitempty"` // of the Carillon that made the file
	Keys    Keys   `json:"session_keys"`
}

// Keys is the origin of the session keys of a restored instance.
type Keys string

// The origins of session keys.
const (
	KeysOfBackup Keys = "backup"
	KeysOfConfig Keys = "configuration"
	KeysMissing  Keys = "missing" // the file has none: sessions end, and sealed secrets of applications cannot be read
)

// Restore replaces the database of the configuration with a backup. No server may run. Unless forced, it
// refuses to replace a database with users or notices, or a Redis with data of Carillon. The built-in Redis
// starts empty, and the server restores it from SQL at its next start.
func Restore(ctx context.Context, c Config, file string, force bool) (_ Restored, err error) {
	if c.Settings.Database.URL != "" {
		return Restored{}, errRestorePostgres
	}
	dir := c.Settings.DataDir
	file, end, err := asOwner(dir, file)
	if err != nil {
		return Restored{}, err
	}
	defer func() { err = errors.Join(err, end()) }()
	lock, err := embedded.LockDir(dir)
	if err != nil {
		return Restored{}, err
	}
	defer func() { err = errors.Join(err, lock.Close()) }()
	if !force {
		blank, err := store.Blank(ctx, dir)
		if err != nil {
			return Restored{}, fmt.Errorf("check the database: %w", err)
		}
		if !blank {
			return Restored{}, fmt.Errorf("%s has a database with users or notices: back it up first, then replace it with --force", dir)
		}
	}
	cache, err := openCache(ctx, c.Settings, force)
	if err != nil {
		return Restored{}, err
	}
	defer func() { err = errors.Join(err, cache.close()) }()
	r, err := store.PrepareRestore(ctx, file, dir, c.Progress)
	if err != nil {
		return Restored{}, err
	}
	defer func() { err = errors.Join(err, r.Discard()) }() // does nothing after Commit
	if err := r.Commit(ctx, func() error { return cache.empty(ctx) }); err != nil {
		return Restored{}, fmt.Errorf("replace the database: %w", err)
	}
	done := Restored{Users: r.Users, Notices: r.Notices, MadeAt: r.Kept[keptTime], Version: r.Kept[keptVersion]}
	if done.Keys, err = restoreKeys(c.Settings, r.Kept[keptKeys]); err != nil {
		return done, err
	}
	return done, nil
}

// restoreKeys writes the session keys of a backup, unless others are configured.
func restoreKeys(settings config.Config, keys string) (Keys, error) {
	switch {
	case len(settings.SessionKeys) > 0:
		return KeysOfConfig, nil
	case keys == "":
		return KeysMissing, nil
	}
	file := config.KeyFile(settings.DataDir)
	next := file + ".new"
	err := os.Remove(next) // the rest of an interrupted one
	if err == nil || errors.Is(err, fs.ErrNotExist) {
		err = writeNew(next, keys)
	}
	if err == nil {
		err = os.Rename(next, file)
	}
	if err != nil {
		return "", fmt.Errorf("write the session keys: %w", err)
	}
	return KeysOfBackup, nil
}

// writeNew writes a file that must not exist, not even as a link.
func writeNew(name, text string) error {
	f, err := os.OpenFile(name, os.O_WRONLY|os.O_CREATE|os.O_EXCL, 0o600)
	if err != nil {
		return err
	}
	_, err = f.WriteString(text)
	return errors.Join(err, f.Close())
}

// Of returns when and by which version a backup was made.
func (r Restored) Of() string {
	return fmt.Sprintf("made %s by carillon %s", cmp.Or(r.MadeAt, "at an unknown time"), cmp.Or(r.Version, "of an unknown version"))
}

// builtIn is the Redis of the data directory, not used by a running server.
type builtIn struct{ dir string }

func (b builtIn) empty(context.Context) error { return os.RemoveAll(filepath.Join(b.dir, "redis")) }

func (builtIn) close() error { return nil }
