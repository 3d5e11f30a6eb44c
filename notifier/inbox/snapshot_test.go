package inbox_test

import (
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"github.com/carillonhq/carillon/notifier"
	"github.com/carillonhq/carillon/notifier/keys"
)

func TestASnapshotHasEverythingNeededToRestoreTheInbox(t *testing.T) {
	onEachRedis(t, func(t *testing.T, s *site) {
		s.fill(t, 42, 1, 3)
		page, err := s.Open(t.Context(), 42)
		if err != nil {
			t.Fatal(err)
		}
		if _, _, err := s.MarkUnread(t.Context(), 42, key(1)); err != nil {
			t.Fatal(err)
		}
		left, err := s.Delete(t.Context(), 42, key(2))
		if err != nil {
			t.Fatal(err)
		}
		if err := s.Retract(t.Context(), 99, "like:x", []int64{42}); err != nil {
			t.Fatal(err)
		}
		forever := s.notice(4, "photo:4")
		forever.ExpiresAt = time.Time{}
		s.deliver(t, 42, forever)
		before, expires := s.stored(t, 42), s.clock.in(90*24*time.Hour).UnixMilli()
		want := []notifier.Snapshot{{
			Seq: 42, Ver: number(t, before.State["ver"]), Unread: 2, Opened: page.Ver,
			Rows: []notifier.SnapshotRow{
				{Field: "like:photo:4:has_read:0", NoticeID: 4, At: number(t, before.State["ver"])},
				{Field: "like:photo:3:has_read:1", NoticeID: 3, At: startTime + 3, Expires: expires - 2},
				{Field: "like:photo:1:has_read:0", NoticeID: 1, At: startTime + 1, Expires: expires - 4},
			},
			Gone: []notifier.GoneNotice{{NoticeID: 2, Score: float64(left.Ver) + 0.25}, {NoticeID: 99, Score: float64(left.Ver+1) + 0.5}},
			Kept: []int64{1},
		}}
		if d := cmp.Diff(want, s.read(t, 42)); d != "" {
			t.Errorf("snapshot (-want +got):\n%s", d)
		}
		same(t, "reading", before, s.stored(t, 42))
	})
}

func TestReadReturnsSnapshotsInOrderWithoutColdInboxes(t *testing.T) {
	onEachRedis(t, func(t *testing.T, s *site) {
		var seqs, want []int64
		for seq := int64(600); seq > 0; seq-- {
			seqs = append(seqs, seq)
			if seq%3 > 0 {
				want = append(want, seq)
			}
		}
		if _, err := s.Deliver(t.Context(), s.notice(1, ""), want); err != nil {
			t.Fatal(err)
		}
		var got []int64
		for _, snapshot := range s.read(t, seqs...) {
			got = append(got, snapshot.Seq)
			if len(snapshot.Rows) != 1 || snapshot.Unread != 1 || snapshot.Gone != nil {
				t.Fatalf("snapshot %+v, want one row", snapshot)
			}
		}
		if d := cmp.Diff(want, got); d != "" {
			t.Errorf("users (-want +got):\n%s", d)
		}
		if none := s.read(t); len(none) != 0 {
			t.Errorf("without users: %v", none)
		}
	})
}

func TestAMalformedRowIsNotInASnapshot(t *testing.T) {
	onEachRedis(t, func(t *testing.T, s *site) {
		s.fill(t, 42, 1, 3)
		s.rdb.HDel(t.Context(), s.k.Hash(42), key(1)+notifier.UnreadSuffix)
		s.rdb.HSet(t.Context(), s.k.Hash(42), key(2)+notifier.UnreadSuffix, "2 {}")
		if got := s.read(t, 42)[0].Rows; len(got) != 1 || got[0].NoticeID != 3 {
			t.Errorf("rows %+v, want that of notice 3", got)
		}
	})
}

func TestTheOldestMarksAreListedFirst(t *testing.T) {
	onEachRedis(t, func(t *testing.T, s *site) {
		for i, seq := range []int64{129, 1, 257, 65} {
			s.deliver(t, seq, aged(s.notice(int64(i+1), "")))
		}
		s.clock.pass(time.Second)
		s.deliver(t, 129, aged(s.notice(9, "")))
		want := []notifier.Dirty{{Seq: 1, Ver: startTime + 2}, {Seq: 257, Ver: startTime + 3}, {Seq: 65, Ver: startTime + 4}, {Seq: 129, Ver: startTime + 1004}}
		for limit, n := range map[int]int{-1: 0, 0: 0, 1: 1, 3: 3, 4: 4, 500: 4} {
			got, err := s.Dirty(t.Context(), 1, limit)
			if d := cmp.Diff(want[:n], append([]notifier.Dirty{}, got...)); err != nil || d != "" {
				t.Errorf("at most %d: %v (-want +got):\n%s", limit, err, d)
			}
		}
		if got, err := s.Dirty(t.Context(), 2, 500); err != nil || len(got) != 0 {
			t.Errorf("in another partition: %v, %v", got, err)
		}
	})
}

func TestAMarkRenewedSinceItWasListedStays(t *testing.T) {
	onEachRedis(t, func(t *testing.T, s *site) {
		for _, seq := range []int64{1, 65, 129} {
			s.deliver(t, seq, aged(s.notice(1, "")))
		}
		marks, err := s.Dirty(t.Context(), 1, 500)
		if err != nil {
			t.Fatal(err)
		}
		s.deliver(t, 65, aged(s.notice(2, "")))
		for range 2 { // the second time changes nothing
			if err := s.Clean(t.Context(), 1, append(marks, notifier.Dirty{Seq: 193, Ver: 1})); err != nil {
				t.Fatal(err)
			}
			if d := cmp.Diff(map[string]int64{"65": startTime + 3}, s.stored(t, 1).Dirty); d != "" {
				t.Errorf("dirty (-want +got):\n%s", d)
			}
		}
		if err := s.Clean(t.Context(), 1, nil); err != nil {
			t.Error(err)
		}
	})
}

func TestManyMarksAreCleanedAtOnce(t *testing.T) {
	onEachRedis(t, func(t *testing.T, s *site) {
		var seqs []int64
		for i := range int64(1201) {
			seqs = append(seqs, 5+i*keys.Partitions)
		}
		if _, err := s.Deliver(t.Context(), aged(s.notice(1, "")), seqs); err != nil {
			t.Fatal(err)
		}
		marks, err := s.Dirty(t.Context(), 5, 2000)
		if err != nil || len(marks) != len(seqs) {
			t.Fatalf("%d marks, %v", len(marks), err)
		}
		if err := s.Clean(t.Context(), 5, marks[:1200]); err != nil {
			t.Fatal(err)
		}
		if left := s.stored(t, 5).Dirty; len(left) != 1 || left[decimal(marks[1200].Seq)] == 0 {
			t.Errorf("marks %v, want only the last one", left)
		}
	})
}
