package inbox_test

import (
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"
	"github.com/google/go-cmp/cmp/cmpopts"

	"github.com/carillonhq/carillon/notifier"
)

// The numbers in SQL are wrong for rows that were put back into the middle of an inbox. Notices that left are
// complete even if clocks differ.
func TestASnapshotReadInPartsMatchesRedis(t *testing.T) {
	const seq = 42
	gone := func(t *testing.T, s *site, ids ...int64) {
		t.Helper()
		for _, id := range ids {
			if _, err := s.Delete(t.Context(), seq, key(id)); err != nil {
				t.Fatal(err)
			}
			s.clock.pass(time.Millisecond)
		}
	}
	for name, c := range map[string]struct{ before, after func(t *testing.T, s *site) }{
		"an older notice with the key of a later one": {
			func(t *testing.T, s *site) {
				gone(t, s, 1, 2)
				s.deliver(t, seq, s.notice(10, "photo:1"))
			},
			func(t *testing.T, s *site) {
				gone(t, s, 1)
				if _, err := s.PutBack(t.Context(), seq, notifier.Entry{Key: key(1), NoticeID: 1, At: startTime + 1}); err != nil {
					t.Fatal(err)
				}
			},
		},
		"an entry that an instance whose clock is behind deletes, where another is forgotten for it": {
			func(t *testing.T, s *site) {
				for id := int64(1001); id <= 1500; id++ {
					if err := s.Retract(t.Context(), id, key(id), []int64{seq}); err != nil {
						t.Fatal(err)
					}
					s.clock.pass(time.Millisecond)
				}
				s.clock.pass(-time.Millisecond)
			},
			func(t *testing.T, s *site) { gone(t, s, 1) },
		},
		"an archived entry that was deleted": {
			func(t *testing.T, s *site) {
				if _, _, err := s.Archive(t.Context(), seq, []string{key(2)}); err != nil {
					t.Fatal(err)
				}
				gone(t, s, 1, 2, 3)
			},
			func(t *testing.T, s *site) {
				if _, err := s.Restore(t.Context(), seq, key(2)); err != nil {
					t.Fatal(err)
				}
			},
		},
	} {
		t.Run(name, func(t *testing.T) {
			onEachRedis(t, func(t *testing.T, s *site) {
				h := s.beside(0)
				for id := int64(1); id <= 10; id++ {
					h.keep(s.notice(id, ""))
				}
				s.fill(t, seq, 1, 6)
				c.before(t, s)
				s.writeBehind(t, h, seq)
				c.after(t, s)
				whole, err := s.ReadWhole(t.Context(), []int64{seq})
				if err != nil {
					t.Fatal(err)
				}
				if d := cmp.Diff([]notifier.Snapshot{whole[seq]}, s.read(t, seq), cmpopts.EquateEmpty()); d != "" {
					t.Errorf("(-in Redis +read)\n%s", d)
				}
			})
		})
	}
}

// A second retraction gives the notice that left last a new score.
func TestANoticeThatLeavesAgainIsReadFromRedis(t *testing.T) {
	onEachRedis(t, func(t *testing.T, s *site) {
		h := s.beside(0)
		s.fill(t, 42, 1, 3)
		if _, err := s.Delete(t.Context(), 42, key(2)); err != nil {
			t.Fatal(err)
		}
		s.writeBehind(t, h, 42)
		s.clock.pass(time.Second)
		if err := s.Retract(t.Context(), 2, key(2), []int64{42}); err != nil {
			t.Fatal(err)
		}
		s.fill(t, 42, 4, 4)
		if got, want := s.read(t, 42)[0].Gone[0], s.stored(t, 42).Left["2"]; notifier.LeftBy(got.Score) != want || !want.Retracted {
			t.Errorf("read %+v, want %+v", got, want)
		}
	})
}
