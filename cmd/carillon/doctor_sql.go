package main

import (
	"context"
	"database/sql"
	"errors"
	"fmt"
	"time"

	"github.com/carillonhq/carillon/store"
)

// sql examines the database. Opening it brings it up to date, so a migration
// that fails is found here.
func (e *examination) sql(ctx context.Context, cfg config) {
	err := withStore(ctx, cfg, func(db *store.Store) error { return db.Ping(ctx) })
	if err != nil {
		e.fail("sql", err.Error(), "start it, or correct --database-url; without it nothing works")
		return
	}
	if cfg.DatabaseURL == "" {
		// store opens it so; another connection could not tell.
		e.ok("sql", "SQLite in %s, up to date, each commit on disk", cfg.DataDir)
		return
	}
	if err = e.postgres(ctx, cfg.DatabaseURL); err != nil {
		e.fail("sql", err.Error(), "see the log of PostgreSQL")
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
