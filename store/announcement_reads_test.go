package store_test

import (
	"bytes"
	"slices"
	"sync"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"
	"github.com/google/go-cmp/cmp/cmpopts"

	"github.com/carillonhq/carillon/notifier"
	"github.com/carillonhq/carillon/store"
)

func segment(id int64, audience notifier.Audience, number int, ver int64, bits string) notifier.ReadSegment {
	return notifier.ReadSegment{
		PartKey: notifier.PartKey{ID: id, Audience: audience}, Segment: number, Ver: ver, Bits: []byte(bits),
	}
}

func saveReads(t *testing.T, s *store.Store, segments ...notifier.ReadSegment) {
	t.Helper()
	if err := s.SaveReads(t.Context(), segments); err != nil {
		t.Fatalf("save %d segments: %v", len(segments), err)
	}
}

// wantReads checks that exactly these segments are stored for the announcement of the first segment.
func wantReads(t *testing.T, s *store.Store, want ...notifier.ReadSegment) {
	t.Helper()
	got := must(s.Reads(t.Context(), want[0].PartKey))(t)
	if diff := cmp.Diff(want, got, cmpopts.EquateEmpty()); diff != "" {
		t.Errorf("segments of %+v (-want +got):\n%s", want[0].PartKey, diff)
	}
}

func TestReadsSurviveARestart(t *testing.T) {
	onBoth(t, func(t *testing.T, db *database) {
		s := db.open(t)
		n := announce(t, s, db.announcement("a", 0, 1, 1, 2))
		whole := string(bytes.Repeat([]byte{0, 0xff}, notifier.SegmentBytes/2))
		saveReads(t, s, segment(n.ID, 1, 488, 3, whole), segment(n.ID, 2, 0, 1, ""), segment(n.ID, 1, 0, 7, "\x00\xff'"))
		saveReads(t, s)
		again := db.open(t)
		wantReads(t, again, segment(n.ID, 1, 0, 7, "\x00\xff'"), segment(n.ID, 1, 488, 3, whole))
		wantReads(t, again, segment(n.ID, 2, 0, 1, ""))
		if none := must(s.Reads(t.Context(), notifier.PartKey{ID: 99, Audience: 1}))(t); len(none) != 0 {
			t.Errorf("for an unknown part: %v", none)
		}
	})
}

func TestLatestReadsArePerAudience(t *testing.T) {
	onBoth(t, func(t *testing.T, db *database) {
		s := db.open(t)
		first, second := announce(t, s, db.announcement("a", 0, 1, 1, 2)), announce(t, s, db.announcement("b", 0, 1, 1))
		saveReads(t, s, segment(first.ID, 1, 0, 7, "x"), segment(first.ID, 1, 1, 9, "x"), segment(second.ID, 1, 0, 8, "x"), segment(first.ID, 2, 0, 30, "x"))
		for a, want := range map[notifier.Audience]int64{1: 9, 2: 30, 3: 0} {
			if got := must(s.LatestReads(t.Context(), a))(t); got != want {
				t.Errorf("audience %d: %d, want %d", a, got, want)
			}
		}
	})
}

func TestOlderSegmentNeverReplacesANewerOne(t *testing.T) {
	onBoth(t, func(t *testing.T, db *database) {
		s := db.open(t)
		n := announce(t, s, db.announcement("a", 0, 1, 1))
		saveReads(t, s, segment(n.ID, 1, 0, 5, "five"), segment(n.ID, 1, 1, 5, "five"), segment(n.ID, 1, 2, 5, "five"))
		saveReads(t, s, segment(n.ID, 1, 0, 4, "older"), segment(n.ID, 1, 1, 5, "same"), segment(n.ID, 1, 2, 6, "newer"))
		wantReads(t, s, segment(n.ID, 1, 0, 5, "five"), segment(n.ID, 1, 1, 5, "five"), segment(n.ID, 1, 2, 6, "newer"))
		saveReads(t, s, segment(n.ID, 1, 0, 8, "in one"), segment(n.ID, 1, 0, 9, "call"), segment(n.ID, 1, 0, 7, "too"))
		if got := must(s.Reads(t.Context(), notifier.PartKey{ID: n.ID, Audience: 1}))(t); string(got[0].Bits) != "call" {
			t.Errorf("%q is stored of three versions; want the highest", got[0].Bits)
		}
	})
}

