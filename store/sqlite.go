package store

import (
	"context"
	"database/sql"
	"encoding/json"
	"errors"
	"fmt"
	"net/url"
	"os"
	"path/filepath"
	"runtime"
	"strconv"
	"time"

	"github.com/pressly/goose/v3"
	"golang.org/x/sys/unix"
	"modernc.org/sqlite"
	sqlite3 "modernc.org/sqlite/lib"

	"github.com/carillonhq/carillon/notifier"
)

const (
	sqliteFile = "carillon.db"
	// busyTimeout is how long SQLite itself waits for a lock. SQLite ignores the context while it
	// waits, so this is short.
	busyTimeout = 100 * time.Millisecond
)

type sqliteDialect struct{ lockFile string }

func (s *Store) openSQLite(dir string) error {
	dir, err := filepath.Abs(dir)
	if err != nil {
		return fmt.Errorf("find the data directory: %w", err)
	}
	if err := os.MkdirAll(dir, 0o700); err != nil {
		return fmt.Errorf("make the data directory: %w", err)
	}
	file := filepath.Join(dir, sqliteFile)
	// SQLite would make the file readable by others; its journal inherits the file's mode.
	f, err := os.OpenFile(file, os.O_CREATE|os.O_RDWR, 0o600)
	if err != nil {
		return fmt.Errorf("make the database: %w", err)
	}
	if err := f.Close(); err != nil {
		return fmt.Errorf("make the database: %w", err)
	}
	write, err := sql.Open("sqlite", sqliteDSN(file, url.Values{"_txlock": {"immediate"}}))
	if err != nil {
		return fmt.Errorf("open the database: %w", err)
	}
	write.SetMaxOpenConns(1)
	read, err := sql.Open("sqlite", sqliteDSN(file, url.Values{"_pragma": {"query_only(1)"}}))
	if err != nil {
		return errors.Join(fmt.Errorf("open the database: %w", err), write.Close())
	}
	readers := max(4, runtime.NumCPU())
	read.SetMaxOpenConns(readers)
	read.SetMaxIdleConns(readers)
	s.read, s.write = &pool{read, s.timing}, &pool{write, s.timing}
	s.dialect = sqliteDialect{file + ".lock"}
	return nil
}

// sqliteDSN puts busy_timeout first, because every other pragma may have to wait for a lock.
func sqliteDSN(file string, params url.Values) string {
	pragmas := []string{
		"busy_timeout(" + strconv.FormatInt(busyTimeout.Milliseconds(), 10) + ")",
		"journal_mode(WAL)", "synchronous(FULL)", "foreign_keys(1)",
		"secure_delete(1)", // overwrite deleted data: see ClearLog
	}
	params["_pragma"] = append(pragmas, params["_pragma"]...)
	u := url.URL{Scheme: "file", OmitHost: true, Path: file, RawQuery: params.Encode()}
	return u.String()
}

func (sqliteDialect) schema() (goose.Dialect, string) { return goose.DialectSQLite3, "sqlite" }

// lock locks a file next to the database: switching to WAL and migrating both need exclusive access to
// the database.
func (d sqliteDialect) lock(ctx context.Context) (func(), error) {
	f, err := os.OpenFile(d.lockFile, os.O_CREATE|os.O_RDWR, 0o600)
	if err != nil {
		return nil, err
	}
	tick := time.NewTicker(10 * time.Millisecond)
	defer tick.Stop()
	for {
		err := unix.Flock(int(f.Fd()), unix.LOCK_EX|unix.LOCK_NB)
		if err == nil {
			return func() { _ = f.Close() }, nil // closing unlocks
		}
		if !errors.Is(err, unix.EWOULDBLOCK) && !errors.Is(err, unix.EINTR) {
			return nil, errors.Join(err, f.Close())
		}
		select {
		case <-tick.C:
		case <-ctx.Done():
			return nil, errors.Join(ctx.Err(), f.Close())
		}
	}
}

// brief returns a context that does not end. For a context that can end, the driver and database/sql each
// start a goroutine, which costs as much as a short statement. Callers check ctx themselves; a
// transaction watches it: when ctx ends, it is rolled back and its next statement fails.
func (sqliteDialect) brief(ctx context.Context) context.Context { return context.WithoutCancel(ctx) }

func (sqliteDialect) within(column string, n int) string {
	return column + " IN (SELECT value FROM json_each($" + strconv.Itoa(n) + "))"
}

func (sqliteDialect) textList(values []string) any { return jsonList(values) }

func (sqliteDialect) numberList(values []int64) any { return jsonList(values) }

func (sqliteDialect) pairs(first, second string, n int) string {
	return "SELECT DISTINCT value ->> 0 AS " + first + ", value ->> 1 AS " + second + " FROM json_each($" + strconv.Itoa(n) + ")"
}

