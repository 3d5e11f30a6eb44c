package main

import (
	"cmp"
	"context"
	"database/sql"
	"errors"
	"fmt"
	"time"

	"golang.org/x/sys/unix"

	"github.com/carillonhq/carillon/store"
)

// writeWait is how long a trial may take to be written.
const writeWait = 5 * time.Second

// sql examines the database, and then does more while it is open. Opening it brings it
// up to date, so a migration that fails is found here.
func (e *examination) sql(ctx context.Context, cfg config, more func(*store.Store)) error {
	db, err := openStore(ctx, cfg)
	if err != nil {
		e.fail("sql", err.Error(), cmp.Or(sqlAdvice[store.TroubleOf(err)], "start it, or correct --database-url; without it nothing works"))
		return nil
	}
	if cfg.DatabaseURL == "" {
		// store opens it so; another connection could not tell.
		e.ok("sql", "SQLite in %s, up to date, each commit on disk", cfg.DataDir)
		e.room(cfg.DataDir)
	} else if err = e.postgres(ctx, cfg.DatabaseURL); err != nil {
		e.fail("sql", err.Error(), "see the log of PostgreSQL")
	}
	e.writable(ctx, db)
	more(db)
	return db.Close()
}

// sqlAdvice is what to do about a database that takes no changes.
var sqlAdvice = map[store.Trouble]string{
	store.TroubleFull:     "make room on its disk; meanwhile pages can be read, and nothing can be sent or marked for good. It goes on by itself",
	store.TroubleDisk:     "see whether its disk is full or broken, and who may write there",
	store.TroubleLocked:   "end what holds it, such as a shell of sqlite3 in a transaction, or wait for it; meanwhile pages can be read, and nothing can be sent",
	store.TroubleReadOnly: "correct --database-url, which leads to a standby, or the mode of the file",
}

// writable tries a change: a database that answers questions may take none.
func (e *examination) writable(ctx context.Context, db *store.Store) {
	ctx, cancel := context.WithTimeout(ctx, writeWait)
	defer cancel()
	began := time.Now()
	err := db.Writable(ctx)
	trouble := store.TroubleOf(err)
	switch {
	case err == nil:
		e.ok("sql write", "a change takes %v", time.Since(began).Round(10*time.Microsecond))
	case trouble != store.TroubleUnknown:
		e.fail("sql write", fmt.Sprintf("it takes no changes, %s: %v", trouble, err), sqlAdvice[trouble])
	default:
		e.fail("sql write", fmt.Sprintf("it took no change within %v: %v", writeWait, err), "see its log, and what it is busy with")
	}
}

// Below these SQLite has hardly room, or none for a transaction of some length.
const (
	littleRoom = 256 << 20
	noRoom     = 1 << 20
)

// room looks how much is left on the disk of SQLite: what is written over needs none, so
// that a small change may still succeed on a full one.
func (e *examination) room(dir string) {
	var disk unix.Statfs_t
	if err := unix.Statfs(dir, &disk); err != nil {
		e.fail("sql disk", "ask for the room on it: "+err.Error(), "see what the data directory is on")
		return
	}
	e.free(int64(disk.Bavail) * int64(disk.Bsize)) //nolint:gosec,unconvert // no disk has 2^63 bytes; the types differ between systems
}

func (e *examination) free(free int64) {
	found := fmt.Sprintf("%d MB free", free>>20)
	switch {
	case free < noRoom:
		e.fail("sql disk", found+": its disk is full", sqlAdvice[store.TroubleFull])
	case free < littleRoom:
		e.note("sql disk", found, "make room: on a full disk nothing can be sent or marked")
	default:
		e.ok("sql disk", "%s", found)
	}
}

func (e *examination) postgres(ctx context.Context, url string) (err error) {
	db, err := sql.Open("pgx", url)
	if err != nil {
		return fmt.Errorf("open the database: %w", err)
	}
	defer func() { err = errors.Join(err, db.Close()) }()
	show := func(setting string) (value string, err error) {
		err = db.QueryRowContext(ctx, "SELECT current_setting($1)", setting).Scan(&value)
		return value, err
	}
	version, err := show("server_version")
	if err != nil {
		return fmt.Errorf("ask for its version: %w", err)
	}
	e.ok("sql", "PostgreSQL %s, up to date", version)
	for setting, why := range map[string]string{
		"fsync":              "a power cut would lose what was accepted",
		"full_page_writes":   "a power cut could destroy pages of the database",
		"synchronous_commit": "a crash would lose what was accepted",
	} {
		value, err := show(setting)
		if err != nil {
			return fmt.Errorf("ask for %s: %w", setting, err)
		}
		if value == "off" {
			e.fail("sql disk", setting+" is off", "switch it on: "+why)
		} else {
			e.ok("sql disk", "%s is %s", setting, value)
		}
	}
	var theirs time.Time
	asked := time.Now()
	if err = db.QueryRowContext(ctx, "SELECT clock_timestamp()").Scan(&theirs); err != nil {
		return fmt.Errorf("ask for the time: %w", err)
	}
	e.clock("PostgreSQL", theirs, asked, time.Now())
	return nil
}
