//go:build linux

package main

import (
	"context"
	"errors"
	"fmt"
	"io"
	"os"

	"github.com/carillonhq/carillon/internal/sqltest"
	"github.com/carillonhq/carillon/store"
)

// database is SQL of one kind, empty, that keeps what it commits.
type database struct {
	name  string   // as in the table
	flags []string // of a server that is to work with it
	st    *store.Store
	close func() error
}

// databaseNames are those that every line about SQL is measured on.
func databaseNames() []string { return []string{"SQLite", "PostgreSQL"} }

// database opens an empty one. The caller closes it.
func (w *world) database(ctx context.Context, name string) (*database, error) {
	dir, err := os.MkdirTemp(w.dir, "sql-")
	if err != nil {
		return nil, fmt.Errorf("make a directory: %w", err)
	}
	cfg, stop := store.Config{DataDir: dir}, func() {}
	flags := []string{"--data-dir", dir}
	if name == "PostgreSQL" {
		//nolint:contextcheck // stop ends the server, in order; a measurement that is cancelled must not kill it first
		if cfg.URL, stop, err = sqltest.Durable(); err != nil {
			return nil, err
		}
		flags = append(flags, "--database-url", cfg.URL)
	}
	st, err := store.Open(ctx, cfg)
	if err != nil {
		stop()
		return nil, err
	}
	return &database{name: name, flags: flags, st: st, close: func() error {
		err := st.Close()
		stop()
		return errors.Join(err, os.RemoveAll(dir))
	}}, nil
}

// people makes user1, user2 and so on, who get the numbers from 1 and these roles.
func (d *database) people(ctx context.Context, count int, roles ...string) error {
	n := 0
	_, err := d.st.ImportUsers(ctx, count, func() (store.NewUser, int, error) {
		if n == count {
			return store.NewUser{}, n, io.EOF
		}
		n++
		return store.NewUser{Name: userName(n), Audience: audience, Roles: roles}, n, nil
	}, nil)
	if err != nil {
		return fmt.Errorf("make users: %w", err)
	}
	return nil
}

func userName(n int) string { return fmt.Sprintf("user%d", n) }
