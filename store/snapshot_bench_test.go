package store_test

import (
	"slices"
	"strconv"
	"testing"
	"time"

	"github.com/RoaringBitmap/roaring/v2"

	"github.com/carillonhq/carillon/notifier"
	"github.com/carillonhq/carillon/store"
)

// BenchmarkSnapshots measures storing 10,000 inboxes of 30 rows, all at once and in the batches of
// a flush, and reading them again.
func BenchmarkSnapshots(b *testing.B) {
	onEach(b, func(b *testing.B, s *store.Store) {
		const users = 10_000
		addUsers(b, s, users)
		var seqs []int64
		var all []notifier.Snapshot
		for seq := range int64(users) {
			seqs = append(seqs, seq+1)
			all = append(all, notifier.Snapshot{Seq: seq + 1, Rows: rows(30), Gone: goneBy(10)})
		}
		var ver int64
		for name, size := range map[string]int{"save": users, "save 500 at a time": 500} {
			b.Run(name, func(b *testing.B) {
				for b.Loop() {
					ver++
					for i := range all {
						all[i].Ver, all[i].Unread = ver, ver%30
					}
					for part := range slices.Chunk(all, size) {
						if err := s.SaveSnapshots(b.Context(), part); err != nil {
							b.Fatal(err)
						}
					}
				}
				perSecond(b, users)
			})
		}
		b.Run("read", func(b *testing.B) {
			for b.Loop() {
				found, err := s.Snapshots(b.Context(), seqs)
				if err != nil || len(found) != users {
					b.Fatalf("%d, %v", len(found), err)
				}
			}
			perSecond(b, users)
		})
	})
}

// BenchmarkSnapshotVers measures how long it takes to find that no inbox is newer in SQL, after Redis came back.
func BenchmarkSnapshotVers(b *testing.B) {
	onEach(b, func(b *testing.B, s *store.Store) {
		const users = 100_000
		addUsers(b, s, users)
		all := make([]notifier.Snapshot, users)
		for i := range all {
			all[i] = notifier.Snapshot{Seq: int64(i + 1), Ver: 1, Rows: rows(30), Gone: goneBy(10)}
		}
		if err := s.SaveSnapshots(b.Context(), all); err != nil {
			b.Fatal(err)
		}
		for b.Loop() {
			if found, err := s.SnapshotVers(b.Context(), 1, 0, 1000); err != nil || len(found) > 0 {
				b.Fatalf("%v, %v", found, err)
			}
		}
		perSecond(b, users)
	})
}

// BenchmarkDeleteUser measures the deletion of one user among many notices.
func BenchmarkDeleteUser(b *testing.B) {
	onEach(b, func(b *testing.B, s *store.Store) {
		const users = 1000
		addUsers(b, s, users)
		everybody := roaring.New()
		everybody.AddRange(1, users+1)
		for range crowd / 1000 {
			all := make([]*notifier.Acceptance, 1000)
			for i := range all {
				all[i] = &notifier.Acceptance{Notice: &notifier.Notice{Draft: draft()}, To: roaring.BitmapOf(uint32(i + 1))}
				if i%100 == 0 {
					all[i].To = everybody
				}
			}
			if err := s.AcceptAll(b.Context(), notifier.Deed{}, all); err != nil {
				b.Fatal(err)
			}
		}
		for seq := 2; b.Loop(); seq++ {
			if _, err := s.DeleteUser(b.Context(), "u"+strconv.Itoa(seq)); err != nil {
				b.Fatal(err)
			}
		}
	})
}

func perSecond(b *testing.B, users int) {
	b.Helper()
	b.ReportMetric(float64(users)*float64(b.N)/b.Elapsed().Seconds(), "users/s")
	b.ReportMetric(0, "ns/op")
}

