package store

import (
	"context"
	"database/sql"
	"database/sql/driver"
	"errors"
	"strconv"
	"sync/atomic"
	"time"

	"github.com/jackc/pgx/v5"
	"github.com/jackc/pgx/v5/stdlib"

	"github.com/carillonhq/carillon/internal/source"
)

// schemaLock is the advisory lock of migrations: "carillon" in ASCII.
const schemaLock = 0x63_61_72_69_6c_6c_6f_6e

// openPooled opens a pool of connections that may go through a pooler, such as PgBouncer in transaction mode. Then each
// transaction may use another connection to PostgreSQL, so connections must not have state: no prepared statements, session
// locks or settings. A direct connection uses prepared statements, which are faster. A mode set in the URL
// (default_query_exec_mode) takes precedence.
//
// If password is not nil, it is called for the password of each connection. If it fails, for example while a file is being
// replaced, the initial password is used.
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
			behind, err := source.BehindPooler(ctx, conn)
			if err == nil && !behind {
				return nil
			}
			pooled.Store(behind)
			if err == nil {
				err = driver.ErrBadConn // database/sql opens another connection, which prepares nothing
			}
			return errors.Join(err, conn.Close(ctx))
		}))
}

// lockEvery is the interval at which an instance retries the schema lock.
const lockEvery = 50 * time.Millisecond

// lock acquires an advisory lock. The lock belongs to a transaction, so a pooler reserves the connection, and the lock ends
// with the connection even if this process is killed. Waiting uses no connection, because a pooler may have only a few.
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

// tryLock returns nil if the lock is held.
func (d postgresDialect) tryLock(ctx context.Context) (release func(), err error) {
	tx, err := d.db.BeginTx(context.WithoutCancel(ctx), nil)
	if err != nil {
		return nil, err
	}
	release = func() { _ = tx.Rollback() } // the transaction changed nothing; if the connection is lost, so is the lock
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
