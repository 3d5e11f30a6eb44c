// Package usercsv reads users from a CSV file, for an import.
package usercsv

import (
	"bufio"
	"encoding/csv"
	"errors"
	"fmt"
	"io"
	"slices"
	"strings"

	"github.com/alexedwards/argon2id"

	"github.com/carillonhq/carillon/notifier"
)

// CountLines counts the lines after the header, and rewinds the file. The number is only accurate
// enough for showing progress: a quoted field may contain line breaks.
func CountLines(file io.ReadSeeker) (int, error) {
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

// maxHashMemory is the maximum memory for verifying an imported hash at sign-in, in KB.
const maxHashMemory = 1 << 20

// Reader reads users from a CSV file.
type Reader struct {
	csv      *csv.Reader
	columns  []string
	audience func(name string) (notifier.Audience, error)
}

var columns = []string{"name", "password_hash", "audience", "roles", "locale", "email"}

// Columns returns the names of all columns. Only name is required.
func Columns() []string { return slices.Clone(columns) }

// NewReader reads the line that names the columns. audience returns the number of an audience.
func NewReader(file io.Reader, audience func(name string) (notifier.Audience, error)) (*Reader, error) {
	r := &Reader{csv: csv.NewReader(file), audience: audience}
	header, err := r.csv.Read()
	if err != nil {
		return nil, fmt.Errorf("read the line that names the columns: %w", err)
	}
	header[0] = strings.TrimPrefix(header[0], "\ufeff") // spreadsheets write a byte order mark
	for i, name := range header {
		name = strings.TrimSpace(name)
		switch {
		case !slices.Contains(columns, name):
			return nil, fmt.Errorf("column %q is none of %s", name, strings.Join(columns, ", "))
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

// Next returns the next user and the number of their line, and io.EOF after the last one.
func (r *Reader) Next() (notifier.NewUser, int, error) {
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

func (r *Reader) set(u *notifier.NewUser, column, value string) error {
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
		audience, err := r.audience(value)
		if err != nil {
			return fmt.Errorf("audience: %w", err)
		}
		u.Audience = audience
	case "roles":
		u.Roles = strings.FieldsFunc(value, func(c rune) bool { return c == ';' })
	case "locale":
		u.Locale = value
	case "email":
		u.Email = value
	}
	return nil
}

// ColumnOf returns the column that sets a field of a user.
func ColumnOf(field string) string { return field }

// fallback returns the audience of users without one in the file, the same as for `user add`.
func (r *Reader) fallback() notifier.Audience {
	audience, _ := r.audience("user")
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
