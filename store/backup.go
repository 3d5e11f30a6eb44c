package store

import (
	"context"
	"database/sql"
	"errors"
	"fmt"
	"io/fs"
	"net/url"
	"os"
	"path/filepath"

	"modernc.org/sqlite"
)

// stepPages is the number of 4 KB pages copied at a time.
const stepPages = 1000

// Backup copies the SQLite database of a data directory to a new file, as of one instant, while others
// use the database. The file also contains the texts of kept by name, for Restore. The file appears
// only when it is complete. at is called with the pages copied so far and their total. Backup does not
// change the database, and works with a schema of any version.
func Backup(ctx context.Context, dir, file string, kept map[string]string, at func(done, total int)) error {
	from := filepath.Join(dir, sqliteFile)
	if _, err := os.Stat(from); err != nil {
		return fmt.Errorf("find the database: %w", err)
	}
	if _, err := os.Lstat(file); !errors.Is(err, fs.ErrNotExist) {
		return errors.Join(fmt.Errorf("%s: %w", file, fs.ErrExist), err)
	}
	// In a new private directory, no other user can put a link in place of the copy.
	apart, err := os.MkdirTemp(filepath.Dir(file), ".carillon-backup-")
	if err != nil {
		return fmt.Errorf("copy the database: %w", err)
	}
	part := filepath.Join(apart, "part")
	err = copyDatabase(ctx, from, part, at)
	if err == nil {
		err = keep(ctx, part, kept)
	}
	if err == nil {
		err = os.Link(part, file) // unlike a rename, never replaces another file
	}
	if errors.Is(err, errors.ErrUnsupported) || errors.Is(err, fs.ErrPermission) {
		err = os.Rename(part, file) // a file system without links
	}
	if err = errors.Join(err, os.RemoveAll(apart)); err != nil {
		return fmt.Errorf("copy the database: %w", err)
	}
	return nil
}

// copyDatabase copies a database to a file that only its owner can read.
func copyDatabase(ctx context.Context, from, to string, at func(done, total int)) error {
	if err := removeDatabase(to); err != nil { // remove the rest of an interrupted copy
		return err
	}
	f, err := os.OpenFile(to, os.O_CREATE|os.O_EXCL|os.O_RDWR, 0o600)
	if err != nil {
		return err
	}
	if err = f.Close(); err != nil {
		return err
	}
	db, err := sql.Open("sqlite", fileDSN(from, "query_only(1)"))
	if err != nil {
		return err
	}
	return errors.Join(copyTo(ctx, db, to, at), db.Close())
}

func copyTo(ctx context.Context, db *sql.DB, to string, at func(done, total int)) error {
	conn, err := db.Conn(ctx)
	if err != nil {
		return err
	}
	defer func() { _ = conn.Close() }()
	// The transaction fixes the state of all pages. Otherwise each change would restart the copy.
	if _, err = conn.ExecContext(ctx, `BEGIN`); err != nil {
		return err
	}
	defer func() { _, _ = conn.ExecContext(context.WithoutCancel(ctx), `ROLLBACK`) }()
	var tables int
	if err = conn.QueryRowContext(ctx, `SELECT COUNT(*) FROM sqlite_schema`).Scan(&tables); err != nil {
		return err
	}
	return conn.Raw(func(driver any) error {
		source := driver.(interface {
			NewBackup(to string) (*sqlite.Backup, error)
		})
		b, err := source.NewBackup(fileDSN(to))
		if err != nil {
			return err
		}
		for more := true; more && err == nil; {
			if err = ctx.Err(); err == nil {
				more, err = b.Step(stepPages)
				at(b.PageCount()-b.Remaining(), b.PageCount())
			}
		}
		return errors.Join(err, b.Finish())
	})
}

// keep adds the table of the texts that a backup contains besides the database.
func keep(ctx context.Context, file string, kept map[string]string) error {
	return within(ctx, file, func(db *sql.DB) error {
		// A backup is one file, without a write-ahead log.
		for _, statement := range []string{
			`PRAGMA journal_mode = DELETE`, `DROP TABLE IF EXISTS backup`, `CREATE TABLE backup (name TEXT PRIMARY KEY, content TEXT NOT NULL)`,
		} {
			if _, err := db.ExecContext(ctx, statement); err != nil {
				return err
			}
		}
		for name, content := range kept {
			if _, err := db.ExecContext(ctx, `INSERT INTO backup (name, content) VALUES ($1, $2)`, name, content); err != nil {
				return err
			}
		}
		return nil
	})
}

// within opens a database file for the duration of work, on one connection.
func within(ctx context.Context, file string, work func(*sql.DB) error) error {
	db, err := sql.Open("sqlite", fileDSN(file))
	if err != nil {
		return err
	}
	db.SetMaxOpenConns(1)
	if err = db.PingContext(ctx); err == nil {
		err = work(db)
	}
	return errors.Join(err, db.Close())
}

// fileDSN does not change the journal mode of the file.
func fileDSN(file string, pragmas ...string) string {
	u := url.URL{Scheme: "file", OmitHost: true, Path: file}
	if abs, err := filepath.Abs(file); err == nil {
		u.Path = abs
	}
	u.RawQuery = url.Values{"_pragma": append([]string{"busy_timeout(5000)", "secure_delete(1)"}, pragmas...)}.Encode()
	return u.String()
}

// removeDatabase removes a database with its logs.
func removeDatabase(file string) error { return errors.Join(remove(file), removeLogs(file)) }

func removeLogs(file string) error {
	return errors.Join(remove(file+"-wal"), remove(file+"-shm"), remove(file+"-journal"))
}

// remove removes a file if it exists.
func remove(file string) error {
	if err := os.Remove(file); !errors.Is(err, fs.ErrNotExist) {
		return err
	}
	return nil
}
