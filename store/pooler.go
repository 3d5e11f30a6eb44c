package store

import (
	"context"
	"database/sql"
	"database/sql/driver"
	"errors"
	"fmt"
	"strconv"
	"sync/atomic"
	"time"

	"github.com/jackc/pgx/v5"
	"github.com/jackc/pgx/v5/stdlib"
)

// schemaLock is the advisory lock of migrations: "carillon" in ASCII.
const schemaLock = 0x63_61_72_69_6c_6c_6f_6e

// openPooled opens a pool of connections that may lead to a pooler, such as PgBouncer in transaction mode. There each
// transaction may run on another connection to PostgreSQL, so nothing may be kept on one: no prepared statements, no session
// locks, no settings. A direct connection keeps its prepared statements, which are faster. Who has chosen a mode in the
// URL (default_query_exec_mode) has it.
//
// If password is not nil, each connection has the password that it returns then. While it fails, as while a file is being
// replaced, the one from the start is used.
func openPooled(cfg *pgx.ConnConfig, password func() (string, error)) *sql.DB {
	var pooled atomic.Bool
	return stdlib.OpenDB(*cfg,
		stdlib.OptionBeforeConnect(func(_ context.Context, c *pgx.ConnConfig) error {
			if pooled.Load() && c.DefaultQueryExecMode == pgx.QueryExecModeCacheStatement {
				c.DefaultQueryExecMode = pgx.QueryExecModeCacheDescribe
			}
			if password == nil {
				return nil
			}
			if now, err := password(); err == nil {
				c.Password = now
			}
			return nil
		}),
		stdlib.OptionAfterConnect(func(ctx context.Context, conn *pgx.Conn) error {
			if pooled.Load() || cfg.DefaultQueryExecMode != pgx.QueryExecModeCacheStatement {
				return nil
			}
			behind, err := behindPooler(ctx, conn)
			if err == nil && !behind {
				return nil
			}
			pooled.Store(behind)
			if err == nil {
				err = driver.ErrBadConn // database/sql opens another, which prepares nothing
			}
			return errors.Join(err, conn.Close(ctx))
		}))
}

// behindPooler reports whether a process that is not PostgreSQL's own is at the other end: a pooler makes up the number that
// it gives for the process.
func behindPooler(ctx context.Context, conn *pgx.Conn) (bool, error) {
	answer, err := conn.PgConn().Exec(ctx, `SELECT pg_backend_pid()`).ReadAll()
	if err != nil {
		return false, fmt.Errorf("ask for the process: %w", err)
	}
	if len(answer) != 1 || len(answer[0].Rows) != 1 {
		return false, errors.New("ask for the process: it did not answer")
	}
	return string(answer[0].Rows[0][0]) != strconv.FormatUint(uint64(conn.PgConn().PID()), 10), nil
}

// lockEvery is how often an instance looks whether another has finished with the schema.
const lockEvery = 50 * time.Millisecond

// lock takes an advisory lock. The lock belongs to a transaction, so a pooler keeps the connection for it, and it ends with
// it even if this process is killed. Who waits for it holds no connection: all those of a pooler may be few.
func (d postgresDialect) lock(ctx context.Context) (func(), error) {
	tick := time.NewTicker(lockEvery)
	defer tick.Stop()
	for {
		release, err := d.tryLock(ctx)
		if release != nil || err != nil {
			return release, err
		}
		select {
		case <-tick.C:
		case <-ctx.Done():
			return nil, ctx.Err()
		}
	}
}

// tryLock returns nil if another has the lock.
func (d postgresDialect) tryLock(ctx context.Context) (release func(), err error) {
	tx, err := d.db.BeginTx(context.WithoutCancel(ctx), nil)
	if err != nil {
		return nil, err
	}
	release = func() { _ = tx.Rollback() } // it has changed nothing; if the connection is lost, so is the lock
	var mine bool
	err = tx.QueryRowContext(ctx, `SELECT pg_try_advisory_xact_lock(`+strconv.Itoa(schemaLock)+`)`).Scan(&mine)
	if err == nil && mine {
		_, err = tx.ExecContext(ctx, `SET LOCAL idle_in_transaction_session_timeout = 0`) // migrations may take longer
	}
	if err != nil || !mine {
		release()
		return nil, err
	}
	return release, nil
}
