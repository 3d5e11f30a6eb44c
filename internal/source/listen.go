package source

import (
	"context"
	"database/sql"
	"errors"
	"fmt"
	"strconv"

	"github.com/jackc/pgx/v5"
	"github.com/jackc/pgx/v5/pgconn"
	"github.com/jackc/pgx/v5/stdlib"
)

var errNotPostgres = errors.New("not a connection to PostgreSQL")

// Pooled reports whether a connection to PostgreSQL goes through a pooler, whose clients may share connections: then it
// cannot listen, and a lock of the session may stay with a stranger.
func Pooled(ctx context.Context, conn *sql.Conn) (pooled bool, err error) {
	err = raw(conn, func(c *pgx.Conn) error {
		pooled, err = BehindPooler(ctx, c)
		return err
	})
	return pooled, err
}

// BehindPooler reports whether the connection goes through a pooler: a pooler invents the process number that it
// reports.
func BehindPooler(ctx context.Context, conn *pgx.Conn) (bool, error) {
	answer, err := conn.PgConn().Exec(ctx, `SELECT pg_backend_pid()`).ReadAll()
	if err != nil {
		return false, fmt.Errorf("ask for the process: %w", err)
	}
	if len(answer) != 1 || len(answer[0].Rows) != 1 {
		return false, errors.New("ask for the process: it did not answer")
	}
	return string(answer[0].Rows[0][0]) != strconv.FormatUint(uint64(conn.PgConn().PID()), 10), nil
}

// Await waits until a connection to PostgreSQL that listens has a notification, or until ctx ends, which is no error. It
// removes all notifications that have arrived.
func Await(ctx context.Context, conn *sql.Conn) error {
	return raw(conn, func(c *pgx.Conn) error {
		if _, err := c.WaitForNotification(ctx); err != nil {
			if ctx.Err() != nil && !c.IsClosed() || pgconn.Timeout(err) && !c.IsClosed() {
				return nil
			}
			return err
		}
		ended, end := context.WithCancel(ctx)
		end()
		for {
			if _, err := c.WaitForNotification(ended); err != nil {
				return nil //nolint:nilerr // there are no more
			}
		}
	})
}

// raw calls do with the connection of pgx behind one of database/sql. Its error does not end the connection.
func raw(conn *sql.Conn, do func(*pgx.Conn) error) (err error) {
	wrong := conn.Raw(func(dc any) error {
		c, ok := dc.(*stdlib.Conn)
		if err = errNotPostgres; ok {
			err = do(c.Conn())
		}
		return nil
	})
	return errors.Join(wrong, err)
}
