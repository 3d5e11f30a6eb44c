package announcement_test

import (
	"slices"
	"testing"
	"time"

	"github.com/redis/go-redis/v9"

	"github.com/carillonhq/carillon/internal/redistest"
	"github.com/carillonhq/carillon/notifier"
)

func z(member string) redis.Z { return redis.Z{Score: 1, Member: member} }

func (s *site) finish(t tb, want int) {
	t.Helper()
	if n, all, err := s.Finish(t.Context()); err != nil || n != want || !all {
		t.Errorf("finished %d, all %v, %v; want %d", n, all, err, want)
	}
}

func (s *site) finished(t tb, id int64, a notifier.Audience, reads int64) {
	t.Helper()
	if p := s.sql.partOf(id, a); !p.Finished || p.Reads != reads {
		t.Errorf("the part is %+v, want it finished with %d reads", p, reads)
	}
	if n := s.rdb.Exists(t.Context(), s.k.Bits(a, id)).Val(); n != 0 {
		t.Error("its bitmap is still there")
	}
}

func TestFinishedAnnouncementsLeaveRedisAndKeepTheirCount(t *testing.T) {
	onEachRedis(t, func(t *testing.T, s *site) {
		s.sql.now = func() time.Time { return time.Now().Add(2 * time.Hour) }
		id, stays := s.publish(t, draft("One", customer, user)), s.publish(t, draft("Stays"))
		for seq := range int64(3) {
			s.read(t, seq+1, id)
			s.read(t, seq+1, stays)
		}
		s.finish(t, 0)
		s.sql.retract(id)
		s.finish(t, 0) // the index is not updated yet, so marks may still come
		s.sync(t)
		s.finish(t, 2)
		s.finished(t, id, customer, 3)
		s.finished(t, id, user, 0)
		if got := s.sql.saved(id, customer); !slices.Equal(got, []int64{1, 2, 3}) {
			t.Errorf("SQL has %v", got)
		}
		if p := s.sql.partOf(stays, customer); p.Finished {
			t.Error("an open announcement was finished")
		}
		s.unread(t, 1, 0)
		s.sql.announce(draft("No index knows it yet"))
		s.finish(t, 0)
		at := s.stored(t, customer)
		if len(at.Bits) != 1 || len(at.Dirty) != 0 {
			t.Errorf("left behind: %+v", at)
		}
	})
}

func TestClockOfRedisDecidesWhatHasEnded(t *testing.T) {
	t.Parallel()
	m, c := redistest.Mini(t)
	s := newSite(t, c)
	ours := time.Now()
	s.sql.now = func() time.Time { return ours }
	n := draft("One")
	id := s.publish(t, n)
	s.read(t, 4, id)
	ours = n.EndsAt.Add(time.Hour) // the clock of SQL's machine is fast
	m.SetTime(n.EndsAt.Add(-time.Millisecond))
	s.sync(t)
	s.finish(t, 0)
	s.unread(t, 1, 1)
	heard := s.turns(t, customer)
	m.SetTime(n.EndsAt)
	s.sync(t)
	if got := heard.told(t); got != "removed 1" {
		t.Errorf("published %q", got)
	}
	s.finish(t, 1)
	s.finished(t, id, customer, 1)
}

func TestAnnouncementThatNeverOpenedFinishesWithoutReads(t *testing.T) {
	onEachRedis(t, func(t *testing.T, s *site) {
		coming := draft("Coming")
		coming.StartsAt = time.Now().Add(time.Minute)
		id := s.publish(t, coming)
		s.sql.retract(id)
		s.sync(t)
		s.finish(t, 1)
		s.finished(t, id, customer, 0)
	})
}

func TestLostBitmapIsCountedFromSQL(t *testing.T) {
	onEachRedis(t, func(t *testing.T, s *site) {
		id := s.open(t, "One")
		for _, seq := range seqsFar {
			s.read(t, seq, id)
		}
		if _, err := s.Flush(t.Context()); err != nil {
			t.Fatal(err)
		}
		s.sql.retract(id)
		s.sync(t)
		s.rdb.Del(t.Context(), s.k.Bits(customer, id))
		s.finish(t, 1)
		s.finished(t, id, customer, 4)
	})
}

