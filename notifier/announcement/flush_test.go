package announcement_test

import (
	"slices"
	"testing"
	"time"

	"github.com/carillonhq/carillon/internal/redistest"
	"github.com/carillonhq/carillon/notifier"
)

// seqsFar are readers in three segments, including the last bit of one and the first of the next.
var seqsFar = []int64{1, 32767, 32768, 100_000}

func (s *site) open(t tb, title string) int64 {
	t.Helper()
	n := draft(title)
	n.LateJoiners = true
	return s.publish(t, n)
}

func TestChangedSegmentsReachSQLAndAreRestoredFromIt(t *testing.T) {
	onAllRedis(t, func(t *testing.T, s *site) {
		id := s.open(t, "One")
		for _, seq := range seqsFar {
			s.read(t, seq, id)
		}
		if n, err := s.Flush(t.Context()); err != nil || n != 3 {
			t.Fatalf("flushed %d, %v; want 3 segments", n, err)
		}
		if got := s.sql.saved(id, customer); !slices.Equal(got, seqsFar) {
			t.Errorf("SQL has %v", got)
		}
		if n, err := s.Flush(t.Context()); err != nil || n != 0 || len(s.stored(t, customer).Dirty) != 0 {
			t.Errorf("the second flush wrote %d, %v", n, err)
		}
		if _, err := s.MarkUnread(t.Context(), reader(100_000), id); err != nil {
			t.Fatal(err)
		}
		if n, err := s.Flush(t.Context()); err != nil || n != 1 {
			t.Errorf("one change: flushed %d, %v", n, err)
		}
		if err := s.rdb.Del(t.Context(), s.k.Bits(customer, id)).Err(); err != nil {
			t.Fatal(err)
		}
		s.sync(t)
		if got, want := s.stored(t, customer).Bits[id], []int64{0, 1, 32767, 32768}; !slices.Equal(got, want) {
			t.Errorf("restored %v, want %v", got, want)
		}
		s.sync(t)
		s.read(t, 5, id)
		s.sync(t)
		if got := s.stored(t, customer).Bits[id]; len(got) != 5 {
			t.Errorf("an existing bitmap was overwritten: %v", got)
		}
	})
}

func TestChangeDuringAFlushIsWrittenByTheNext(t *testing.T) {
	onAllRedis(t, func(t *testing.T, s *site) {
		id := s.open(t, "One")
		s.read(t, 1, id)
		s.sql.before = func(call string) error {
			if call == "save" {
				s.sql.before = func(string) error { return nil }
				s.read(t, 2, id)
			}
			return nil
		}
		for round, want := range [][]int64{{1}, {1, 2}} {
			if n, err := s.Flush(t.Context()); err != nil || n != 1 {
				t.Errorf("flush %d wrote %d, %v", round, n, err)
			}
			if got := s.sql.saved(id, customer); !slices.Equal(got, want) {
				t.Errorf("after flush %d SQL has %v, want %v", round, got, want)
			}
		}
	})
}

func TestDeathBetweenSavingAndUnmarkingIsHarmless(t *testing.T) {
	onAllRedis(t, func(t *testing.T, s *site) {
		id := s.open(t, "One")
		s.read(t, 1, id)
		s.sql.after = func(call string) error {
			if call == "save" {
				return errAway
			}
			return nil
		}
		if _, err := s.Flush(t.Context()); err == nil {
			t.Fatal("it did not die")
		}
		if at := s.stored(t, customer); len(at.Dirty) != 1 {
			t.Errorf("marks %v, want the mark kept", at.Dirty)
		}
		s.sql.after = func(string) error { return nil }
		s.read(t, 2, id)
		if n, err := s.Flush(t.Context()); err != nil || n != 1 || !slices.Equal(s.sql.saved(id, customer), []int64{1, 2}) {
			t.Errorf("wrote %d, %v; SQL has %v", n, err, s.sql.saved(id, customer))
		}
	})
}

func TestMarkWithoutABitmapIsRemoved(t *testing.T) {
	onAllRedis(t, func(t *testing.T, s *site) {
		id := s.open(t, "One")
		s.read(t, 1, id)
		for _, odd := range []string{"77:0", "x", "1:x", "-1:0", "1:-1", ""} {
			s.rdb.ZAdd(t.Context(), s.k.DirtyBits(customer), z(odd))
		}
		if n, err := s.Flush(t.Context()); err != nil || n != 1 || len(s.stored(t, customer).Dirty) != 0 {
			t.Errorf("wrote %d, %v; left %v", n, err, s.stored(t, customer).Dirty)
		}
	})
}

func TestFlushContinuesUntilNothingIsLeft(t *testing.T) {
	t.Parallel()
	s := newSite(t, redistest.Client(t))
	id := s.open(t, "One")
	if err := s.rdb.SetBit(t.Context(), s.k.Bits(customer, id), 15_999_999, 1).Err(); err != nil {
		t.Fatal(err)
	}
	two := s.open(t, "Two")
	for _, n := range []int64{id, two} {
		for seq := int64(1); seq <= 15_000_000; seq += 32768 {
			s.read(t, seq, n)
		}
	}
	if n, err := s.Flush(t.Context()); err != nil || n != 916 || len(s.stored(t, customer).Dirty) != 0 {
		t.Errorf("wrote %d, %v; left %d", n, err, len(s.stored(t, customer).Dirty))
	}
	reads, err := s.Reads(t.Context(), counting(two, 99, id))
	if err != nil || !slices.Equal(reads, []int64{458, -1, 459}) {
		t.Errorf("read by %v, %v", reads, err)
	}
}

// The order in which SQL accepts segments does not depend on the clock.
func TestClockThatGoesBackLosesNoRead(t *testing.T) {
	t.Parallel()
	m, c := redistest.Mini(t)
	s := newSite(t, c)
	now := time.Now()
	id := s.open(t, "One")
	for seq := int64(1); seq <= 6; seq++ {
		m.SetTime(now.Add(-time.Duration(seq) * time.Minute))
		if seq == 4 {
			m.FlushAll()
		}
		s.read(t, seq, id)
		if _, err := s.Flush(t.Context()); err != nil {
			t.Fatal(err)
		}
		if got := s.sql.saved(id, customer); len(got) != int(seq) {
			t.Errorf("after %d reads SQL has %v", seq, got)
		}
	}
}

func TestBitmapUsesNoMoreMemoryThanItsBits(t *testing.T) {
	t.Parallel()
	s := newSite(t, redistest.Client(t))
	s.sql.users = slices.Repeat([]notifier.Audience{customer}, 10_000_000)
	id := s.publish(t, draft("One"))
	s.read(t, 9_999_999, id)
	s.read(t, 10_000_000, id)
	s.read(t, 1, id)
	if n, err := s.rdb.MemoryUsage(t.Context(), s.k.Bits(customer, id)).Result(); err != nil || n > 1_430_000 {
		t.Errorf("%d bytes for 10 million readers, %v", n, err)
	}
	small := newSite(t, s.rdb)
	if id := small.publish(t, draft("One")); s.rdb.StrLen(t.Context(), small.k.Bits(customer, id)).Val() != 2 {
		t.Error("a bitmap for 9 readers takes more than 2 bytes")
	}
}
