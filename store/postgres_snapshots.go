package store

import (
	"context"
	"database/sql"

	"github.com/carillonhq/carillon/notifier"
)

// saveSnapshots stores all inboxes with one statement over arrays.
func (postgresDialect) saveSnapshots(ctx context.Context, tx *sql.Tx, rows []snapshotRow) error {
	n := len(rows)
	seqs, vers, unread, opened, floor := make([]int64, n), make([]int64, n), make([]int64, n), make([]int64, n), make([]int64, n)
	entries, gone, kept := make([][]byte, n), make([][]byte, n), make([][]byte, n)
	for i, r := range rows {
		seqs[i], vers[i], unread[i], opened[i] = r.seq, r.ver, r.unread, r.opened
		floor[i], entries[i], gone[i], kept[i] = r.floor, r.entries, r.gone, r.kept
	}
	_, err := tx.ExecContext(ctx, `INSERT INTO inbox_snapshots (seq, ver, unread, opened, floor, entries, gone, kept)
		SELECT seq, ver, unread, opened, floor, entries, gone, kept
		FROM unnest($1::bigint[], $2::bigint[], $3::bigint[], $4::bigint[], $5::bigint[], $6::bytea[], $7::bytea[], $8::bytea[])
			r (seq, ver, unread, opened, floor, entries, gone, kept)
		JOIN users USING (seq) ORDER BY seq`+replaceSnapshot, seqs, vers, unread, opened, floor, entries, gone, kept)
	return err
}

// saveCounts raises all counts with one statement over arrays.
func (postgresDialect) saveCounts(ctx context.Context, tx *sql.Tx, counts []notifier.NoticeCount) error {
	n := len(counts)
	ids, partitions, delivered, read := make([]int64, n), make([]int64, n), make([]int64, n), make([]int64, n)
	for i, c := range counts {
		ids[i], partitions[i], delivered[i], read[i] = c.NoticeID, int64(c.Partition), c.Delivered, c.Read
	}
	_, err := tx.ExecContext(ctx, `INSERT INTO notice_counts (notice_id, partition, delivered, read)
		SELECT id, partition, delivered, read
		FROM unnest($1::bigint[], $2::bigint[], $3::bigint[], $4::bigint[]) r (id, partition, delivered, read)
		JOIN notices USING (id) ORDER BY id, partition`+raiseCounts, ids, partitions, delivered, read)
	return err
}
