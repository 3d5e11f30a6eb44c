package store

import (
	"context"
	"database/sql"
	"database/sql/driver"
	"errors"
	"fmt"
	"io"
	"net"
	"strconv"
	"strings"
	"time"

	"github.com/jackc/pgx/v5"
	"github.com/jackc/pgx/v5/pgconn"
	"github.com/jackc/pgx/v5/stdlib"
	"github.com/pressly/goose/v3"
)

const (
	maxConnections = 16
	connectLimit   = 5 * time.Second
	// schemaLock is the advisory lock of migrations: "carillon" in ASCII.
	schemaLock = 0x63_61_72_69_6c_6c_6f_6e
)

type postgresDialect struct{ db *sql.DB }

func (s *Store) openPostgres(url string) error {
	cfg, err := pgx.ParseConfig(url)
	if err != nil {
		return fmt.Errorf("read the database URL: %w", err) // pgx leaves out the password
	}
	if cfg.ConnectTimeout == 0 {
		cfg.ConnectTimeout = connectLimit
	}
	if cfg.RuntimeParams["application_name"] == "" {
		cfg.RuntimeParams["application_name"] = "carillon"
	}
	db := stdlib.OpenDB(*cfg)
	db.SetMaxOpenConns(maxConnections)
	db.SetMaxIdleConns(maxConnections)
	db.SetConnMaxIdleTime(5 * time.Minute)
	s.read, s.write, s.dialect = db, db, postgresDialect{db}
	return nil
}

func (postgresDialect) schema() (goose.Dialect, string) { return goose.DialectPostgres, "postgres" }

// lock waits for an advisory lock. The lock belongs to its connection and is released with it, even
// if this process is killed.
func (d postgresDialect) lock(ctx context.Context) (func(), error) {
	conn, err := d.db.Conn(ctx)
	if err != nil {
		return nil, err
	}
	if _, err := conn.ExecContext(ctx, `SELECT pg_advisory_lock($1)`, int64(schemaLock)); err != nil {
		return nil, errors.Join(err, conn.Close())
	}
	return func() {
		ctx, cancel := context.WithTimeout(context.WithoutCancel(ctx), connectLimit)
		defer cancel()
		if _, err := conn.ExecContext(ctx, `SELECT pg_advisory_unlock($1)`, int64(schemaLock)); err != nil {
			// The connection may still hold the lock, so it must not return to the pool.
			_ = conn.Raw(func(any) error { return driver.ErrBadConn })
		}
		_ = conn.Close()
	}, nil
}

func (postgresDialect) within(column string, n int) string {
	return column + " = ANY($" + strconv.Itoa(n) + ")"
}

func (postgresDialect) textList(values []string) any { return values }

func (postgresDialect) numberList(values []int64) any { return values }

func (postgresDialect) pairs(first, second string, n int) string {
	return "SELECT DISTINCT value ->> 0 AS " + first + ", value ->> 1 AS " + second + " FROM json_array_elements($" + strconv.Itoa(n) + "::json)"
}

// locked always returns false: PostgreSQL waits for locks itself and honors the context.
func (postgresDialect) locked(error) bool { return false }

func (postgresDialect) fault(err error) fault {
	var pg *pgconn.PgError
	if !errors.As(err, &pg) {
		return connectionFault(err)
	}
	switch pg.Code {
	case "23505": // unique_violation
		return faultConflict
	case "23503": // foreign_key_violation
		return faultMissing
	case "25006", // read_only_sql_transaction: a standby, before it is promoted
		"3D000",          // invalid_catalog_name: the database does not exist
		"40001", "40P01", // serialization_failure, deadlock_detected: nothing was done
		"55000": // object_not_in_prerequisite_state: connections are not allowed
		return faultAway
	}
	switch pg.Code[:min(2, len(pg.Code))] {
	case "08", "28", "53", "57", "58": // connection, authorization, resources, operator, system
		return faultAway
	}
	return faultOther
}

// connectionFault classifies an error that is not a reply of the server.
func connectionFault(err error) fault {
	var connect *pgconn.ConnectError
	var network net.Error
	switch {
	case errors.As(err, &connect), errors.As(err, &network), pgconn.SafeToRetry(err), pgconn.Timeout(err),
		errors.Is(err, driver.ErrBadConn), errors.Is(err, io.EOF), errors.Is(err, io.ErrUnexpectedEOF),
		errors.Is(err, net.ErrClosed):
		return faultAway
	}
	return closedFault(err)
}

// closedFault recognizes the one error of database/sql that has no exported name.
func closedFault(err error) fault {
	if strings.Contains(err.Error(), "sql: database is closed") {
		return faultAway
	}
	return faultOther
}
