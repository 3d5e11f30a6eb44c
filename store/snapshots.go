package store

import (
	"cmp"
	"context"
	"database/sql"
	"slices"
	"time"

	"github.com/carillonhq/carillon/notifier"
)

const (
	// snapshotsBatch is the number of snapshots stored by one statement: a few MB.
	snapshotsBatch = 1000
	// inboxBatch is the number of inboxes or notices read by one statement: a few MB.
	inboxBatch = 500
	// leavers is the maximum number of repetitions of a transaction after a referenced row was deleted.
	leavers = 5
)

// snapshotRow is a snapshot in its stored form.
type snapshotRow struct {
	seq, ver, unread, opened, floor int64
	entries, gone, kept, archived   []byte
	members                         []byte
	wakes                           int64
}

// SaveSnapshots stores inboxes, either all of them or none. It keeps stored snapshots with the same or a
// higher Ver, and drops snapshots of deleted users. The same transaction makes the targets due
// whose users have new unread notices, and stores the events of what users have read, marked as unread
// and removed.
func (s *Store) SaveSnapshots(ctx context.Context, snapshots []notifier.Snapshot) error {
	if len(snapshots) == 0 {
		return nil
	}
	newest := newestEach(snapshots)
	rows := snapshotRows(newest)
	save := func(tx *sql.Tx) error {
		changes, err := s.entryFacts(ctx, tx, newest)
		if err != nil {
			return err
		}
		for part := range slices.Chunk(rows, snapshotsBatch) {
			if err := s.dialect.saveSnapshots(ctx, tx, part); err != nil {
				return err
			}
		}
		if err := s.emit(ctx, tx, changes...); err != nil {
			return err
		}
		return s.markTargets(ctx, tx, snapshots)
	}
	return s.fail(s.whileThere(ctx, save), "store %d snapshots", len(snapshots))
}

// replaceSnapshot resolves the conflict with a stored snapshot: the newer one wins.
const replaceSnapshot = ` ON CONFLICT (seq) DO UPDATE SET ver = excluded.ver, unread = excluded.unread,
		opened = excluded.opened, floor = excluded.floor, entries = excluded.entries, gone = excluded.gone,
		kept = excluded.kept, archived = excluded.archived, members = excluded.members, wakes = excluded.wakes
	WHERE excluded.ver > inbox_snapshots.ver`

// whileThere repeats a transaction that failed because a row was deleted after the transaction had
// looked it up: the next attempt does not find it. This never happens on SQLite, which has a single
// writer.
func (s *Store) whileThere(ctx context.Context, do func(*sql.Tx) error) error {
	for left := leavers; ; left-- {
		err := s.tx(ctx, do)
		if err == nil || left == 0 || s.dialect.fault(err) != faultMissing {
			return err
		}
	}
}

// newestEach returns the newest snapshot of each user, ordered by user, so that writers of the same
// users cannot deadlock.
func newestEach(snapshots []notifier.Snapshot) []notifier.Snapshot {
	newest := slices.Clone(snapshots)
	slices.SortFunc(newest, func(a, b notifier.Snapshot) int {
		return cmp.Or(cmp.Compare(a.Seq, b.Seq), cmp.Compare(b.Ver, a.Ver))
	})
	return slices.CompactFunc(newest, func(a, b notifier.Snapshot) bool { return a.Seq == b.Seq })
}

// snapshotRows encodes snapshots.
func snapshotRows(newest []notifier.Snapshot) []snapshotRow {
	rows := make([]snapshotRow, len(newest))
	for i := range newest {
		n := &newest[i]
		rows[i] = snapshotRow{n.Seq, n.Ver, n.Unread, n.Opened, n.Floor, encodeRows(n.Rows), encodeGone(n.Gone), encodeIDs(n.Kept), encodeArchived(n.Archived), encodeMembers(n.Rows, n.Archived), n.Wakes()}
	}
	return rows
}

// Snapshots returns the inboxes of these users by number. A user whose inbox was never stored has an
// empty one with Ver 0. Numbers of unknown or deleted users are missing from the result. A snapshot
// that cannot be decoded is returned as Damaged, with its Ver.
func (s *Store) Snapshots(ctx context.Context, seqs []int64) (map[int64]notifier.Snapshot, error) {
	found := make(map[int64]notifier.Snapshot, len(seqs))
	for part := range slices.Chunk(seqs, inboxBatch) {
		err := s.all(ctx, func(rows *sql.Rows) error {
			n, err := scanSnapshot(rows)
			found[n.Seq] = n
			return err
		}, `SELECT u.seq, ver, unread, opened, floor, entries, gone, kept, archived, members FROM users u LEFT JOIN inbox_snapshots s ON s.seq = u.seq
			WHERE `+s.dialect.within("u.seq", 1), s.dialect.numberList(part))
		if err != nil {
			return nil, s.fail(err, "read %d snapshots", len(seqs))
		}
	}
	return found, nil
}

func scanSnapshot(rows *sql.Rows) (n notifier.Snapshot, err error) {
	var ver, unread, opened, floor sql.Null[int64]
	var entries, gone, kept, archived, members sql.RawBytes // decoding copies the data it retains
	if err := rows.Scan(&n.Seq, &ver, &unread, &opened, &floor, &entries, &gone, &kept, &archived, &members); err != nil || !ver.Valid {
		return n, err
	}
	var badRows, badGone, badKept, badArchived error
	n.Ver, n.Unread, n.Opened, n.Floor = ver.V, unread.V, opened.V, floor.V
	n.Rows, badRows = decodeRows(entries)
	n.Gone, badGone = decodeGone(gone)
	n.Kept, badKept = decodeIDs(kept)
	n.Archived, badArchived = decodeArchived(archived)
	assignMembers(members, n.Rows, n.Archived)
	if badRows != nil || badGone != nil || badKept != nil || badArchived != nil {
		n = notifier.Snapshot{Seq: n.Seq, Ver: n.Ver, Damaged: true}
	}
	return n, nil
}

// Wakes returns the users with a snoozed entry that is due at now, the earliest first, and users with the same time by number.
// after is the last one of the previous page; zero: the first page.
func (s *Store) Wakes(ctx context.Context, now time.Time, after notifier.Wake, limit int) ([]notifier.Wake, error) {
	var due []notifier.Wake
	err := s.all(ctx, func(rows *sql.Rows) error {
		var w notifier.Wake
		err := rows.Scan(&w.Seq, &w.At)
		due = append(due, w)
		return err
	}, `SELECT seq, wakes FROM inbox_snapshots WHERE wakes > 0 AND wakes <= $1 AND (wakes, seq) > ($2, $3) ORDER BY wakes, seq LIMIT $4`,
		millis(now), after.At, after.Seq, pageSize(limit))
	return due, s.fail(err, "list snoozed entries that are due")
}

// SnapshotVers returns the users with a snapshot version above above and a number above after,
// ordered by number.
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

// VersOf returns the snapshot version of each of these users, or 0 if none is stored. Numbers of
// unknown or deleted users are missing from the result.
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

// Contents returns these notices by id, whatever their state, including retracted and expired ones.
// Deleted notices are left out.
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
