package main

import (
	"bufio"
	"context"
	"errors"
	"fmt"
	"io"
	"os"

	"github.com/carillonhq/carillon/store"
)

type userImportCmd struct {
	File string `arg:"" type:"existingfile" help:"CSV in UTF-8. Its first line names the columns: name, and any of password_hash (argon2id, $$argon2id$$v=19$$…), audience, roles (joined by ;), locale."`
}

// Help says why there is no column for passwords.
func (userImportCmd) Help() string {
	return "Passwords come hashed: hashing is slow on purpose, and 100,000 of them would take hours. " +
		"A user without password_hash cannot sign in by password until `carillon user passwd` gives him one. " +
		"The first bad line stops the import, and then nobody was added."
}

// Run adds all users of the file, or none.
func (u userImportCmd) Run(ctx context.Context, cfg config, c *console) error {
	file, err := os.Open(u.File)
	if err != nil {
		return fmt.Errorf("import users: %w", err)
	}
	defer file.Close()
	total, err := countLines(file)
	if err != nil {
		return fmt.Errorf("import users: %w", err)
	}
	in, err := newUserReader(file, cfg)
	if err != nil {
		return fmt.Errorf("%s: %w", u.File, err)
	}
	bar := newProgress(c, "importing users", total)
	return withStore(ctx, cfg, func(db *store.Store) error {
		n, err := db.ImportUsers(ctx, total, in.next, bar.at)
		bar.end()
		var line *store.ImportError
		if errors.As(err, &line) {
			return fmt.Errorf("%s, line %d: %w; nobody was added", u.File, line.Line, explainAs(line.Err, columnOf))
		}
		if err != nil {
			return err
		}
		if err = record(ctx, db, "user.import", u.File, fmt.Sprintf("%d users", n)); err != nil {
			return err
		}
		return c.result(map[string]int{"added": n}, "added %d users", n)
	})
}

// countLines counts the lines behind the header, and rewinds: good enough to
// show progress by.
func countLines(file io.ReadSeeker) (int, error) {
	n := -1
	for in := bufio.NewScanner(file); ; n++ {
		if !in.Scan() {
			if in.Err() != nil {
				return 0, in.Err()
			}
			break
		}
	}
	_, err := file.Seek(0, io.SeekStart)
	return max(n, 0), err
}
