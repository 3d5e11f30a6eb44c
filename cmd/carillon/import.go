package main

import (
	"context"
	"errors"
	"fmt"
	"os"

	"github.com/carillonhq/carillon/internal/config"
	"github.com/carillonhq/carillon/internal/usercsv"
	"github.com/carillonhq/carillon/notifier/person"
	"github.com/carillonhq/carillon/store"
)

type userImportCmd struct {
	File string `arg:"" type:"existingfile" help:"CSV in UTF-8. Its first line names the columns: name, and any of password_hash (argon2id, $$argon2id$$v=19$$…), audience, roles (joined by ;), locale, email."`
}

// Help explains why there is no column for passwords.
func (userImportCmd) Help() string {
	return "Passwords come hashed: hashing is slow on purpose, and 100,000 of them would take hours. " +
		"A user without password_hash cannot sign in by password until `carillon user passwd` gives them one. " +
		"The first bad line stops the import, and no user is added."
}

// Run adds all users in the file, or none.
func (u userImportCmd) Run(ctx context.Context, cfg config.Config, c *console) error {
	file, err := os.Open(u.File)
	if err != nil {
		return fmt.Errorf("import users: %w", err)
	}
	defer file.Close()
	total, err := usercsv.CountLines(file)
	if err != nil {
		return fmt.Errorf("import users: %w", err)
	}
	in, err := usercsv.NewReader(file, cfg.AudienceOf)
	if err != nil {
		return fmt.Errorf("%s: %w", u.File, err)
	}
	bar := newProgress(c, "importing users", total)
	return c.withPeople(ctx, cfg, func(people *person.People) error {
		n, err := people.Import(ctx, commandLine(), u.File, total, in.Next, bar.at)
		bar.end()
		var line *store.ImportError
		if errors.As(err, &line) {
			return fmt.Errorf("%s, line %d: %w; nobody was added", u.File, line.Line, explainAs(line.Err, usercsv.ColumnOf))
		}
		if err != nil {
			return err
		}
		return c.result(map[string]int{"added": n}, "added %d users", n)
	})
}
