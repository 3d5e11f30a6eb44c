package store

import (
	"cmp"
	"context"
	"database/sql"
	"slices"

	"github.com/carillonhq/carillon/notifier"
)

// SaveCounts stores how far notices have come, all or none of it. A number that
// is stored is never lowered; counts of a notice that was deleted are dropped.
func (s *Store) SaveCounts(ctx context.Context, counts []notifier.NoticeCount) error {
	if len(counts) == 0 {
		return nil
	}
	highest := highestCounts(counts)
	save := func(tx *sql.Tx) error {
		for part := range slices.Chunk(highest, snapshotsBatch) {
			if err := s.dialect.saveCounts(ctx, tx, part); err != nil {
				return err
			}
		}
		return nil
	}
	return s.fail(s.whileThere(ctx, save), "store %d counts", len(counts))
}

// highestCounts puts counts into the order of their keys and merges those of the
// same one.
func highestCounts(counts []notifier.NoticeCount) []notifier.NoticeCount {
	sorted := slices.Clone(counts)
	slices.SortFunc(sorted, func(a, b notifier.NoticeCount) int {
		return cmp.Or(cmp.Compare(a.NoticeID, b.NoticeID), cmp.Compare(a.Partition, b.Partition))
	})
	highest := sorted[:0]
	for _, c := range sorted {
		if n := len(highest); n > 0 && highest[n-1].NoticeID == c.NoticeID && highest[n-1].Partition == c.Partition {
			last := &highest[n-1]
			last.Delivered, last.Read = max(last.Delivered, c.Delivered), max(last.Read, c.Read)
			continue
		}
		highest = append(highest, c)
	}
	return highest
}

// Counts returns what is stored for a partition in the order of the notices.
func (s *Store) Counts(ctx context.Context, partition int) ([]notifier.NoticeCount, error) {
	var counts []notifier.NoticeCount
	err := s.all(ctx, func(rows *sql.Rows) error {
		c := notifier.NoticeCount{Partition: partition}
		err := rows.Scan(&c.NoticeID, &c.Delivered, &c.Read)
		counts = append(counts, c)
		return err
	}, countsQuery, partition)
	return counts, s.fail(err, "read the counts of partition %d", partition)
}

const countsQuery = `SELECT notice_id, delivered, read FROM notice_counts WHERE partition = $1 ORDER BY notice_id`

// raiseCounts is how a count that is stored meets one that comes: it changes
// only if a number rises.
const raiseCounts = ` ON CONFLICT (notice_id, partition) DO UPDATE SET
		delivered = CASE WHEN excluded.delivered > notice_counts.delivered THEN excluded.delivered ELSE notice_counts.delivered END,
		read = CASE WHEN excluded.read > notice_counts.read THEN excluded.read ELSE notice_counts.read END
	WHERE excluded.delivered > notice_counts.delivered OR excluded.read > notice_counts.read`
