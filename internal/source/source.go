// Package source opens business databases, which rules query and whose outboxes are read: PostgreSQL, MySQL, MariaDB
// and SQLite. Their addresses are in the environment, because they contain passwords.
package source

import (
	"database/sql"
	"errors"
	"fmt"
	"net/url"
	"os"
	"path/filepath"
	"regexp"
	"strconv"
	"strings"
	"time"

	"github.com/go-sql-driver/mysql"
	"github.com/jackc/pgx/v5"
	"github.com/jackc/pgx/v5/stdlib"

	"github.com/carillonhq/carillon/internal/address"
)

// Prefix is the prefix of the variables that contain the addresses of sources.
const Prefix = "CARILLON_RULE_SOURCE_"

var (
	namePattern = regexp.MustCompile(`\A[A-Z][A-Z0-9_]{0,62}\z`)

	// ErrName is the fault of a source that has an impossible name.
	ErrName = errors.New("use A-Z, 0-9 and _, as in WAREHOUSE")

	errAddress = errors.New("not a database address; use postgres://USER@HOST/DATABASE, mysql://USER@HOST/DATABASE or sqlite:FILE")
)

// Dialect is the SQL that a source understands.
type Dialect string

// The dialects.
const (
	Postgres Dialect = "postgres"
	MySQL    Dialect = "mysql" // and MariaDB
	SQLite   Dialect = "sqlite"
)

// Source is a business database.
type Source struct {
	postgres *pgx.ConnConfig
	mysql    *mysql.Config
	file     string // of SQLite
}

// Find reads the address of the source with a name; lookup reads environment variables. The address is a secret: errors
// do not contain it.
func Find(name string, lookup func(string) (string, bool)) (Source, error) {
	if !namePattern.MatchString(name) || strings.HasSuffix(name, "_FILE") {
		return Source{}, ErrName
	}
	raw, err := find(Prefix+name, lookup)
	if err != nil {
		return Source{}, err
	}
	s, err := Parse(raw)
	if err != nil {
		return Source{}, fmt.Errorf("%s%s: %w", Prefix, name, err)
	}
	return s, nil
}

// find reads an environment variable, or the file named by NAME_FILE.
func find(name string, lookup func(string) (string, bool)) (string, error) {
	value, _ := lookup(name)
	file, _ := lookup(name + "_FILE")
	switch {
	case value != "" && file != "":
		return "", fmt.Errorf("%s and %s_FILE are both set; set only one", name, name)
	case value != "":
		return value, nil
	case file == "":
		return "", fmt.Errorf("%s is not set; set it to the address of the database", name)
	}
	text, err := os.ReadFile(file)
	if err != nil {
		return "", fmt.Errorf("%s_FILE: %w", name, err)
	}
	return strings.TrimSpace(string(text)), nil
}

// Parse parses postgres://…, mysql://… and sqlite:PATH, also written as mariadb://… and sqlite:///PATH.
func Parse(raw string) (Source, error) {
	scheme, rest, _ := strings.Cut(raw, ":")
	switch scheme {
	case "postgres", "postgresql":
		cfg, err := parsePostgres(raw)
		return Source{postgres: cfg}, err
	case "mysql", "mariadb":
		cfg, err := parseMySQL(raw)
		return Source{mysql: cfg}, err
	case "sqlite":
		if file := strings.TrimPrefix(rest, "//"); file != "" {
			return Source{file: file}, nil
		}
	}
	return Source{}, errAddress
}

func parsePostgres(raw string) (*pgx.ConnConfig, error) {
	if err := address.Check(raw); err != nil {
		return nil, err
	}
	cfg, err := pgx.ParseConfig(raw)
	if err != nil {
		return nil, err // pgx removes the password
	}
	// One statement per query, whatever the address requests: a second statement could end the read-only transaction. It
	// prepares nothing, and so may pass through a pooler.
	cfg.DefaultQueryExecMode = pgx.QueryExecModeExec
	if cfg.RuntimeParams["application_name"] == "" {
		cfg.RuntimeParams["application_name"] = "carillon rules"
	}
	return cfg, nil
}

// Dialect returns the SQL that the source understands.
func (s Source) Dialect() Dialect {
	switch {
	case s.postgres != nil:
		return Postgres
	case s.mysql != nil:
		return MySQL
	}
	return SQLite
}

// Database returns the name of the database, or the absolute path of the file without links.
func (s Source) Database() string {
	switch s.Dialect() {
	case Postgres:
		return s.postgres.Database
	case MySQL:
		return s.mysql.DBName
	case SQLite:
	}
	path, err := filepath.Abs(s.file)
	if err != nil {
		return s.file // the working directory is gone: opening it will fail
	}
	if target, err := filepath.EvalSymlinks(path); err == nil {
		return target
	}
	return path
}

// busyWait is how long a call waits for another writer of an SQLite file.
const busyWait = 5 * time.Second

// Open returns a pool of connections that may write. It connects with the first call.
func (s Source) Open() (*sql.DB, error) {
	switch s.Dialect() {
	case Postgres:
		return stdlib.OpenDB(*s.postgres), nil
	case MySQL:
		return openMySQL(s.mysql.Clone())
	case SQLite:
	}
	return s.openSQLite("rw", busyWait)
}

// openSQLite opens the file in a mode of SQLite: ro or rw. It creates nothing.
func (s Source) openSQLite(mode string, wait time.Duration, pragmas ...string) (*sql.DB, error) {
	file, err := filepath.Abs(s.file)
	if err != nil {
		return nil, err
	}
	dsn := url.URL{Scheme: "file", OmitHost: true, Path: file, RawQuery: url.Values{
		"mode": {mode}, "_pragma": append(pragmas, "busy_timeout("+strconv.FormatInt(wait.Milliseconds(), 10)+")"),
	}.Encode()}
	return sql.Open("sqlite", dsn.String())
}
