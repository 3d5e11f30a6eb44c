package store_test

import (
	"slices"
	"sync"
	"testing"

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
	got := must(s.Counts(t.Context(), partition))(t)
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
			{count(11, 0), count(11, 5)}, // Redis lost who has read it
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

func TestOfADeletedNoticeNoCountIsKeptOrStored(t *testing.T) {
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

func TestWritersAtOnceLeaveTheHighestCounts(t *testing.T) {
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
				if i%2 == 0 { // the other way round
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
