package doctor

import (
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"

	"github.com/carillonhq/carillon/internal/config"
)

// keys examines the session keys, and the permissions of files that contain secrets.
func (e *examination) keys(cfg *config.Config) {
	e.sessionKeys(cfg)
	for _, name := range []string{"", "session.keys", "redis.url"} {
		e.mode(filepath.Join(cfg.DataDir, name))
	}
}

func (e *examination) sessionKeys(cfg *config.Config) {
	if n := len(cfg.SessionKeys); n > 0 {
		e.ok("keys", "%s of %d bytes, from the configuration", plural(n, "session key"), config.KeyBytes)
		return
	}
	if _, err := os.Stat(config.KeyFile(cfg.DataDir)); errors.Is(err, fs.ErrNotExist) {
		e.note("keys", "no session key yet", "the first start of a server makes one")
		return
	}
	keys, err := cfg.SigningKeys()
	switch {
	case err != nil:
		e.fail("keys", err.Error(), "put 64 hex digits into it, or delete it to have a new key made: then all users must sign in again")
	case !cfg.Redis.BuiltIn() && cfg.Database.URL != "":
		e.note("keys", plural(len(keys), "session key")+" in the data directory", "several instances need the same: give all of them --session-keys")
	default:
		e.ok("keys", "%s of %d bytes, in the data directory", plural(len(keys), "session key"), config.KeyBytes)
	}
}

// mode checks that other users of this machine cannot read a file.
func (e *examination) mode(path string) {
	info, err := os.Stat(path)
	switch {
	case errors.Is(err, fs.ErrNotExist):
		return
	case err != nil:
		e.fail("files", err.Error(), "run this as the user that runs the server")
		return
	}
	want := fs.FileMode(0o600)
	if info.IsDir() {
		want = 0o700
	}
	if mode := info.Mode().Perm(); mode&0o077 != 0 {
		e.fail("files", fmt.Sprintf("%s has mode %04o", path, mode), fmt.Sprintf("chmod %04o %s", want, path))
		return
	}
	e.ok("files", "%s is readable by its owner only", path)
}