func (sqliteDialect) skipLocked() string { return "" } // its transactions do not overlap

func (sqliteDialect) lockRows(string) string { return "" } // its transactions do not overlap

// jsonList returns a JSON list. Marshalling strings and numbers cannot fail.
func jsonList(values any) string {
	list, _ := json.Marshal(values)
	return string(list)
}

// locked recognizes a lock held by another process. It cannot occur within a transaction, because
// BEGIN IMMEDIATE has acquired the lock.
func (sqliteDialect) locked(err error) bool {
	var e *sqlite.Error
	return errors.As(err, &e) && e.Code()&0xff == sqlite3.SQLITE_BUSY
}

// subscribers looks up each topic of t, which is small compared with the table.
func (sqliteDialect) subscribers() string {
	return `SELECT t.type, t.scope, s.seq, '' FROM t
		CROSS JOIN subscriptions s ON s.type = t.type AND s.scope = t.scope AND s.seq IS NOT NULL
	UNION ALL SELECT t.type, t.scope, 0, r.name FROM t
		CROSS JOIN subscriptions s ON s.type = t.type AND s.scope = t.scope AND s.role_id IS NOT NULL
		JOIN roles r ON r.id = s.role_id`
}

// addUsers inserts row by row: on SQLite a statement with many rows is slower.
func (d sqliteDialect) addUsers(ctx context.Context, tx *sql.Tx, rows []userRow) (int, error) {
	insert, err := tx.PrepareContext(ctx, `INSERT INTO users
		(seq, name, name_fold, password_hash, audience, locale, created_at)
		VALUES ($1, $2, $3, $4, $5, $6, $7) ON CONFLICT (name) DO NOTHING`)
	if err != nil {
		return -1, err
	}
	defer func() { _ = insert.Close() }()
	row := d.brief(ctx)
	for i, u := range rows {
		res, err := insert.ExecContext(row, u.seq, u.Name, u.fold, u.PasswordHash, int64(u.Audience), u.Locale, u.created)
		if err != nil {
			return -1, err
		}
		if n, err := res.RowsAffected(); err != nil || n == 0 {
			return i, err
		}
	}
	return -1, nil
}

func (d sqliteDialect) addMembers(ctx context.Context, tx *sql.Tx, roles, seqs []int64) error {
	insert, err := tx.PrepareContext(ctx, `INSERT INTO role_members (role_id, seq) VALUES ($1, $2)
		ON CONFLICT (role_id, seq) DO UPDATE SET app_id = 0 WHERE app_id <> 0`)
	if err != nil {
		return err
	}
	defer func() { _ = insert.Close() }()
	row := d.brief(ctx)
	for i, role := range roles {
		if _, err := insert.ExecContext(row, role, seqs[i]); err != nil {
			return err
		}
	}
	return nil
}

// saveReads stores row by row, like addNotices.
func (d sqliteDialect) saveReads(ctx context.Context, tx *sql.Tx, segments []notifier.ReadSegment) error {
	save, err := tx.PrepareContext(ctx, `INSERT INTO announcement_reads (announcement_id, audience, segment, ver, bits)
		SELECT announcement_id, audience, $3, $4, $5 FROM announcement_audiences JOIN announcements ON notice_id = announcement_id
		WHERE announcement_id = $1 AND audience = $2 AND reads_from = $6
		ON CONFLICT (announcement_id, audience, segment) DO UPDATE SET ver = excluded.ver, bits = excluded.bits
		WHERE excluded.ver > announcement_reads.ver`)
	if err != nil {
		return err
	}
	defer func() { _ = save.Close() }()
	row := d.brief(ctx)
	for _, r := range segments {
		// Bits may be nil, which means no reads and must not become NULL.
		if _, err := save.ExecContext(row, r.ID, int64(r.Audience), r.Segment, r.Ver, append([]byte{}, r.Bits...), r.From); err != nil {
			return err
		}
	}
	return nil
}

func (d sqliteDialect) markTargets(ctx context.Context, tx *sql.Tx, set, where string, rows []unreadRow) (marked []int64, err error) {
	//nolint:gosec // set and where come from the caller in marks.go, which joins constants
	mark, err := tx.PrepareContext(ctx, `UPDATE targets`+set+` FROM (SELECT $1 AS seq, $2 AS newest, $3 AS urgent) x
		WHERE targets.seq = $1`+where)
	if err != nil {
		return nil, err
	}
	defer func() { _ = mark.Close() }()
	row := d.brief(ctx)
	for _, u := range rows {
		res, err := mark.ExecContext(row, u.seq, u.newest, u.urgent)
		if err != nil {
			return nil, err
		}
		if n, err := res.RowsAffected(); err != nil {
			return nil, err
		} else if n > 0 {
			marked = append(marked, u.seq)
		}
	}
	return marked, nil
}
