package store

import (
	"context"
	"database/sql"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"

	"modernc.org/sqlite"
	sqlite3 "modernc.org/sqlite/lib"

	"github.com/carillonhq/carillon/notifier"
)

// Restored is a checked copy of a backup, stored next to the database that it will replace.
type Restored struct {
	Kept           map[string]string // as passed to Backup
	Users, Notices int64
	dir, copied    string
}

// PrepareRestore copies a backup into a data directory and checks the copy. at is called as by Backup.
// The caller must call Commit or Discard.
func PrepareRestore(ctx context.Context, file, dir string, at func(done, total int)) (*Restored, error) {
	r := &Restored{Kept: map[string]string{}, dir: dir, copied: filepath.Join(dir, sqliteFile+".restoring")}
	if _, err := os.Stat(file); err != nil {
		return nil, err
	}
	err := copyDatabase(ctx, file, r.copied, at)
	if err == nil {
		err = within(ctx, r.copied, func(db *sql.DB) error { return r.check(ctx, db) })
	}
	if damaged(err) {
		err = fmt.Errorf("it is not a Carillon backup, or it is damaged: %w", err)
	}
	if err != nil {
		return nil, errors.Join(fmt.Errorf("%s: %w", file, err), r.Discard())
	}
	return r, nil
}

// check checks the copy and removes the kept texts from it.
func (r *Restored) check(ctx context.Context, db *sql.DB) error {
	var state string
	if err := db.QueryRowContext(ctx, `PRAGMA quick_check(1)`).Scan(&state); err != nil {
		return err
	}
	if state != "ok" {
		return errors.New("it is damaged: " + state)
	}
	var tables int
	var schema int64
	err := db.QueryRowContext(ctx, `SELECT COUNT(*) FROM sqlite_schema WHERE type = 'table' AND name IN ('users', 'notices', 'goose_db_version')`).Scan(&tables)
	if err != nil {
		return err
	}
	if tables != 3 {
		return errors.New("it is not a Carillon backup")
	}
	err = db.QueryRowContext(ctx, `SELECT MAX(version_id), (SELECT COUNT(*) FROM users), (SELECT COUNT(*) FROM notices) FROM goose_db_version`).Scan(&schema, &r.Users, &r.Notices)
	if err != nil {
		return err
	}
	if schema > newestMigration {
		return fmt.Errorf("it was made by a newer Carillon (migration %d; this one has %d)", schema, newestMigration)
	}
	return r.takeKept(ctx, db)
}

func (r *Restored) takeKept(ctx context.Context, db *sql.DB) error {
	if _, err := db.ExecContext(ctx, `CREATE TABLE IF NOT EXISTS backup (name TEXT PRIMARY KEY, content TEXT NOT NULL)`); err != nil {
		return err
	}
	rows, err := db.QueryContext(ctx, `SELECT name, content FROM backup`)
	err = each(rows, err, func(rows *sql.Rows) error {
		var name, content string
		err := rows.Scan(&name, &content)
		r.Kept[name] = content
		return err
	})
	if err == nil {
		_, err = db.ExecContext(ctx, `DROP TABLE backup`)
	}
	return err
}

// Commit replaces the database of the data directory with the copy. It fails with a notifier.ErrConflict while
// any process has that database open. Otherwise it calls between before it replaces the
// database.
func (r *Restored) Commit(ctx context.Context, between func() error) error {
	file := filepath.Join(r.dir, sqliteFile)
	release, err := seize(ctx, file)
	if err != nil {
		return err
	}
	err = between()
	if err == nil {
		err = os.Rename(r.copied, file)
	}
	return errors.Join(err, release())
}

// Discard removes the copy.
func (r *Restored) Discard() error { return removeDatabase(r.copied) }

// seize locks a database against all other processes, and leaves no log next to it. A missing or damaged
// database needs no lock.
func seize(ctx context.Context, file string) (release func() error, err error) {
	if _, err = os.Stat(file); errors.Is(err, fs.ErrNotExist) {
		return func() error { return nil }, nil
	}
	db, err := sql.Open("sqlite", fileDSN(file, "locking_mode(EXCLUSIVE)"))
	if err != nil {
		return nil, err
	}
	db.SetMaxOpenConns(1)
	// Only the last process that has the database open can turn off the write-ahead log.
	for _, statement := range []string{`PRAGMA journal_mode = DELETE`, `BEGIN EXCLUSIVE`} {
		if err == nil {
			_, err = db.ExecContext(ctx, statement)
		}
	}
	switch {
	case err == nil:
		return db.Close, nil
	case sqliteDialect{}.locked(err):
		err = fmt.Errorf("%w: a process has %s open; stop the server and all commands first", notifier.ErrConflict, file)
	case damaged(err):
		err = db.Close()
		return func() error { return nil }, errors.Join(err, removeLogs(file))
	}
	return nil, errors.Join(err, db.Close())
}

// Blank reports whether the SQLite database of a data directory is missing, or has neither users nor notices.
func Blank(ctx context.Context, dir string) (bool, error) {
	file := filepath.Join(dir, sqliteFile)
	if info, err := os.Stat(file); errors.Is(err, fs.ErrNotExist) || err == nil && info.Size() == 0 {
		return true, nil
	}
	var rows int
	err := within(ctx, file, func(db *sql.DB) error {
		err := db.QueryRowContext(ctx, `SELECT COUNT(*) FROM sqlite_schema WHERE name IN ('users', 'notices')`).Scan(&rows)
		if err == nil && rows > 0 {
			err = db.QueryRowContext(ctx, `SELECT EXISTS (SELECT 1 FROM users) + EXISTS (SELECT 1 FROM notices)`).Scan(&rows)
		}
		return err
	})
	if damaged(err) {
		return false, nil // it has contents
	}
	return rows == 0, err
}

// damaged reports whether a file is not a database or is damaged.
func damaged(err error) bool {
	var e *sqlite.Error
	if !errors.As(err, &e) {
		return false
	}
	code := e.Code() & 0xff
	return code == sqlite3.SQLITE_NOTADB || code == sqlite3.SQLITE_CORRUPT
}
