package store

import (
	"context"
	"database/sql"

	"github.com/carillonhq/carillon/notifier"
)

// saveReads stores row by row, like addNotices.
func (sqliteDialect) saveReads(ctx context.Context, tx *sql.Tx, segments []notifier.ReadSegment) error {
	save, err := tx.PrepareContext(ctx, `INSERT INTO announcement_reads (announcement_id, audience, segment, ver, bits)
		SELECT announcement_id, audience, $3, $4, $5 FROM announcement_audiences JOIN announcements ON notice_id = announcement_id
		WHERE announcement_id = $1 AND audience = $2 AND reads_from = $6
		ON CONFLICT (announcement_id, audience, segment) DO UPDATE SET ver = excluded.ver, bits = excluded.bits
		WHERE excluded.ver > announcement_reads.ver`)
	if err != nil {
		return err
	}
	defer func() { _ = save.Close() }()
	for _, r := range segments {
		// Bits may be nil, which means no reads and must not become NULL.
		if _, err := save.ExecContext(ctx, r.ID, int64(r.Audience), r.Segment, r.Ver, append([]byte{}, r.Bits...), r.From); err != nil {
			return err
		}
	}
	return nil
}
