package doctor

import (
	"context"
	"database/sql"
	"errors"
	"fmt"
	"net/url"
	"time"

	"golang.org/x/sys/unix"

	"github.com/carillonhq/carillon/internal/config"
	"github.com/carillonhq/carillon/internal/trouble"
	"github.com/carillonhq/carillon/notifier"
	"github.com/carillonhq/carillon/store"
)

// writeWait is how long a trial change may take.
const writeWait = 5 * time.Second

// sql examines the database, calls more while it is open, and closes it. Opening migrates it, so openErr may be the error
// of a migration.
func (e *examination) sql(ctx context.Context, cfg *config.Config, db *store.Store, openErr error, more func()) error {
	if unfit := (*notifier.UnfitError)(nil); errors.As(openErr, &unfit) {
		e.fail("sql schema", unfit.Error(), "run the newer program, also for commands; until then this one changes nothing")
		return nil
	}
	if openErr != nil {
		e.trouble("sql", openErr, trouble.OfSQL(openErr), "see its log, or correct --database-url; without it nothing works")
		return nil
	}
	if cfg.Database.URL == "" {
		// The store sets this for its own connections; other connections cannot read it.
		e.ok("sql", "SQLite in %s, up to date, each commit on disk", cfg.DataDir)
		e.disk(cfg.DataDir)
	} else if err := e.postgres(ctx, cfg.Database.URL); err != nil {
		e.trouble("sql", err, trouble.OfSQL(err), "see the log of PostgreSQL")
	}
	e.writable(ctx, db)
	more()
	return db.Close()
}

// writable tries a change: a database that answers queries may still reject changes.
func (e *examination) writable(ctx context.Context, db *store.Store) {
	ctx, cancel := context.WithTimeout(ctx, writeWait)
	defer cancel()
	began := time.Now()
	err := db.Writable(ctx)
	why := trouble.OfSQL(err)
	switch {
	case err == nil:
		e.ok("sql write", "a change takes %v", time.Since(began).Round(10*time.Microsecond))
	case why != trouble.Trouble{}:
		e.trouble("sql write", err, why, "")
	default:
		e.fail("sql write", fmt.Sprintf("it accepted no change within %v: %v", writeWait, err), "see its log")
	}
}

// Free space on the disk of SQLite: below littleRoom it is scarce, and below noRoom a longer
// transaction fails.
const (
	littleRoom = 256 << 20
	noRoom     = 1 << 20
)

// disk checks the free space on the disk of SQLite. A small change may succeed on a full disk,
// because overwriting a page needs no space; so writable alone is not enough.
func (e *examination) disk(dir string) {
	var fs unix.Statfs_t
	if err := unix.Statfs(dir, &fs); err != nil {
		e.fail("sql disk", "read its free space: "+err.Error(), "check the file system of the data directory")
		return
	}
	e.free(int64(fs.Bavail) * int64(fs.Bsize)) //nolint:gosec,unconvert // the types of these fields differ between systems, and no disk has 2^63 bytes to overflow int64
}

func (e *examination) free(free int64) {
	found := fmt.Sprintf("%d MB free", free>>20)
	switch {
	case free < noRoom:
		e.fail("sql disk", found+": its disk is full", trouble.Full.Cure)
	case free < littleRoom:
		e.note("sql disk", found, "make room: on a full disk nothing can be sent or marked")
	default:
		e.ok("sql disk", "%s", found)
	}
}

// unprepared disables prepared statements for a connection that may go through a pooler.
func unprepared(raw string) string {
	u, err := url.Parse(raw)
	if err != nil {
		return raw // the driver reports the fault
	}
	q := u.Query()
	if !q.Has("default_query_exec_mode") {
		q.Set("default_query_exec_mode", "cache_describe")
	}
	u.RawQuery = q.Encode()
	return u.String()
}

func (e *examination) postgres(ctx context.Context, address string) (err error) {
	db, err := sql.Open("pgx", unprepared(address))
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
		return fmt.Errorf("read its version: %w", err)
	}
	e.ok("sql", "PostgreSQL %s, up to date", version)
	for setting, why := range map[string]string{
		"fsync":              "a power cut would lose what was accepted",
		"full_page_writes":   "a power cut could destroy pages of the database",
		"synchronous_commit": "a crash would lose what was accepted",
	} {
		value, err := show(setting)
		if err != nil {
			return fmt.Errorf("read %s: %w", setting, err)
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
		return fmt.Errorf("read the time: %w", err)
	}
	e.clock("PostgreSQL", theirs, asked, time.Now())
	return nil
}
