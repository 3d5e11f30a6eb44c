package store_test

import (
	"slices"
	"strconv"
	"sync"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"
	"github.com/google/go-cmp/cmp/cmpopts"

	"github.com/carillonhq/carillon/notifier"
	"github.com/carillonhq/carillon/store"
)

func saveCounts(t *testing.T, s *store.Store, counts ...notifier.NoticeCount) {
	t.Helper()
	if err := s.SaveCounts(t.Context(), counts); err != nil {
		t.Fatalf("save %d counts: %v", len(counts), err)
	}
}

func wantCounts(t *testing.T, s *store.Store, partition int, want ...notifier.NoticeCount) {
	t.Helper()
	got := must(s.NoticeCounts(t.Context(), partition, 0, 1_000_000))(t)
	if diff := cmp.Diff(want, got, cmpopts.EquateEmpty()); diff != "" {
		t.Errorf("counts of partition %d (-want +got):\n%s", partition, diff)
	}
}

func TestCountsSurviveARestart(t *testing.T) {
	onBoth(t, func(t *testing.T, db *database) {
		s := db.open(t)
		accept(t, s, draft())
		accept(t, s, draft())
		saveCounts(t, s, notifier.NoticeCount{NoticeID: 2, Partition: 63, Delivered: 1 << 40, Read: 1},
			notifier.NoticeCount{NoticeID: 1, Partition: 63, Delivered: 3}, notifier.NoticeCount{NoticeID: 1, Delivered: 7, Read: 7})
		saveCounts(t, s)
		again := db.open(t)
		wantCounts(t, again, 0, notifier.NoticeCount{NoticeID: 1, Delivered: 7, Read: 7})
		wantCounts(t, again, 63, notifier.NoticeCount{NoticeID: 1, Partition: 63, Delivered: 3},
			notifier.NoticeCount{NoticeID: 2, Partition: 63, Delivered: 1 << 40, Read: 1})
		wantCounts(t, again, 1)
	})
}

func TestCountsAreNeverLowered(t *testing.T) {
	onBoth(t, func(t *testing.T, db *database) {
		s := db.open(t)
		accept(t, s, draft())
		count := func(delivered, read int64) notifier.NoticeCount {
			return notifier.NoticeCount{NoticeID: 1, Partition: 5, Delivered: delivered, Read: read}
		}
		for _, step := range []struct{ save, want notifier.NoticeCount }{
			{count(10, 5), count(10, 5)},
			{count(10, 5), count(10, 5)},
			{count(9, 4), count(10, 5)},
			{count(11, 0), count(11, 5)}, // Redis lost the reads
			{count(0, 6), count(11, 6)},
			{count(12, 7), count(12, 7)},
		} {
			saveCounts(t, s, step.save)
			wantCounts(t, s, 5, step.want)
		}
		saveCounts(t, s, count(13, 1), count(1, 8), count(2, 2))
		wantCounts(t, s, 5, count(13, 8))
	})
}

func TestCountsOfADeletedNoticeAreDeletedAndDropped(t *testing.T) {
	onBoth(t, func(t *testing.T, db *database) {
		s := db.open(t)
		accept(t, s, draft())
		accept(t, s, draft())
		kept := notifier.NoticeCount{NoticeID: 1, Delivered: 1}
		saveCounts(t, s, kept, notifier.NoticeCount{NoticeID: 2, Delivered: 1}, notifier.NoticeCount{NoticeID: 99, Delivered: 1})
		wantCounts(t, s, 0, kept, notifier.NoticeCount{NoticeID: 2, Delivered: 1})
		kept.Delivered = 2
		whileDeleting(t, db, `DELETE FROM notices WHERE id = 2`, func() error {
			return s.SaveCounts(t.Context(), []notifier.NoticeCount{kept, {NoticeID: 2, Delivered: 3}, {NoticeID: 2, Partition: 1, Delivered: 3}})
		})
		wantCounts(t, s, 0, kept)
		wantCounts(t, s, 1)
	})
}

