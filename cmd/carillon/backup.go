package main

import (
	"context"
	"time"

	"github.com/carillonhq/carillon/internal/backup"
	"github.com/carillonhq/carillon/internal/config"
)

type backupCmd struct {
	File string `arg:"" help:"The file to make. It holds the database and the session keys, so keep it as safe as they are."`
}

// Help describes the contents of a backup.
func (backupCmd) Help() string {
	return "Copies the SQLite database as of one instant, while the server runs, and the session keys of the data directory. Redis needs no backup: it is restored from SQL."
}

// Run makes a backup.
func (b backupCmd) Run(ctx context.Context, cfg config.Config, c *console) error {
	made, err := backup.Make(ctx, c.backupConfig(cfg, "backing up"), b.File)
	if err != nil {
		return err
	}
	if made.KeysApart {
		c.note("the session keys are in the configuration and not in the backup: keep a copy of them too")
	}
	return c.result(made, "backed up %s bytes to %s", number(made.Bytes), made.File)
}

type restoreCmd struct {
	File  string `arg:"" type:"existingfile" help:"A file made by carillon backup."`
	Force bool   `help:"Replace a database with users or notices, and remove what Redis has of it."`
}

// Help describes what a restore replaces.
func (restoreCmd) Help() string {
	return "Stop the server first. The restored instance has the state of the backup: the next server to start restores Redis from it, " +
		"and delivers the notices that were accepted and not yet delivered then."
}

// Run restores a backup.
func (r restoreCmd) Run(ctx context.Context, cfg config.Config, c *console) error {
	done, err := backup.Restore(ctx, c.backupConfig(cfg, "restoring"), r.File, r.Force)
	if err != nil {
		return err
	}
	switch done.Keys {
	case backup.KeysOfBackup:
	case backup.KeysOfConfig:
		c.note("the session keys of the configuration are used: if they are not those of the backup, users sign in again and applications need new keys")
	case backup.KeysMissing:
		c.note("the backup has no session keys: without those of its data directory users sign in again and applications need new keys")
	}
	return c.result(done, "restored %s and %s, %s", plural(int(done.Users), "user"), plural(int(done.Notices), "notice"), done.Of())
}

func (c *console) backupConfig(cfg config.Config, doing string) backup.Config {
	var bar *progress
	return backup.Config{Settings: cfg, Version: version(), Now: time.Now, Progress: func(done, total int) {
		if bar == nil {
			bar = newProgress(c, doing, total)
		}
		if bar.at(done); done == total {
			bar.end()
		}
	}}
}
