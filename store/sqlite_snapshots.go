package store

import (
	"context"
	"database/sql"

	"github.com/carillonhq/carillon/notifier"
)

func (sqliteDialect) saveSnapshots(ctx context.Context, tx *sql.Tx, rows []snapshotRow) error {
	save, err := tx.PrepareContext(ctx, `INSERT INTO inbox_snapshots (seq, ver, unread, opened, floor, entries, gone, kept)
		SELECT seq, $2, $3, $4, $5, $6, $7, $8 FROM users WHERE seq = $1`+replaceSnapshot)
	if err != nil {
		return err
	}
	defer func() { _ = save.Close() }()
	for _, r := range rows {
		if _, err := save.ExecContext(ctx, r.seq, r.ver, r.unread, r.opened, r.floor, r.entries, r.gone, r.kept); err != nil {
			return err
		}
	}
	return nil
}

func (sqliteDialect) saveCounts(ctx context.Context, tx *sql.Tx, counts []notifier.NoticeCount) error {
	save, err := tx.PrepareContext(ctx, `INSERT INTO notice_counts (notice_id, partition, delivered, read)
		SELECT id, $2, $3, $4 FROM notices WHERE id = $1`+raiseCounts)
	if err != nil {
		return err
	}
	defer func() { _ = save.Close() }()
	for _, c := range counts {
		if _, err := save.ExecContext(ctx, c.NoticeID, c.Partition, c.Delivered, c.Read); err != nil {
			return err
		}
	}
	return nil
}
