package main

import (
	"bufio"
	"context"
	"encoding/csv"
	"errors"
	"fmt"
	"io"
	"os"
	"slices"
	"strings"

	"github.com/alexedwards/argon2id"

	"github.com/carillonhq/carillon/internal/config"
	"github.com/carillonhq/carillon/notifier"
	"github.com/carillonhq/carillon/notifier/person"
	"github.com/carillonhq/carillon/store"
)

type userImportCmd struct {
	File string `arg:"" type:"existingfile" help:"CSV in UTF-8. Its first line names the columns: name, and any of password_hash (argon2id, $$argon2id$$v=19$$…), audience, roles (joined by ;), locale."`
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
	total, err := countLines(file)
	if err != nil {
		return fmt.Errorf("import users: %w", err)
	}
	in, err := newUserReader(file, cfg)
	if err != nil {
		return fmt.Errorf("%s: %w", u.File, err)
	}
	bar := newProgress(c, "importing users", total)
	return c.withPeople(ctx, cfg, func(people *person.People) error {
		n, err := people.Import(ctx, commandLine(), u.File, total, in.next, bar.at)
		bar.end()
		var line *store.ImportError
		if errors.As(err, &line) {
			return fmt.Errorf("%s, line %d: %w; nobody was added", u.File, line.Line, explainAs(line.Err, columnOf))
		}
		if err != nil {
			return err
		}
		return c.result(map[string]int{"added": n}, "added %d users", n)
	})
}

// countLines counts the lines after the header, and rewinds the file. The number is only good
// enough for showing progress: a quoted field may contain line breaks.
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

// maxHashMemory is the most memory that checking an imported hash may take at sign-in, in KB.
const maxHashMemory = 1 << 20

// userReader reads users from a CSV file.
type userReader struct {
	csv     *csv.Reader
	columns []string
	cfg     config.Config
}

var userColumns = []string{"name", "password_hash", "audience", "roles", "locale"}

func newUserReader(file io.Reader, cfg config.Config) (*userReader, error) {
	r := &userReader{csv: csv.NewReader(file), cfg: cfg}
	header, err := r.csv.Read()
	if err != nil {
		return nil, fmt.Errorf("read the line that names the columns: %w", err)
	}
	header[0] = strings.TrimPrefix(header[0], "\ufeff") // spreadsheets write a byte order mark
	for i, name := range header {
		name = strings.TrimSpace(name)
		switch {
		case !slices.Contains(userColumns, name):
			return nil, fmt.Errorf("column %q is none of %s", name, strings.Join(userColumns, ", "))
		case slices.Contains(r.columns, name):
			return nil, fmt.Errorf("column %q is there twice", name)
		}
		header[i], r.columns = name, append(r.columns, name)
	}
	if !slices.Contains(r.columns, "name") {
		return nil, errors.New("there is no column called name")
	}
	r.csv.ReuseRecord = true
	return r, nil
}

// next returns the next user and the number of their line, and io.EOF after the last one.
func (r *userReader) next() (notifier.NewUser, int, error) {
	fields, err := r.csv.Read()
	var fault *csv.ParseError
	switch {
	case errors.As(err, &fault):
		return notifier.NewUser{}, fault.Line, fault.Err
	case err != nil:
		return notifier.NewUser{}, 0, err
	}
	line, _ := r.csv.FieldPos(0)
	u := notifier.NewUser{Audience: r.fallback()}
	for i, column := range r.columns {
		if err = r.set(&u, column, strings.Clone(fields[i])); err != nil {
			return notifier.NewUser{}, line, err
		}
	}
	return u, line, nil
}

func (r *userReader) set(u *notifier.NewUser, column, value string) error {
	switch column {
	case "name":
		u.Name = value
	case "password_hash":
		u.PasswordHash = value
		return checkHash(value)
	case "audience":
		if value == "" {
			return nil
		}
		audience, err := r.cfg.AudienceOf(value)
		if err != nil {
			return fmt.Errorf("audience: %w", err)
		}
		u.Audience = audience
	case "roles":
		u.Roles = strings.FieldsFunc(value, func(c rune) bool { return c == ';' })
	case "locale":
		u.Locale = value
	}
	return nil
}

// columnOf returns the column that sets a field of a user.
func columnOf(field string) string { return field }

// fallback returns the audience of users for whom the file gives none, the same as for `user add`.
func (r *userReader) fallback() notifier.Audience {
	audience, _ := r.cfg.AudienceOf("user")
	return audience // 0 if that audience does not exist: the store then reports the error
}

func checkHash(hash string) error {
	if hash == "" {
		return nil
	}
	params, _, _, err := argon2id.DecodeHash(hash)
	if err != nil || params.Memory > maxHashMemory {
		return errors.New("password_hash is not one of argon2id ($argon2id$v=19$m=…,t=…,p=…$SALT$HASH)")
	}
	return nil
}
