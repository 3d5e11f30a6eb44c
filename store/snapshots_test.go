package store_test

import (
	"math"
	"slices"
	"strconv"
	"sync"
	"testing"

	"github.com/google/go-cmp/cmp"
	"github.com/google/go-cmp/cmp/cmpopts"

	"github.com/carillonhq/carillon/internal/testkit"
	"github.com/carillonhq/carillon/notifier"
	"github.com/carillonhq/carillon/store"
)

// snapshot returns an inbox in which every number depends on its version.
func snapshot(seq, ver int64, entries int) notifier.Snapshot {
	return notifier.Snapshot{
		Seq: seq, Ver: ver, Unread: ver % 100, Opened: ver - 1, Rows: groups(rows(entries)), Gone: goneBy(int(ver % 10)), Floor: ver % 7,
		Kept: []int64{ver, 7, ver % 50}[:ver%4%3], Archived: archivedGroups(archivedRows(int(ver % 5))),
	}
}

// groups has every third row stand for several notices.
func groups(rows []notifier.SnapshotRow) []notifier.SnapshotRow {
	for i := range rows {
		if i%3 == 0 {
			rows[i].Members = "g3+,5=,6=aB_-," + strconv.FormatInt(rows[i].NoticeID, 10) + "="
		}
	}
	return rows
}

// archivedGroups has every second entry stand for several notices.
func archivedGroups(rows []notifier.ArchivedRow) []notifier.ArchivedRow {
	for i := range rows {
		if i%2 == 1 {
			rows[i].Members = "m2,7=,8=abc"
		}
		rows[i].Snoozed = i%4 > 1
	}
	return rows
}

// archivedRows returns n archived entries.
func archivedRows(n int) (rows []notifier.ArchivedRow) {
	for i := range int64(n) {
		rows = append(rows, notifier.ArchivedRow{Key: "like:photo:" + strconv.FormatInt(i, 10), NoticeID: 90 - i, At: 1_790_000_000_000 + i, Expires: i % 2 * 1_800_000_000_000, ArchivedAt: 1_790_000_000_009 * i})
	}
	return rows
}

// addUsers creates users 1 to n.
func addUsers(tb testing.TB, s *store.Store, n int) {
	tb.Helper()
	store.Exec(tb, s, `INSERT INTO users (seq, name, name_fold, password_hash, audience, locale, created_at)
		WITH RECURSIVE numbers (n) AS (SELECT 1 UNION ALL SELECT n + 1 FROM numbers WHERE n < `+strconv.Itoa(n)+`)
		SELECT n, 'u' || n, 'u' || n, '', 3, '', 0 FROM numbers`)
}

func save(t *testing.T, s *store.Store, snapshots ...notifier.Snapshot) {
	t.Helper()
	if err := s.SaveSnapshots(t.Context(), snapshots); err != nil {
		t.Fatalf("save %d snapshots: %v", len(snapshots), err)
	}
}

// wantSnapshots checks that exactly these snapshots are returned for seqs.
func wantSnapshots(t *testing.T, s *store.Store, seqs []int64, want ...notifier.Snapshot) {
	t.Helper()
	bySeq := make(map[int64]notifier.Snapshot)
	for _, n := range want {
		bySeq[n.Seq] = n
	}
	got := must(s.Snapshots(t.Context(), seqs))(t)
	if diff := cmp.Diff(bySeq, got, cmpopts.EquateEmpty()); diff != "" {
		t.Errorf("snapshots (-want +got):\n%s", diff)
	}
}

func TestSnapshotsSurviveARestart(t *testing.T) {
	onBoth(t, func(t *testing.T, db *database) {
		s := db.open(t)
		addUsers(t, s, 4)
		empty := notifier.Snapshot{Seq: 3}
		most := notifier.Snapshot{Seq: 2, Ver: math.MaxInt64, Unread: 200, Opened: math.MaxInt64, Rows: groups(rows(200)), Gone: goneBy(500), Floor: math.MaxInt64, Kept: []int64{math.MaxInt64, 1, math.MaxInt64}, Archived: archivedGroups(archivedRows(200))}
		save(t, s, snapshot(1, 1_790_000_000_001, 30), most, empty)
		save(t, s)
		again := db.open(t)
		wantSnapshots(t, again, []int64{4, 3, 2, 1, 99, -1, 2}, snapshot(1, 1_790_000_000_001, 30), most, empty, notifier.Snapshot{Seq: 4})
		wantSnapshots(t, again, []int64{1}, snapshot(1, 1_790_000_000_001, 30))
		wantSnapshots(t, again, nil)
	})
}