func TestNoBitmapIsRemovedBeforeSQLHasAllOfIt(t *testing.T) {
	onEachRedis(t, func(t *testing.T, s *site) {
		id := s.open(t, "One")
		for _, seq := range seqsFar {
			s.read(t, seq, id)
		}
		s.sql.retract(id)
		s.sync(t)
		for _, away := range []string{"save", "finish"} {
			s.sql.before = func(call string) error {
				if call == away {
					return errAway
				}
				return nil
			}
			if _, all, err := s.Finish(t.Context()); err == nil || all {
				t.Errorf("finished without SQL")
			}
			kept := s.rdb.Exists(t.Context(), s.k.Bits(customer, id)).Val() == 1
			if saved := slices.Equal(s.sql.saved(id, customer), seqsFar); !kept && !saved {
				t.Errorf("without %q the reads are lost", away)
			}
		}
		s.sql.before = func(string) error { return nil }
		s.finish(t, 1)
		s.finished(t, id, customer, 4)
	})
}

func TestLastMomentMarksHoldABitmapBack(t *testing.T) {
	onEachRedis(t, func(t *testing.T, s *site) {
		id := s.open(t, "One")
		s.read(t, 1, id)
		s.sql.retract(id)
		s.sql.before = func(call string) error {
			if call == "save" { // the flush reads the bitmap, then another reader marks it, then it closes
				s.sql.before = func(string) error { return nil }
				s.read(t, 2, id)
				s.sync(t)
			}
			return nil
		}
		if n, all, err := s.Finish(t.Context()); err != nil || n != 0 || all {
			t.Errorf("finished %d, all %v, %v; want it held back", n, all, err)
		}
		s.finish(t, 1)
		s.finished(t, id, customer, 2)
		if got := s.sql.saved(id, customer); !slices.Equal(got, []int64{1, 2}) {
			t.Errorf("SQL has %v", got)
		}
	})
}

func TestReopenedPartIsUnchanged(t *testing.T) {
	onEachRedis(t, func(t *testing.T, s *site) {
		id := s.publish(t, draft("One", customer, user))
		s.read(t, 1, id)
		s.sql.edit(id, func(n *notifier.Announcement) { address(n, user) })
		s.sync(t)
		s.finish(t, 1)
		s.finished(t, id, customer, 1)
		late := s.sql.join(customer)
		s.sql.edit(id, func(n *notifier.Announcement) { address(n, user, customer) })
		s.sync(t)
		s.unread(t, 1, 0)
		s.unread(t, 2, 1)
		s.unread(t, late, 0)
	})
}

// Users who joined while late joiners could see it may have read it. After an edit reverts that,
// they no longer belong to its audience.
func TestReadersWhoNoLongerSeeItAreNotCounted(t *testing.T) {
	onEachRedis(t, func(t *testing.T, s *site) {
		n := draft("One")
		n.LateJoiners = true
		id := s.publish(t, n) // there are nine users
		for range 3 {
			s.sql.join(customer)
		}
		for _, seq := range []int64{1, 8, 9, 10, 12} {
			s.read(t, seq, id)
		}
		count := func(top int64) int64 {
			parts := counting(id)
			parts[0].Top = top
			reads, err := s.Reads(t.Context(), parts)
			if err != nil {
				t.Fatal(err)
			}
			return reads[0]
		}
		for top, want := range map[int64]int64{0: 5, 1: 1, 7: 1, 8: 2, 9: 3, 10: 4, 11: 4, 12: 5, 15: 5, 16: 5, 1_000: 5} {
			if got := count(top); got != want {
				t.Errorf("up to %d it was read by %d, want %d", top, got, want)
			}
		}
		s.sql.edit(id, func(n *notifier.Announcement) { n.LateJoiners = false })
		s.sync(t)
		lost := s.publish(t, draft("Two"))
		s.sql.retract(id)
		s.sync(t)
		if _, all, err := s.Finish(t.Context()); err != nil || !all {
			t.Fatalf("finish: %v, %v", all, err)
		}
		if p := s.sql.partOf(id, customer); !p.Finished || p.Reads != 3 {
			t.Errorf("finished as %+v, want 3 readers", p)
		}
		// The same applies when the reads are only in SQL.
		s.read(t, 2, lost)
		s.flushed(t)
		s.sql.retract(lost)
		s.sql.settle(lost, customer, 1)
		if err := s.rdb.Del(t.Context(), s.k.Bits(customer, lost)).Err(); err != nil {
			t.Fatal(err)
		}
		s.sync(t)
		if _, _, err := s.Finish(t.Context()); err != nil {
			t.Fatal(err)
		}
		if p := s.sql.partOf(lost, customer); !p.Finished || p.Reads != 0 {
			t.Errorf("finished as %+v, want no reader up to 1", p)
		}
	})
}
