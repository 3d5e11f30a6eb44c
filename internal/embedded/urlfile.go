package embedded

import (
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"strings"
)

// URL returns the address of the Redis of the server that runs on this data directory. It is empty
// if no server runs. If a server was killed, the Redis at the address may be gone.
func URL(dir string) (string, error) {
	text, err := os.ReadFile(urlFile(dir))
	if errors.Is(err, fs.ErrNotExist) {
		return "", nil
	}
	if err != nil {
		return "", fmt.Errorf("find the built-in redis: %w", err)
	}
	return strings.TrimSpace(string(text)), nil
}

func urlFile(dir string) string { return filepath.Join(dir, "redis.url") }

// writeURL replaces the file atomically, so that no command reads a partial file.
func writeURL(dir, url string) error {
	next := urlFile(dir) + ".new"
	if err := os.WriteFile(next, []byte(url+"\n"), 0o600); err != nil {
		return fmt.Errorf("write the address of redis: %w", err)
	}
	if err := os.Rename(next, urlFile(dir)); err != nil {
		return fmt.Errorf("write the address of redis: %w", err)
	}
	return nil
}

func removeURL(dir string) error {
	if err := os.Remove(urlFile(dir)); err != nil && !errors.Is(err, fs.ErrNotExist) {
		return fmt.Errorf("remove the address of redis: %w", err)
	}
	return nil
}
