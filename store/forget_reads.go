package store

import (
	"context"
	"database/sql"
	"errors"

	"github.com/carillonhq/carillon/notifier"
)

// bitPlace is where the bit of a user is in the bitmaps of who has read what.
type bitPlace struct {
	segment int64
	at      int  // byte of the segment
	mask    byte // as in Redis the first bit of a byte is the highest
}

func bitOf(seq int64) bitPlace {
	const segmentBits = 8 * notifier.SegmentBytes
	bit := seq % segmentBits
	return bitPlace{seq / segmentBits, int(bit / 8), byte(0x80) >> (bit % 8)}
}

// in is whether the bit is set in the segment. What follows the segment is zero.
func (p bitPlace) in(bits []byte) bool { return p.at < len(bits) && bits[p.at]&p.mask != 0 }

// forgetReads takes somebody's bit out of the announcements that he has read.
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

// clearBit leaves the version as it is: what is written behind later is newer still.
func clearBit(ctx context.Context, tx *sql.Tx, k notifier.PartKey, where bitPlace) error {
	// Locked and read in one, so that nothing that is written behind meanwhile gets lost.
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