func TestConcurrentWritersLeaveTheNewestSegments(t *testing.T) {
	onBoth(t, func(t *testing.T, db *database) {
		stores := []*store.Store{db.open(t), db.open(t)}
		n := announce(t, stores[0], db.announcement("a", 0, 1, 1))
		var wg sync.WaitGroup
		for ver := range 16 {
			wg.Go(func() {
				var all []notifier.ReadSegment
				for number := range 30 {
					all = append(all, segment(n.ID, 1, number, int64(ver), string(rune('a'+ver))))
				}
				if ver%2 == 0 { // in reverse order
					slices.Reverse(all)
				}
				if err := stores[ver%2].SaveReads(t.Context(), all); err != nil {
					t.Error(err)
				}
			})
		}
		wg.Wait()
		for _, r := range must(stores[0].Reads(t.Context(), notifier.PartKey{ID: n.ID, Audience: 1}))(t) {
			if r.Ver != 15 || string(r.Bits) != "p" {
				t.Errorf("segment %d has version %d, %q; want the highest", r.Segment, r.Ver, r.Bits)
			}
		}
	})
}

func TestMoreSegmentsThanOneBatchAreStored(t *testing.T) {
	onBoth(t, func(t *testing.T, db *database) {
		s := db.open(t)
		n := announce(t, s, db.announcement("a", 0, 1, 1))
		var many []notifier.ReadSegment
		for number := range 2500 {
			many = append(many, segment(n.ID, 1, number, 1, "x"))
		}
		saveReads(t, s, many...)
		wantReads(t, s, many...)
	})
}

func TestOnlyEndedPartsCanBeFinished(t *testing.T) {
	onBoth(t, func(t *testing.T, db *database) {
		s := db.open(t)
		n := announce(t, s, db.announcement("a", 0, 1, 1, 2))
		retracted := announce(t, s, db.announcement("b", 0, 1, 1))
		k := notifier.PartKey{ID: n.ID, Audience: 1}
		wantIs(t, s.FinishPart(t.Context(), k, 7), notifier.ErrConflict)
		if err := s.RetractAnnouncement(t.Context(), notifier.Actor{}, retracted.ID); err != nil {
			t.Fatal(err)
		}
		if err := s.FinishPart(t.Context(), notifier.PartKey{ID: retracted.ID, Audience: 1}, 3); err != nil {
			t.Errorf("finish a retracted announcement: %v", err)
		}
		db.clock.move(time.Hour)
		for range 2 {
			if err := s.FinishPart(t.Context(), k, 7); err != nil {
				t.Errorf("finish: %v", err)
			}
		}
		want := []notifier.Part{{Audience: 1, Finished: true, Reads: 7}, {Audience: 2}}
		if current := must(s.CurrentAnnouncements(t.Context()))(t); len(current) != 1 || !cmp.Equal(want, current[0].Parts) {
			t.Errorf("current announcements are %+v; want the first with both parts, since one is unfinished", current)
		}
		for _, unknown := range []notifier.PartKey{{ID: 99, Audience: 1}, {ID: n.ID, Audience: 9}} {
			wantIs(t, s.FinishPart(t.Context(), unknown, 1), notifier.ErrNotFound)
		}
		if err := s.FinishPart(t.Context(), notifier.PartKey{ID: n.ID, Audience: 2}, 0); err != nil {
			t.Error(err)
		}
		if current := must(s.CurrentAnnouncements(t.Context()))(t); len(current) != 0 {
			t.Errorf("current announcements are %+v; want none", current)
		}
	})
}