// BenchmarkCounts measures storing new counts of 10,000 notices in all partitions.
func BenchmarkCounts(b *testing.B) {
	onEach(b, func(b *testing.B, s *store.Store) {
		store.Exec(b, s, `INSERT INTO notices (state, created_at, expires_at, target, type, scope, subject, title, body, link, toast, sender_id)
			WITH RECURSIVE numbers (n) AS (SELECT 1 UNION ALL SELECT n + 1 FROM numbers WHERE n < 160)
			SELECT 'sent', 1, 2, '{}', 'news', '', '', 't', '', '', FALSE, '' FROM numbers`)
		counts := make([]notifier.NoticeCount, 160*64)
		for n := int64(1); b.Loop(); n++ {
			for i := range counts {
				counts[i] = notifier.NoticeCount{NoticeID: int64(i/64 + 1), Partition: i % 64, Delivered: n, Read: n}
			}
			if err := s.SaveCounts(b.Context(), counts); err != nil {
				b.Fatal(err)
			}
		}
	})
}

// BenchmarkMark measures a flush of 500 inboxes in three cases: no user has an address or a device; other users have
// one; each of these users has one, and its target becomes due.
func BenchmarkMark(b *testing.B) {
	onEach(b, func(b *testing.B, s *store.Store) {
		const users = 500
		addUsers(b, s, users+1)
		all := make([]notifier.Snapshot, users)
		for i := range all {
			all[i] = notifier.Snapshot{Seq: int64(i + 1), Rows: rows(30), Gone: goneBy(10)}
		}
		ver := int64(1)
		addDevice := func(seq int64) {
			device := notifier.NewDevice{Seq: seq, Endpoint: "https://push.example.com/" + strconv.FormatInt(seq, 10), Keys: []byte{}}
			if _, _, err := s.AddDevice(b.Context(), device); err != nil {
				b.Fatal(err)
			}
		}
		for _, c := range []struct {
			name string
			add  func()
		}{
			{"no targets", func() {}},
			{"targets of others", func() { addDevice(users + 1) }},
			{"targets of all", func() {
				for seq := range int64(users) {
					addDevice(seq + 1)
				}
			}},
		} {
			b.Run(c.name, func(b *testing.B) {
				c.add()
				for b.Loop() {
					ver = max(ver, time.Now().UnixMilli()) + 1
					for i := range all {
						all[i].Ver, all[i].Rows[0].At = ver, ver
					}
					if err := s.SaveSnapshots(b.Context(), all); err != nil {
						b.Fatal(err)
					}
				}
				perSecond(b, users)
			})
		}
	})
}

// BenchmarkHook measures a flush of 500 inboxes, in each of which a row was read, in three cases: there is no hook; a hook wants sent notices;
// a hook wants what is read.
func BenchmarkHook(b *testing.B) {
	onEach(b, func(b *testing.B, s *store.Store) {
		const users = 500
		addUsers(b, s, users)
		all := make([]notifier.Snapshot, users)
		for i := range all {
			all[i] = notifier.Snapshot{Seq: int64(i + 1), Rows: rows(30), Gone: goneBy(10)}
		}
		ver := int64(0)
		for _, c := range []struct {
			name  string
			event notifier.EventType
		}{{"none", ""}, {"of sent notices", notifier.EventNoticeSent}, {"of what is read", notifier.EventEntriesRead}} {
			b.Run(c.name, func(b *testing.B) {
				store.Exec(b, s, `DELETE FROM hooks`)
				if c.event != "" {
					addHook(b, s, string(c.event)+strconv.FormatInt(ver, 10), c.event)
				}
				for b.Loop() {
					ver++
					for i := range all {
						suffix := notifier.UnreadSuffix
						if ver%2 == 0 {
							suffix = notifier.ReadSuffix
						}
						all[i].Ver, all[i].Rows[0].Field = ver, "like:photo:1"+suffix
					}
					if err := s.SaveSnapshots(b.Context(), all); err != nil {
						b.Fatal(err)
					}
				}
				perSecond(b, users)
			})
		}
	})
}
