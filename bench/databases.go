//go:build linux

package main

import (
	"context"
	"errors"
	"fmt"
	"io"
	"os"

	"github.com/carillonhq/carillon/internal/sqltest"
	"github.com/carillonhq/carillon/notifier"
	"github.com/carillonhq/carillon/store"
)

// database is an SQL database that started empty, with durable commits.
type database struct {
	name  string   // as in the table
	flags []string // for a server that uses it
	st    *store.Store
	close func() error
}

// databaseNames returns the databases on which every line about SQL is measured.
func databaseNames() []string { return []string{"SQLite", "PostgreSQL"} }

// database opens an empty database. The caller closes it.
func (w *world) database(ctx context.Context, name string) (*database, error) {
	dir, err := os.MkdirTemp(w.dir, "sql-")
	if err != nil {
		return nil, fmt.Errorf("make a directory: %w", err)
	}
	cfg, stop := store.Config{DataDir: dir}, func() {}
	flags := []string{"--data-dir", dir}
	if name == "PostgreSQL" {
		//nolint:contextcheck // the server must outlive ctx: a cancelled measurement still closes its store before stop ends the server
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

// people creates the users user1, user2 and so on, with these roles. Their numbers start at 1.
func (d *database) people(ctx context.Context, count int, roles ...string) error {
	n := 0
	_, err := d.st.ImportUsers(ctx, count, func() (notifier.NewUser, int, error) {
		if n == count {
			return notifier.NewUser{}, n, io.EOF
		}
		n++
		return notifier.NewUser{Name: userName(n), Audience: audience, Roles: roles}, n, nil
	}, nil)
	if err != nil {
		return fmt.Errorf("make users: %w", err)
	}
	return nil
}

func userName(n int) string { return fmt.Sprintf("user%d", n) }
