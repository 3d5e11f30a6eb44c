package inbox_test

import (
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/carillonhq/carillon/notifier"
)

func (s *site) count(t tb, p int, fields ...any) {
	t.Helper()
	if err := s.rdb.HSet(t.Context(), s.k.Counts(p), fields...).Err(); err != nil {
		t.Fatal(err)
	}
}

func (s *site) wantCounts(t tb, p int, want map[string]string) {
	t.Helper()
	if d := cmp.Diff(want, s.rdb.HGetAll(t.Context(), s.k.Counts(p)).Val()); d != "" {
		t.Errorf("counts of partition %d (-want +got):\n%s", p, d)
	}
}

func TestCountsRiseToWhatSQLHas(t *testing.T) {
	onEachRedis(t, func(t *testing.T, s *site) {
		s.count(t, 7, "1:d", 5, "1:r", 2, "2:d", 9, "2:r", 1, "4:d", 3)
		known := []notifier.NoticeCount{
			{NoticeID: 1, Delivered: 7, Read: 1}, {NoticeID: 2, Delivered: 8, Read: 8}, {NoticeID: 3, Delivered: 4, Read: 0}, {NoticeID: 5},
		}
		for range 2 { // the second time changes nothing
			if err := s.RestoreCounts(t.Context(), 7, known, false); err != nil {
				t.Fatal(err)
			}
			s.wantCounts(t, 7, map[string]string{"1:d": "7", "1:r": "2", "2:d": "9", "2:r": "8", "3:d": "4", "4:d": "3"})
		}
		s.wantCounts(t, 8, map[string]string{})
	})
}

func TestCountsStartedFromZeroAreAddedOnceToTheCountsInSQL(t *testing.T) {
	onEachRedis(t, func(t *testing.T, s *site) {
		s.count(t, 7, "1:d", 5, "1:r", 2, "1201:d", 1)
		var known []notifier.NoticeCount
		want := map[string]string{"1:d": "12", "1:r": "3", "1201:d": "1", "added": "1200"}
		known = append(known, notifier.NoticeCount{NoticeID: 1, Delivered: 7, Read: 1})
		for id := int64(2); id <= 1200; id++ {
			known = append(known, notifier.NoticeCount{NoticeID: id, Delivered: 3_000_000_000})
			want[decimal(id)+":d"] = "3000000000"
		}
		for range 2 { // the second time another instance heals, or the answer of the first was lost
			if err := s.RestoreCounts(t.Context(), 7, known, true); err != nil {
				t.Fatal(err)
			}
			s.wantCounts(t, 7, want)
		}
		if err := s.RestoreCounts(t.Context(), 7, append(known, notifier.NoticeCount{NoticeID: 1201, Delivered: 1}), true); err != nil {
			t.Fatal(err)
		}
		want["1201:d"], want["added"] = "2", "1201"
		s.wantCounts(t, 7, want)
	})
}

func TestCountsOfFinishedNoticesAreRemovedUnlessChanged(t *testing.T) {
	onEachRedis(t, func(t *testing.T, s *site) {
		s.count(t, 7, "1:d", 5, "1:r", 2, "2:d", 9, "3:d", 4, "3:r", 1, "4:d", 1, "5:d", 6)
		over := []notifier.NoticeCount{
			{NoticeID: 1, Delivered: 5, Read: 2}, {NoticeID: 2, Delivered: 9}, {NoticeID: 3, Delivered: 4}, {NoticeID: 4, Delivered: 2}, {NoticeID: 6},
		}
		for range 2 {
			if err := s.ForgetCounts(t.Context(), 7, over); err != nil {
				t.Fatal(err)
			}
			s.wantCounts(t, 7, map[string]string{"3:d": "4", "3:r": "1", "4:d": "1", "5:d": "6"})
		}
		if err := s.ForgetCounts(t.Context(), 7, nil); err != nil {
			t.Error(err)
		}
	})
}
