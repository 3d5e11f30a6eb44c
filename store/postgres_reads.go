package store

import (
	"context"
	"database/sql"

	"github.com/carillonhq/carillon/notifier"
)

// saveReads stores all segments with one statement over arrays.
func (postgresDialect) saveReads(ctx context.Context, tx *sql.Tx, segments []notifier.ReadSegment) error {
	n := len(segments)
	ids, audiences, numbers, vers := make([]int64, n), make([]int64, n), make([]int64, n), make([]int64, n)
	bits := make([][]byte, n)
	for i, r := range segments {
		ids[i], audiences[i], numbers[i], vers[i] = r.ID, int64(r.Audience), int64(r.Segment), r.Ver
		bits[i] = append([]byte{}, r.Bits...) // nil is not NULL but nobody
	}
	_, err := tx.ExecContext(ctx, `INSERT INTO announcement_reads (announcement_id, audience, segment, ver, bits)
		SELECT announcement_id, audience, segment, ver, bits
		FROM unnest($1::bigint[], $2::bigint[], $3::bigint[], $4::bigint[], $5::bytea[]) r (announcement_id, audience, segment, ver, bits)
		JOIN announcement_audiences USING (announcement_id, audience)
		ON CONFLICT (announcement_id, audience, segment) DO UPDATE SET ver = excluded.ver, bits = excluded.bits
		WHERE excluded.ver > announcement_reads.ver`, ids, audiences, numbers, vers, bits)
	return err
}