func TestOlderSnapshotNeverReplacesANewerOne(t *testing.T) {
	onBoth(t, func(t *testing.T, db *database) {
		s := db.open(t)
		addUsers(t, s, 4)
		save(t, s, snapshot(1, 15, 3), snapshot(2, 15, 3), snapshot(3, 15, 3))
		save(t, s, snapshot(1, 14, 4), snapshot(2, 15, 5), snapshot(3, 16, 0))
		wantSnapshots(t, s, []int64{1, 2, 3}, snapshot(1, 15, 3), snapshot(2, 15, 3), snapshot(3, 16, 0))
		save(t, s, snapshot(4, 8, 1), snapshot(4, 9, 2), snapshot(4, 7, 3))
		wantSnapshots(t, s, []int64{4}, snapshot(4, 9, 2))
	})
}

func TestSnapshotsOfADeletedUserAreDeletedAndDropped(t *testing.T) {
	onBoth(t, func(t *testing.T, db *database) {
		s := db.open(t)
		addUsers(t, s, 3)
		save(t, s, snapshot(1, 5, 3), snapshot(2, 5, 3))
		store.Exec(t, s, `DELETE FROM users WHERE seq = 2`)
		wantSnapshots(t, s, []int64{1, 2}, snapshot(1, 5, 3))
		save(t, s, snapshot(2, 6, 3), snapshot(99, 6, 3), snapshot(0, 1, 0), snapshot(-1, 1, 0), snapshot(3, 6, 3))
		wantSnapshots(t, s, []int64{-1, 0, 1, 2, 3, 99}, snapshot(1, 5, 3), snapshot(3, 6, 3))
		save(t, s, snapshot(2, 7, 3))
	})
}

// TestUserMayBeDeletedWhileTheirSnapshotIsStored covers an existing snapshot and a new one.
func TestUserMayBeDeletedWhileTheirSnapshotIsStored(t *testing.T) {
	onBoth(t, func(t *testing.T, db *database) {
		s := db.open(t)
		addUsers(t, s, 3)
		save(t, s, snapshot(1, 5, 3))
		whileDeleting(t, db, `DELETE FROM users WHERE seq < 3`, func() error {
			return s.SaveSnapshots(t.Context(), []notifier.Snapshot{snapshot(1, 6, 3), snapshot(2, 6, 3), snapshot(3, 6, 3)})
		})
		wantSnapshots(t, s, []int64{1, 2, 3}, snapshot(3, 6, 3))
	})
}

// whileDeleting calls save during a deleting transaction, commits that once save waits for it, and
// checks that save succeeds.
func whileDeleting(t *testing.T, db *database, statement string, save func() error) {
	t.Helper()
	other := db.raw(t)
	tx := must(other.BeginTx(t.Context(), nil))(t)
	if _, err := tx.ExecContext(t.Context(), statement); err != nil {
		t.Fatal(err)
	}
	saved := make(chan error, 1)
	go func() { saved <- save() }()
	if db.cfg.URL != "" { // on SQLite save waits before it reads
		testkit.Eventually(t, "save waits", func() bool {
			select {
			case err := <-saved:
				t.Fatalf("save did not wait: %v", err)
			default:
			}
			var waiting int
			err := other.QueryRowContext(t.Context(),
				`SELECT count(*) FROM pg_stat_activity WHERE datname = current_database() AND wait_event_type = 'Lock'`).Scan(&waiting)
			if err != nil {
				t.Fatal(err)
			}
			return waiting > 0
		})
	}
	if err := tx.Commit(); err != nil {
		t.Fatal(err)
	}
	if err := <-saved; err != nil {
		t.Errorf("store a snapshot during the deletion: %v", err)
	}
}

