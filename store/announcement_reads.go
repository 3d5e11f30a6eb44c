package store

import (
	"cmp"
	"context"
	"database/sql"
	"fmt"
	"slices"

	"github.com/carillonhq/carillon/notifier"
)

// readsBatch is the maximum number of segments stored by one statement: 4 MB in total.
const readsBatch = 1000

// SaveReads stores segments, either all of them or none. A segment stored with the same or a
// higher Ver is kept; a segment of a deleted announcement is dropped. So is a segment whose From
// differs from the ReadsFrom of the announcement: its reads were made before an edit that marked
// the announcement as unread for all users.
func (s *Store) SaveReads(ctx context.Context, segments []notifier.ReadSegment) error {
	if len(segments) == 0 {
		return nil
	}
	newest := newestFirst(segments)
	err := s.tx(ctx, func(tx *sql.Tx) error {
		for part := range slices.Chunk(newest, readsBatch) {
			if err := s.dialect.saveReads(ctx, tx, part); err != nil {
				return err
			}
		}
		return nil
	})
	return s.fail(err, "store %d read segments", len(segments))
}

// newestFirst sorts segments by key and keeps the newest of each. Writers that share this order cannot deadlock.
func newestFirst(segments []notifier.ReadSegment) []notifier.ReadSegment {
	byKey := func(a, b notifier.ReadSegment) int {
		return cmp.Or(cmp.Compare(a.ID, b.ID), cmp.Compare(a.Audience, b.Audience), cmp.Compare(a.Segment, b.Segment))
	}
	newest := slices.Clone(segments)
	slices.SortFunc(newest, func(a, b notifier.ReadSegment) int { return cmp.Or(byKey(a, b), cmp.Compare(b.Ver, a.Ver)) })
	return slices.CompactFunc(newest, func(a, b notifier.ReadSegment) bool { return byKey(a, b) == 0 })
}

// Reads returns the stored segments of an announcement in one audience, ordered by segment.
func (s *Store) Reads(ctx context.Context, k notifier.PartKey) ([]notifier.ReadSegment, error) {
	var segments []notifier.ReadSegment
	err := s.all(ctx, func(rows *sql.Rows) error {
		r := notifier.ReadSegment{PartKey: k}
		err := rows.Scan(&r.Segment, &r.Ver, &r.Bits, &r.From)
		segments = append(segments, r)
		return err
	}, `SELECT segment, ver, bits, reads_from FROM announcement_reads JOIN announcements ON notice_id = announcement_id
		WHERE announcement_id = $1 AND audience = $2 ORDER BY segment`,
		k.ID, int64(k.Audience))
	return segments, s.fail(err, "read the reads of announcement %d in audience %d", k.ID, k.Audience)
}

// LatestReads returns the highest Ver among the segments of an audience, or 0 if it has none.
func (s *Store) LatestReads(ctx context.Context, a notifier.Audience) (int64, error) {
	var ver int64
	err := s.read.QueryRowContext(ctx, `SELECT COALESCE(MAX(ver), 0) FROM announcement_reads WHERE audience = $1`, int64(a)).Scan(&ver)
	return ver, s.fail(err, "look up the latest reads of audience %d", a)
}

// FinishPart records that an announcement is over in an audience: the number of its reads and,
// if late joiners saw it, the current size of the audience. It returns notifier.ErrConflict if
// the part is still live, because of an earlier edit or because the window has not ended on this
// clock, and notifier.ErrNotFound if the part does not exist.
func (s *Store) FinishPart(ctx context.Context, k notifier.PartKey, reads int64) error {
	err := s.tx(ctx, func(tx *sql.Tx) error {
		if err := lockAnnouncements(ctx, tx, 0); err != nil {
			return err
		}
		a, err := standing(ctx, tx, k.ID)
		if err != nil {
			return err
		}
		done, err := tx.ExecContext(ctx, `UPDATE announcement_audiences SET finished = TRUE, reads = $1,
				members = CASE WHEN $5 THEN (SELECT COUNT(*) FROM users WHERE audience = $3) ELSE members END
			WHERE announcement_id = $2 AND audience = $3 AND (withdrawn OR $4)`,
			reads, k.ID, int64(k.Audience), a.retracted || a.over(s.now()), a.late)
		if err != nil {
			return err
		}
		if n, err := done.RowsAffected(); err != nil || n > 0 {
			return err
		}
		if err := tx.QueryRowContext(ctx, `SELECT reads FROM announcement_audiences WHERE announcement_id = $1 AND audience = $2`,
			k.ID, int64(k.Audience)).Scan(&reads); err != nil {
			return fmt.Errorf("look up the part: %w", err)
		}
		return notifier.ErrConflict
	})
	return s.fail(err, "finish announcement %d in audience %d", k.ID, k.Audience)
}

// ReadBy reports which of these announcements a reader has read, according to the reads stored
// so far.
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
