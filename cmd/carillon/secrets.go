package main

import (
	"crypto/rand"
	"encoding/hex"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
)

// keyBytes is the length of a session key.
const keyBytes = 32

// sessionKeys returns the configured keys, or those that are kept in the data
// directory, made at the first start.
func sessionKeys(cfg config) ([][]byte, error) {
	if len(cfg.SessionKeys) > 0 {
		return cfg.SessionKeys, nil
	}
	path := keyFile(cfg.DataDir)
	if err := makeKeyFile(path); err != nil {
		return nil, fmt.Errorf("make the session keys: %w", err)
	}
	text, err := os.ReadFile(path)
	if err != nil {
		return nil, fmt.Errorf("read the session keys: %w", err)
	}
	var bad faults
	keys := bad.keys(path, string(text))
	if err = bad.err(); err != nil {
		return nil, err
	}
	if len(keys) == 0 {
		return nil, fmt.Errorf("%s holds no key: delete it to have one made", path)
	}
	return keys, nil
}

func keyFile(dir string) string { return filepath.Join(dir, "session.keys") }

// makeKeyFile writes a new key unless there is one. The file appears whole:
// another process that starts at the same moment reads the same key.
func makeKeyFile(path string) error {
	if _, err := os.Stat(path); !errors.Is(err, fs.ErrNotExist) {
		return err
	}
	key := make([]byte, keyBytes)
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
