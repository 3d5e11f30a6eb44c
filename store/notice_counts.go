package store

import (
	"cmp"
	"context"
	"database/sql"
	"slices"
	"time"

	"github.com/carillonhq/carillon/notifier"
)

// SaveCounts stores the delivered and read counts of notices, either all of them or none. It never
// lowers stored counts, and drops counts of a deleted notice.
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

// highestCounts sorts counts by key and merges those with the same key.
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

// NoticeCounts returns the stored counts of a partition for notices that have not expired and whose
// id is above after, ordered by id.
func (s *Store) NoticeCounts(ctx context.Context, partition int, after int64, limit int) ([]notifier.NoticeCount, error) {
	var counts []notifier.NoticeCount
	err := s.all(ctx, func(rows *sql.Rows) error {
		c := notifier.NoticeCount{Partition: partition}
		err := rows.Scan(&c.NoticeID, &c.Delivered, &c.Read)
		counts = append(counts, c)
		return err
	}, noticeCountsQuery, partition, after, millis(s.now()), pageSize(limit))
	return counts, s.fail(err, "read the counts of partition %d", partition)
}

const noticeCountsQuery = `SELECT notice_id, delivered, read FROM notice_counts JOIN notices ON id = notice_id
	WHERE partition = $1 AND notice_id > $2 AND (expires_at = 0 OR expires_at > $3) ORDER BY notice_id LIMIT $4`

// CountsOf returns the counts of each of these notices, summed over all partitions; Partition is not
// set. Notices without counts are left out.
func (s *Store) CountsOf(ctx context.Context, ids []int64) ([]notifier.NoticeCount, error) {
	var counts []notifier.NoticeCount
	for part := range slices.Chunk(ids, listSize) {
		err := s.all(ctx, func(rows *sql.Rows) error {
			var c notifier.NoticeCount
			err := rows.Scan(&c.NoticeID, &c.Delivered, &c.Read)
			counts = append(counts, c)
			return err
		}, `SELECT notice_id, CAST(SUM(delivered) AS BIGINT), CAST(SUM(read) AS BIGINT) FROM notice_counts
			WHERE `+s.dialect.within("notice_id", 1)+` GROUP BY notice_id ORDER BY notice_id`, s.dialect.numberList(part))
		if err != nil {
			return nil, s.fail(err, "read the counts of %d notices", len(ids))
		}
	}
	return counts, nil
}

// Over returns the notices of ids that expired before then or no longer exist, in the given order.
func (s *Store) Over(ctx context.Context, ids []int64, before time.Time) ([]int64, error) {
	live := make(map[int64]bool, len(ids))
	for part := range slices.Chunk(ids, listSize) {
		err := s.all(ctx, func(rows *sql.Rows) error {
			var id int64
			err := rows.Scan(&id)
			live[id] = true
			return err
		}, `SELECT id FROM notices WHERE (expires_at = 0 OR expires_at >= $2) AND `+s.dialect.within("id", 1),
			s.dialect.numberList(part), millis(before))
		if err != nil {
			return nil, s.fail(err, "look up which of %d notices are over", len(ids))
		}
	}
	return slices.DeleteFunc(slices.Clone(ids), func(id int64) bool { return live[id] }), nil
}

// raiseCounts resolves the conflict with a stored count: it changes a row only if a count rises.
const raiseCounts = ` ON CONFLICT (notice_id, partition) DO UPDATE SET
		delivered = CASE WHEN excluded.delivered > notice_counts.delivered THEN excluded.delivered ELSE notice_counts.delivered END,
		read = CASE WHEN excluded.read > notice_counts.read THEN excluded.read ELSE notice_counts.read END
	WHERE excluded.delivered > notice_counts.delivered OR excluded.read > notice_counts.read`