func TestConcurrentWritersLeaveTheHighestCounts(t *testing.T) {
	onBoth(t, func(t *testing.T, db *database) {
		stores := []*store.Store{db.open(t), db.open(t)}
		for range 20 {
			accept(t, stores[0], draft())
		}
		var wg sync.WaitGroup
		for i := range int64(16) {
			wg.Go(func() {
				var all []notifier.NoticeCount
				for partition := range 64 {
					for id := range int64(20) {
						all = append(all, notifier.NoticeCount{NoticeID: id + 1, Partition: partition, Delivered: i, Read: 15 - i})
					}
				}
				if i%2 == 0 { // in reverse order
					slices.Reverse(all)
				}
				if err := stores[i%2].SaveCounts(t.Context(), all); err != nil {
					t.Error(err)
				}
			})
		}
		wg.Wait()
		for partition := range 64 {
			var want []notifier.NoticeCount
			for id := range int64(20) {
				want = append(want, notifier.NoticeCount{NoticeID: id + 1, Partition: partition, Delivered: 15, Read: 15})
			}
			wantCounts(t, stores[0], partition, want...)
		}
	})
}

func TestCountsArePagedAndLeaveOutExpiredNotices(t *testing.T) {
	onBoth(t, func(t *testing.T, db *database) {
		s := db.open(t)
		for range 5 {
			n := notifier.Notice{Draft: draft(), ExpiresAt: db.clock.now().Add(time.Hour)}
			if err := s.Accept(t.Context(), &n); err != nil {
				t.Fatal(err)
			}
		}
		must(s.RetractNotice(t.Context(), notifier.Actor{}, 4, notifier.StateAccepted, notifier.StateRetracted))(t)
		store.Exec(t, s, `UPDATE notices SET expires_at = `+strconv.FormatInt(db.clock.now().UnixMilli(), 10)+` WHERE id = 3`)
		count := func(id int64) notifier.NoticeCount {
			return notifier.NoticeCount{NoticeID: id, Partition: 7, Delivered: id * 10, Read: id}
		}
		for id := range int64(5) {
			saveCounts(t, s, count(id+1))
		}
		page := func(after int64, limit int, want ...notifier.NoticeCount) {
			t.Helper()
			got := must(s.NoticeCounts(t.Context(), 7, after, limit))(t)
			if diff := cmp.Diff(want, got, cmpopts.EquateEmpty()); diff != "" {
				t.Errorf("after %d (-want +got):\n%s", after, diff)
			}
		}
		page(0, 2, count(1), count(2))
		page(2, 2, count(4), count(5))
		page(5, 2)
		db.clock.move(-time.Millisecond)
		page(2, 9, count(3), count(4), count(5))
	})
}

func TestCountsOfSumsAllPartitions(t *testing.T) {
	onBoth(t, func(t *testing.T, db *database) {
		s := db.open(t)
		for range 3 {
			accept(t, s, draft())
		}
		saveCounts(t, s, notifier.NoticeCount{NoticeID: 1, Delivered: 1 << 40, Read: 2}, notifier.NoticeCount{NoticeID: 1, Partition: 63, Delivered: 5},
			notifier.NoticeCount{NoticeID: 3, Partition: 1, Delivered: 7, Read: 7})
		want := []notifier.NoticeCount{{NoticeID: 1, Delivered: 1<<40 + 5, Read: 2}, {NoticeID: 3, Delivered: 7, Read: 7}}
		if diff := cmp.Diff(want, must(s.CountsOf(t.Context(), []int64{3, 2, 1, 99, 1}))(t)); diff != "" {
			t.Errorf("counts (-want +got):\n%s", diff)
		}
		if none := must(s.CountsOf(t.Context(), nil))(t); len(none) != 0 {
			t.Errorf("for no ids: %v", none)
		}
	})
}

func TestOverReturnsExpiredAndMissingNotices(t *testing.T) {
	onBoth(t, func(t *testing.T, db *database) {
		s := db.open(t)
		now := db.clock.now()
		for _, expires := range []time.Time{now.Add(-time.Millisecond), now, {}} {
			n := notifier.Notice{Draft: draft(), ExpiresAt: expires}
			if err := s.Accept(t.Context(), &n); err != nil {
				t.Fatal(err)
			}
		}
		if got := must(s.Over(t.Context(), []int64{99, 3, 2, 1, -1}, now))(t); !slices.Equal(got, []int64{99, 1, -1}) {
			t.Errorf("over: %v; want 99, 1 and -1", got)
		}
		if none := must(s.Over(t.Context(), nil, now))(t); len(none) != 0 {
			t.Errorf("for no ids: %v", none)
		}
	})
}
