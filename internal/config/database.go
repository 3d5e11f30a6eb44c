package config

import (
	"cmp"
	"errors"
	"fmt"
	"net/url"
	"os"
	"strings"

	"github.com/carillonhq/carillon/internal/address"
)

// Database contains the address of PostgreSQL. The zero Database is SQLite in the data directory.
type Database struct {
	URL          string // with the password, from whichever setting
	PasswordFile string // contains the password, which may change while the program runs; empty: it is in the URL, or there is none
}

// database builds one address from --database-url and the settings of its parts. Each part may be set only once. Faults
// contain none of them, because an operator may have put a password into the wrong one.
func (f *Faults) database(flags *Flags) Database {
	u := f.databaseURL(flags.DatabaseURL)
	parts := cmp.Or(flags.DatabaseHost, flags.DatabaseUser, flags.DatabaseName, flags.DatabasePasswordFile) != ""
	if u == nil || !parts {
		return Database{URL: flags.DatabaseURL}
	}
	q := u.Query()
	once := func(flag, part string, known bool) {
		if part != "" && known {
			f.Add(flag, "--database-url sets it, too: keep one")
		}
	}
	once("--database-host", flags.DatabaseHost, u.Host != "" || q.Has("host"))
	once("--database-user", flags.DatabaseUser, u.User.Username() != "" || q.Has("user"))
	once("--database-name", flags.DatabaseName, strings.Trim(u.Path, "/") != "" || q.Has("dbname") || q.Has("database"))
	secret, known := u.User.Password()
	once("--database-password-file", flags.DatabasePasswordFile, known || q.Has("password"))
	if flags.DatabaseURL == "" {
		f.needs("--database-host", flags.DatabaseHost, "the server of PostgreSQL, such as db.example.com:5432")
		f.needs("--database-name", flags.DatabaseName, "the database")
	}
	if strings.HasPrefix(flags.DatabaseHost, "/") {
		q.Set("host", flags.DatabaseHost)
		u.RawQuery = q.Encode()
	} else if flags.DatabaseHost != "" {
		f.databaseHost("--database-host", flags.DatabaseHost)
		u.Host = flags.DatabaseHost
	}
	if flags.DatabaseName != "" {
		u.Path = "/" + flags.DatabaseName
	}
	if flags.DatabasePasswordFile != "" {
		var err error
		if secret, err = passwordIn(flags.DatabasePasswordFile); err != nil {
			f.Add("--database-password-file", "%v", err)
		}
		known = true
	}
	if user := cmp.Or(flags.DatabaseUser, u.User.Username()); known {
		u.User = url.UserPassword(user, secret)
	} else if user != "" {
		u.User = url.User(user)
	}
	return Database{URL: u.String(), PasswordFile: flags.DatabasePasswordFile}
}

func (f *Faults) needs(flag, value, what string) {
	if value == "" {
		f.Add(flag, "must name %s: the database is given in parts, or by --database-url", what)
	}
}

// databaseURL parses an address of PostgreSQL, and returns nil if it is invalid. An empty one has no parts.
func (f *Faults) databaseURL(s string) *url.URL {
	if s == "" {
		return &url.URL{Scheme: "postgres"}
	}
	if !strings.HasPrefix(s, "postgres://") && !strings.HasPrefix(s, "postgresql://") {
		f.Add("--database-url", "must begin with postgres://, or be empty for SQLite")
		return nil
	}
	err := address.Check(s)
	u, parseErr := url.Parse(s)
	if err == nil && parseErr != nil {
		err = address.ErrUnreadable
	}
	if err != nil {
		f.Add("--database-url", "%s", err)
		return nil
	}
	return u
}

// databaseHost checks HOST[:PORT],…
func (f *Faults) databaseHost(flag, s string) {
	for host := range strings.SplitSeq(s, ",") {
		u, err := url.Parse("postgres://" + host)
		if err != nil || u.Hostname() == "" || u.Host != host || strings.Contains(u.Hostname(), ":") != strings.HasPrefix(host, "[") {
			f.Add(flag, "must be HOST or HOST:PORT, such as db.example.com:5432, several of them with commas, or the directory of a socket, such as /run/postgresql")
			return
		}
	}
}

// Password returns a function that reads the password for each new connection; nil: it is in the URL.
func (d Database) Password() func() (string, error) {
	if d.PasswordFile == "" {
		return nil
	}
	return func() (string, error) { return passwordIn(d.PasswordFile) }
}

// passwordIn reads the password in a file, without the line ending.
func passwordIn(file string) (string, error) {
	text, err := os.ReadFile(file)
	if err != nil {
		return "", fmt.Errorf("cannot be read: %w", err)
	}
	password := strings.TrimRight(string(text), "\r\n")
	if password == "" {
		return "", errors.New("is empty")
	}
	return password, nil
}
