package store

import (
	"context"
	"database/sql"
	"slices"

	"github.com/carillonhq/carillon/notifier"
)

// ReadBy reports which of these announcements a reader has read, according to the reads that
// were written behind.
func (s *Store) ReadBy(ctx context.Context, r notifier.Reader, ids []int64) (map[int64]bool, error) {
	const segmentBits = 8 * notifier.SegmentBytes
	// As in Redis, the first bit of a byte is the highest. SQL counts bytes from 1.
	segment, bit := r.Seq/segmentBits, r.Seq%segmentBits
	place, mask := bit/8+1, byte(0x80)>>(bit%8)
	read := make(map[int64]bool, len(ids))
	for part := range slices.Chunk(ids, listSize) {
		err := s.all(ctx, func(rows *sql.Rows) error {
			var id int64
			var b sql.RawBytes
			err := rows.Scan(&id, &b)
			read[id] = len(b) == 1 && b[0]&mask != 0
			return err
		}, `SELECT announcement_id, substr(bits, CAST($3 AS INTEGER), 1) FROM announcement_reads
			WHERE audience = $1 AND segment = $2 AND `+s.dialect.within("announcement_id", 4),
			int64(r.Audience), segment, place, s.dialect.numberList(part))
		if err != nil {
			return nil, s.fail(err, "look up the announcements that user %d has read", r.Seq)
		}
	}
	return read, nil
}
