package store

import (
	"context"
	"database/sql"

	"github.com/carillonhq/carillon/notifier"
)

// saveReads stores all segments with one statement over arrays. It locks the announcements: an
// edit that marks one as unread for everybody waits until the segments are stored, and deletes
// them; after such an edit saveReads sees the new reads_from and drops the segments.
func (postgresDialect) saveReads(ctx context.Context, tx *sql.Tx, segments []notifier.ReadSegment) error {
	n := len(segments)
	ids, audiences, numbers := make([]int64, n), make([]int64, n), make([]int64, n)
	vers, from := make([]int64, n), make([]int64, n)
	bits := make([][]byte, n)
	for i, r := range segments {
		ids[i], audiences[i], numbers[i], vers[i] = r.ID, int64(r.Audience), int64(r.Segment), r.Ver
		from[i] = r.From
		bits[i] = append([]byte{}, r.Bits...) // nil means no reads; it must not become NULL
	}
	_, err := tx.ExecContext(ctx, `INSERT INTO announcement_reads (announcement_id, audience, segment, ver, bits)
		SELECT announcement_id, audience, segment, ver, bits
		FROM unnest($1::bigint[], $2::bigint[], $3::bigint[], $4::bigint[], $5::bytea[], $6::bigint[])
			r (announcement_id, audience, segment, ver, bits, reads_from)
		JOIN announcement_audiences USING (announcement_id, audience)
		JOIN announcements a ON a.notice_id = announcement_id AND a.reads_from = r.reads_from
		ORDER BY announcement_id, audience, segment FOR SHARE OF a
		ON CONFLICT (announcement_id, audience, segment) DO UPDATE SET ver = excluded.ver, bits = excluded.bits
		WHERE excluded.ver > announcement_reads.ver`, ids, audiences, numbers, vers, bits, from)
	return err
}
