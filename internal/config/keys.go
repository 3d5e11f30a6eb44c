package config

import (
	"crypto/rand"
	"encoding/hex"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
)

// KeyBytes is the length of a session key.
const KeyBytes = 32

// SigningKeys returns the configured session keys, or the keys in the data directory. It generates a key
// there if there is none. The first key signs, and all verify.
func (c *Config) SigningKeys() ([][]byte, error) {
	if len(c.SessionKeys) > 0 {
		return c.SessionKeys, nil
	}
	path := KeyFile(c.DataDir)
	if err := makeKeyFile(path); err != nil {
		return nil, fmt.Errorf("make the session keys: %w", err)
	}
	text, err := os.ReadFile(path)
	if err != nil {
		return nil, fmt.Errorf("read the session keys: %w", err)
	}
	var bad Faults
	keys := bad.keys(path, string(text))
	if err = bad.Err(); err != nil {
		return nil, err
	}
	if len(keys) == 0 {
		return nil, fmt.Errorf("%s holds no key: delete it to have one made", path)
	}
	return keys, nil
}

// KeyFile returns the path of the session keys in a data directory.
func KeyFile(dir string) string { return filepath.Join(dir, "session.keys") }

// makeKeyFile writes a new key unless the file exists. The file is created atomically, so that processes
// started concurrently read the same key.
func makeKeyFile(path string) error {
	if _, err := os.Stat(path); !errors.Is(err, fs.ErrNotExist) {
		return err
	}
	key := make([]byte, KeyBytes)
	if _, err := rand.Read(key); err != nil {
		return err
	}
	temp, err := os.CreateTemp(filepath.Dir(path), "session.keys.*") // mode 0600
	if err != nil {
		return err
	}
	defer os.Remove(temp.Name())
	_, err = temp.WriteString(hex.EncodeToString(key) + "\n")
	if err = errors.Join(err, temp.Close()); err != nil {
		return err
	}
	if err = os.Link(temp.Name(), path); errors.Is(err, fs.ErrExist) {
		return nil
	}
	return err
}
