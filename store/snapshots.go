package store

import (
	"cmp"
	"context"
	"database/sql"
	"fmt"
	"slices"

	"github.com/carillonhq/carillon/notifier"
)

const (
	// snapshotsBatch is how many snapshots one statement stores: some MB.
	snapshotsBatch = 1000
	// inboxBatch is how many inboxes or notices one statement reads: some MB.
	inboxBatch = 500
	// leavers is how often users may leave while their snapshots are stored.
	leavers = 5
)

// snapshotRow is a snapshot as its table has it.
type snapshotRow struct {
	seq, ver, unread, opened int64
	entries, gone            []byte
}

// SaveSnapshots stores inboxes, all or none of them. One that is stored with the
// same Ver or a higher one stays; one of a user who was deleted is dropped.
func (s *Store) SaveSnapshots(ctx context.Context, snapshots []notifier.Snapshot) error {
	if len(snapshots) == 0 {
		return nil
	}
	rows := snapshotRows(snapshots)
	save := func(tx *sql.Tx) error {
		for part := range slices.Chunk(rows, snapshotsBatch) {
			if err := s.dialect.saveSnapshots(ctx, tx, part); err != nil {
				return err
			}
		}
		return nil
	}
	return s.fail(s.whileThere(ctx, save), "store %d snapshots", len(snapshots))
}

// replaceSnapshot is how a snapshot that is stored meets one that comes.
const replaceSnapshot = ` ON CONFLICT (seq) DO UPDATE SET ver = excluded.ver, unread = excluded.unread,
		opened = excluded.opened, entries = excluded.entries, gone = excluded.gone
	WHERE excluded.ver > inbox_snapshots.ver`

// whileThere repeats a transaction that met a row which was deleted after it had
// been looked for: the next time it is not found. SQLite, with one writer, never
// does that.
func (s *Store) whileThere(ctx context.Context, do func(*sql.Tx) error) error {
	for left := leavers; ; left-- {
		err := s.tx(ctx, do)
		if err == nil || left == 0 || s.dialect.fault(err) != faultMissing {
			return err
		}
	}
}

// snapshotRows encodes snapshots in the order of their users, in which two who
// store the same ones do not wait for each other in a circle, and leaves the
// newest of each.
func snapshotRows(snapshots []notifier.Snapshot) []snapshotRow {
	newest := slices.Clone(snapshots)
	slices.SortFunc(newest, func(a, b notifier.Snapshot) int {
		return cmp.Or(cmp.Compare(a.Seq, b.Seq), cmp.Compare(b.Ver, a.Ver))
	})
	newest = slices.CompactFunc(newest, func(a, b notifier.Snapshot) bool { return a.Seq == b.Seq })
	rows := make([]snapshotRow, len(newest))
	for i := range newest {
		n := &newest[i]
		rows[i] = snapshotRow{n.Seq, n.Ver, n.Unread, n.Opened, encodeRows(n.Rows), encodeGone(n.Gone)}
	}
	return rows
}

// Snapshots returns the stored inboxes of these users by their numbers. Who has
// none is left out.
func (s *Store) Snapshots(ctx context.Context, seqs []int64) (map[int64]notifier.Snapshot, error) {
	found := make(map[int64]notifier.Snapshot, len(seqs))
	for part := range slices.Chunk(seqs, inboxBatch) {
		err := s.all(ctx, func(rows *sql.Rows) error {
			n, err := scanSnapshot(rows)
			found[n.Seq] = n
			return err
		}, `SELECT seq, ver, unread, opened, entries, gone FROM inbox_snapshots WHERE `+s.dialect.within("seq", 1), s.dialect.numberList(part))
		if err != nil {
			return nil, s.fail(err, "read %d snapshots", len(seqs))
		}
	}
	return found, nil
}

func scanSnapshot(rows *sql.Rows) (n notifier.Snapshot, err error) {
	var entries, gone sql.RawBytes // decoding copies what it keeps
	if err := rows.Scan(&n.Seq, &n.Ver, &n.Unread, &n.Opened, &entries, &gone); err != nil {
		return n, err
	}
	if n.Rows, err = decodeRows(entries); err == nil {
		n.Gone, err = decodeGone(gone)
	}
	if err != nil {
		return n, fmt.Errorf("decode the snapshot of user %d: %w", n.Seq, err)
	}
	return n, nil
}

// Contents returns these notices by their ids, in whatever state they are,
// retracted and expired ones too. What was deleted is left out.
func (s *Store) Contents(ctx context.Context, ids []int64) (map[int64]notifier.Notice, error) {
	found := make(map[int64]notifier.Notice, len(ids))
	for part := range slices.Chunk(ids, inboxBatch) {
		some, err := s.notices(ctx, `WHERE `+s.dialect.within("id", 1), s.dialect.numberList(part))
		if err != nil {
			return nil, s.fail(err, "read %d notices", len(ids))
		}
		for i := range some {
			found[some[i].ID] = some[i]
		}
	}
	return found, nil
}
