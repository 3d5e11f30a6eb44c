package store

import (
	"context"
	"database/sql"
	"errors"

	"github.com/carillonhq/carillon/notifier"
)

// bitPlace is the position of a user's bit in the bitmaps of reads.
type bitPlace struct {
	segment int64
	at      int  // byte of the segment
	mask    byte // as in Redis, the first bit of a byte is the highest
}

func bitOf(seq int64) bitPlace {
	const segmentBits = 8 * notifier.SegmentBytes
	bit := seq % segmentBits
	return bitPlace{seq / segmentBits, int(bit / 8), byte(0x80) >> (bit % 8)}
}

// in reports whether the bit is set in the segment. Bits beyond its end are zero.
func (p bitPlace) in(bits []byte) bool { return p.at < len(bits) && bits[p.at]&p.mask != 0 }

// forgetReads clears a user's bit in the announcements that they have read.
func (s *Store) forgetReads(ctx context.Context, u *notifier.User) error {
	where := bitOf(u.Seq)
	var read []int64
	err := s.all(ctx, func(rows *sql.Rows) error {
		var id int64
		var bits sql.RawBytes
		err := rows.Scan(&id, &bits)
		if err == nil && where.in(bits) {
			read = append(read, id)
		}
		return err
	}, `SELECT announcement_id, bits FROM announcement_reads WHERE audience = $1 AND segment = $2`, int64(u.Audience), where.segment)
	if err != nil {
		return err
	}
	for _, id := range read {
		err := s.tx(ctx, func(tx *sql.Tx) error {
			return clearBit(ctx, tx, notifier.PartKey{ID: id, Audience: u.Audience}, where)
		})
		if err != nil && !errors.Is(err, sql.ErrNoRows) { // the announcement may be gone
			return err
		}
	}
	return nil
}

// clearBit keeps the version as it is, so that a later write-behind still counts as newer.
func clearBit(ctx context.Context, tx *sql.Tx, k notifier.PartKey, where bitPlace) error {
	// Lock and read in one statement, so that no concurrent write-behind is lost.
	var bits []byte
	err := tx.QueryRowContext(ctx, `UPDATE announcement_reads SET ver = ver
		WHERE announcement_id = $1 AND audience = $2 AND segment = $3 RETURNING bits`, k.ID, int64(k.Audience), where.segment).Scan(&bits)
	if err != nil || !where.in(bits) {
		return err
	}
	bits[where.at] &^= where.mask
	_, err = tx.ExecContext(ctx, `UPDATE announcement_reads SET bits = $1 WHERE announcement_id = $2 AND audience = $3 AND segment = $4`,
		bits, k.ID, int64(k.Audience), where.segment)
	return err
}
