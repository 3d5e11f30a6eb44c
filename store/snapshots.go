package store

import (
	"cmp"
	"context"
	"database/sql"
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
	seq, ver, unread, opened, floor int64
	entries, gone                   []byte
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
		opened = excluded.opened, floor = excluded.floor, entries = excluded.entries, gone = excluded.gone
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
		rows[i] = snapshotRow{n.Seq, n.Ver, n.Unread, n.Opened, n.Floor, encodeRows(n.Rows), encodeGone(n.Gone)}
	}
	return rows
}

// Snapshots returns the inboxes of these users by their numbers. A user whose inbox
// was never stored has an empty one with Ver 0; who is missing in the answer is no
// user, or was deleted. One that cannot be read is answered as Damaged, with
// its Ver.
func (s *Store) Snapshots(ctx context.Context, seqs []int64) (map[int64]notifier.Snapshot, error) {
	found := make(map[int64]notifier.Snapshot, len(seqs))
	for part := range slices.Chunk(seqs, inboxBatch) {
		err := s.all(ctx, func(rows *sql.Rows) error {
			n, err := scanSnapshot(rows)
			found[n.Seq] = n
			return err
		}, `SELECT u.seq, ver, unread, opened, floor, entries, gone FROM users u LEFT JOIN inbox_snapshots s ON s.seq = u.seq
			WHERE `+s.dialect.within("u.seq", 1), s.dialect.numberList(part))
		if err != nil {
			return nil, s.fail(err, "read %d snapshots", len(seqs))
		}
	}
	return found, nil
}

func scanSnapshot(rows *sql.Rows) (n notifier.Snapshot, err error) {
	var ver, unread, opened, floor sql.Null[int64]
	var entries, gone sql.RawBytes // decoding copies what it keeps
	if err := rows.Scan(&n.Seq, &ver, &unread, &opened, &floor, &entries, &gone); err != nil || !ver.Valid {
		return n, err
	}
	var badRows, badGone error
	n.Ver, n.Unread, n.Opened, n.Floor = ver.V, unread.V, opened.V, floor.V
	n.Rows, badRows = decodeRows(entries)
	n.Gone, badGone = decodeGone(gone)
	if badRows != nil || badGone != nil {
		n = notifier.Snapshot{Seq: n.Seq, Ver: n.Ver, Damaged: true}
	}
	return n, nil
}

// SnapshotVers returns users whose inbox is stored with a version above above, and
// whose number is above after, in the order of the numbers.
func (s *Store) SnapshotVers(ctx context.Context, above, after int64, limit int) ([]notifier.Dirty, error) {
	var users []notifier.Dirty
	err := s.all(ctx, func(rows *sql.Rows) error {
		var d notifier.Dirty
		err := rows.Scan(&d.Seq, &d.Ver)
		users = append(users, d)
		return err
	}, `SELECT seq, ver FROM inbox_snapshots WHERE ver > $1 AND seq > $2 ORDER BY seq LIMIT $3`, above, after, pageSize(limit))
	return users, s.fail(err, "list the versions of inboxes")
}

// VersOf returns the version with which the inbox of each of these users is stored, 0
// where none is. Who is missing in the answer is no user, or was deleted.
func (s *Store) VersOf(ctx context.Context, seqs []int64) (map[int64]int64, error) {
	vers := make(map[int64]int64, len(seqs))
	for part := range slices.Chunk(seqs, listSize) {
		err := s.all(ctx, func(rows *sql.Rows) error {
			var seq, ver int64
			err := rows.Scan(&seq, &ver)
			vers[seq] = ver
			return err
		}, `SELECT u.seq, COALESCE(ver, 0) FROM users u LEFT JOIN inbox_snapshots s ON s.seq = u.seq
			WHERE `+s.dialect.within("u.seq", 1), s.dialect.numberList(part))
		if err != nil {
			return nil, s.fail(err, "read the versions of %d inboxes", len(seqs))
		}
	}
	return vers, nil
}

// Contents returns these notices by their ids, in whatever state they are,
// retracted and expired ones too. What was deleted is left out.
func (s *Store) Contents(ctx context.Context, ids []int64) (map[int64]notifier.Notice, error) {
	found := make(map[int64]notifier.Notice, len(ids))
	for part := range slices.Chunk(ids, inboxBatch) {
		some, err := s.wholeNotices(ctx, `WHERE `+s.dialect.within("id", 1), s.dialect.numberList(part))
		if err != nil {
			return nil, s.fail(err, "read %d notices", len(ids))
		}
		for i := range some {
			found[some[i].ID] = some[i]
		}
	}
	return found, nil
}