func TestMoreSnapshotsThanOneBatchAreStoredAndRead(t *testing.T) {
	onBoth(t, func(t *testing.T, db *database) {
		s := db.open(t)
		addUsers(t, s, 2001)
		for _, n := range []int{501, 2001} {
			var all []notifier.Snapshot
			var seqs []int64
			for seq := range int64(n) {
				all, seqs = append(all, snapshot(seq+1, int64(n), 2)), append(seqs, seq+1)
			}
			save(t, s, all...)
			wantSnapshots(t, s, seqs, all...)
		}
	})
}

func TestSnapshotsAreStoredAllOrNone(t *testing.T) {
	onBoth(t, func(t *testing.T, db *database) {
		s := db.open(t)
		addUsers(t, s, 1500)
		store.Exec(t, s, `CREATE UNIQUE INDEX unlucky ON inbox_snapshots (ver)`)
		var all []notifier.Snapshot
		for seq := range int64(1500) {
			all = append(all, snapshot(seq+1, seq+1, 0))
		}
		all[1499].Ver = 1
		wantIs(t, s.SaveSnapshots(t.Context(), all), notifier.ErrConflict)
		wantSnapshots(t, s, []int64{1, 2, 1500}, notifier.Snapshot{Seq: 1}, notifier.Snapshot{Seq: 2}, notifier.Snapshot{Seq: 1500})
	})
}

func TestConcurrentWritersLeaveTheNewestSnapshots(t *testing.T) {
	onBoth(t, func(t *testing.T, db *database) {
		const users = 1200 // more than fit in one statement
		stores := []*store.Store{db.open(t), db.open(t)}
		addUsers(t, stores[0], users)
		var wg sync.WaitGroup
		for ver := range int64(16) {
			wg.Go(func() {
				var all []notifier.Snapshot
				for seq := range int64(users) {
					all = append(all, snapshot(seq+1, ver, 1))
				}
				if ver%2 == 0 { // in reverse order
					slices.Reverse(all)
				}
				if err := stores[ver%2].SaveSnapshots(t.Context(), all); err != nil {
					t.Error(err)
				}
			})
		}
		wg.Wait()
		var want []notifier.Snapshot
		var seqs []int64
		for seq := range int64(users) {
			want, seqs = append(want, snapshot(seq+1, 15, 1)), append(seqs, seq+1)
		}
		wantSnapshots(t, stores[0], seqs, want...)
	})
}

func TestSnapshotVersListsUsersByVersion(t *testing.T) {
	onBoth(t, func(t *testing.T, db *database) {
		s := db.open(t)
		addUsers(t, s, 6)
		save(t, s, snapshot(5, 30, 1), snapshot(1, 10, 1), snapshot(2, 11, 0), snapshot(3, 30, 2))
		list := func(above, after int64, limit int, want ...notifier.Dirty) {
			t.Helper()
			got := must(s.SnapshotVers(t.Context(), above, after, limit))(t)
			if diff := cmp.Diff(want, got, cmpopts.EquateEmpty()); diff != "" {
				t.Errorf("above %d, after user %d (-want +got):\n%s", above, after, diff)
			}
		}
		list(10, 0, 10, notifier.Dirty{Seq: 2, Ver: 11}, notifier.Dirty{Seq: 3, Ver: 30}, notifier.Dirty{Seq: 5, Ver: 30})
		list(10, 0, 2, notifier.Dirty{Seq: 2, Ver: 11}, notifier.Dirty{Seq: 3, Ver: 30})
		list(10, 3, 2, notifier.Dirty{Seq: 5, Ver: 30})
		list(0, 0, 1, notifier.Dirty{Seq: 1, Ver: 10})
		list(30, 0, 10)
		got := must(s.VersOf(t.Context(), []int64{6, 5, 1, 99, -1, 5}))(t)
		if diff := cmp.Diff(map[int64]int64{1: 10, 5: 30, 6: 0}, got); diff != "" {
			t.Errorf("versions (-want +got):\n%s", diff)
		}
		if none := must(s.VersOf(t.Context(), nil))(t); len(none) != 0 {
			t.Errorf("for no users: %v", none)
		}
	})
}
