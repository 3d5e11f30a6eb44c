package inbox_test

import (
	"errors"
	"slices"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"github.com/carillonhq/carillon/internal/redistest"
	"github.com/carillonhq/carillon/notifier"
	"github.com/carillonhq/carillon/notifier/keys"
)

// finds checks user 42 twice: it expects this drift the first time, and none the second time.
func (s *site) finds(t tb, h *shelf, want ...notifier.DriftKind) {
	t.Helper()
	for range 2 {
		found, err := s.Check(t.Context(), []int64{42})
		var kinds []notifier.DriftKind
		for _, d := range found {
			kinds = append(kinds, d.Kind)
		}
		if d := cmp.Diff(want, kinds); err != nil || d != "" {
			t.Errorf("drift: %v (-want +got):\n%s", err, d)
		}
		s.sound(t, 42)
		want = nil
		s.writeBehind(t, h, 42)
		s.clock.pass(time.Second)
	}
}

func TestADriftedInboxIsRepairedAndPublished(t *testing.T) {
	const unread, read = notifier.UnreadSuffix, notifier.ReadSuffix
	onEachRedis(t, func(t *testing.T, s *site) {
		list, hash, state := s.k.List(42), s.k.Hash(42), s.k.State(42)
		both := []notifier.DriftKind{notifier.DriftRows, notifier.DriftCount}
		for _, c := range []struct {
			name string
			harm func(h *shelf)
			want []notifier.DriftKind
			rows string
		}{
			{"nothing", func(*shelf) {}, nil, "7 5 4 3 2"},
			{"the counter", func(*shelf) { s.rdb.HIncrBy(t.Context(), state, "unread", 3) }, both[1:], "7 5 4 3 2"},
			{"no counter", func(*shelf) { s.rdb.HDel(t.Context(), state, "unread") }, both[1:], "7 5 4 3 2"},
			{"no body", func(*shelf) { s.rdb.HDel(t.Context(), hash, key(7)+unread) }, both, "5 4 3 2"},
			{"no body of a read row", func(*shelf) { s.rdb.HDel(t.Context(), hash, key(5)+read) }, both[:1], "7 4 3 2"},
			{"a malformed body", func(*shelf) { s.rdb.HSet(t.Context(), hash, key(5)+read, "x") }, both[:1], "7 4 3 2"},
			{"no row", func(*shelf) { s.rdb.LRem(t.Context(), list, 0, key(2)+unread) }, both, "7 5 4 3"},
			{"a duplicate row", func(*shelf) { s.rdb.RPush(t.Context(), list, key(4)+read) }, both[:1], "7 5 4 3 2"},
			{"a row in both states", func(*shelf) {
				s.rdb.RPush(t.Context(), list, key(7)+read)
				s.rdb.HSet(t.Context(), hash, key(7)+read, s.rdb.HGet(t.Context(), hash, key(7)+unread).Val())
			}, both[:1], "7 5 4 3 2"},
			{"a row without a state", func(*shelf) {
				s.rdb.RPush(t.Context(), list, "like:odd")
				s.rdb.HSet(t.Context(), hash, "like:odd", "9 1 0 {}")
			}, both[:1], "7 5 4 3 2"},
			{"no list", func(*shelf) { s.rdb.Del(t.Context(), list) }, both, ""},
			{"no mark", func(*shelf) {
				s.rdb.HSet(t.Context(), state, "ver", s.clock.now().UnixMilli())
			}, []notifier.DriftKind{notifier.DriftSQL}, "7 5 4 3 2"},
			{"SQL has nothing", func(h *shelf) {
				h.mu.Lock()
				delete(h.snapshots, 42)
				h.mu.Unlock()
			}, []notifier.DriftKind{notifier.DriftSQL}, "7 5 4 3 2"},
			{"SQL has a damaged snapshot", func(h *shelf) {
				h.mu.Lock()
				h.snapshots[42] = notifier.Snapshot{Seq: 42, Ver: h.snapshots[42].Ver + 5000, Damaged: true}
				h.mu.Unlock()
			}, []notifier.DriftKind{notifier.DriftSQL}, "7 5 4 3 2"},
			{"SQL has another state of this version", func(h *shelf) {
				h.mu.Lock()
				other := h.snapshots[42]
				other.Rows = slices.Clone(other.Rows)
				other.Rows[0].Field = key(7) + read
				h.snapshots[42] = other
				h.mu.Unlock()
			}, []notifier.DriftKind{notifier.DriftSQL}, "7 5 4 3 2"},
			{"SQL has a newer state", func(h *shelf) {
				h.mu.Lock()
				newer := h.snapshots[42]
				newer.Ver += 5
				newer.Rows = slices.Clone(newer.Rows[1:])
				newer.Unread--
				h.snapshots[42] = newer
				h.mu.Unlock()
			}, []notifier.DriftKind{notifier.DriftSQL}, "5 4 3 2"},
		} {
			h := s.beside(0)
			s.lived(t, h, 42)
			s.clock.pass(time.Second)
			c.harm(h)
			heard, before := s.listen(t, 42), s.stored(t, 42)
			s.finds(t, h, c.want...)
			after := s.sound(t, 42)
			page, err := s.Look(t.Context(), 42, notifier.Query{})
			if err != nil || titles(page) != c.rows {
				t.Errorf("%s: rows %q, %v; want %q", c.name, titles(page), err, c.rows)
			}
			told := heard.heard(t)
			if c.want == nil {
				same(t, "checking a consistent inbox", before, after)
			} else if n := len(told); n != 1 || decimal(told[0].Ver) != after.State["ver"] || decimal(told[0].Unread) != after.State["unread"] {
				t.Errorf("%s: published %+v, state %v", c.name, told, after.State)
			}
			if has := h.snapshots[42]; decimal(has.Ver) != after.State["ver"] || len(has.Rows) != len(after.List) || decimal(has.Unread) != after.State["unread"] {
				t.Errorf("%s: SQL has %+v, Redis %v", c.name, has, after.State)
			}
			if err := s.Erase(t.Context(), 42); err != nil {
				t.Fatal(err)
			}
		}
	})
}

func TestUnwrittenAndConcurrentChangesAreNotDrift(t *testing.T) {
	t.Parallel()
	s := newSite(t, redistest.Client(t), 0)
	h := s.beside(0)
	s.wake(t, 42) // empty, and never written to SQL
	s.finds(t, h)
	s.lived(t, h, 42)
	s.deliver(t, 42, s.notice(9, "x"))
	found, err := s.Check(t.Context(), []int64{42, 43}) // one with a dirty mark, one cold
	if err != nil || len(found) != 0 {
		t.Errorf("%v, %v", found, err)
	}
	h.read = func() { s.writeBehind(t, h, 42) } // it has a dirty mark when it is read, and SQL has it by the end
	if found, err = s.Check(t.Context(), []int64{42}); err != nil || len(found) != 0 {
		t.Errorf("marked: %v, %v", found, err)
	}
	h.read = nil
	s.writeBehind(t, h, 42)
	h.mu.Lock()
	delete(h.snapshots, 42)
	h.mu.Unlock()
	var ver string
	h.read = func() { // drift repaired by a concurrent change is not repaired again
		s.deliver(t, 42, s.notice(11, "z"))
		s.writeBehind(t, h, 42)
		ver = s.stored(t, 42).State["ver"]
	}
	if found, err = s.Check(t.Context(), []int64{42}); err != nil || len(found) != 0 || s.stored(t, 42).State["ver"] != ver {
		t.Errorf("repaired meanwhile: %v, %v", found, err)
	}
	h.reading = func() { // after Redis has been read
		s.deliver(t, 42, s.notice(10, "y"))
		s.writeBehind(t, h, 42)
	}
	if found, err = s.Check(t.Context(), []int64{42}); err != nil || len(found) != 0 || h.reading != nil {
		t.Errorf("%v, %v", found, err)
	}
	s.finds(t, h)
}

func TestACheckSkipsFailingInboxesAndErasesInboxesOfUnknownUsers(t *testing.T) {
	t.Parallel()
	own := redistest.Own(t)
	s := newSite(t, own.Client(t), 0)
	h := s.beside(0)
	for seq := int64(1); seq <= 300; seq++ {
		s.deliver(t, seq, s.notice(1, ""))
	}
	s.writeBehind(t, h, s.someone(300)...)
	s.rdb.Set(t.Context(), s.k.State(7), "not a hash", 0)
	s.rdb.HSet(t.Context(), s.k.State(9), "unread", 3)
	h.nobody[8] = true
	h.mu.Lock()
	delete(h.snapshots, 8)
	h.mu.Unlock()
	found, err := s.Check(t.Context(), s.someone(300))
	if err == nil || errors.Is(err, notifier.ErrUnavailable) || !slices.Equal(found, []notifier.Drift{{Seq: 9, Kind: notifier.DriftCount}}) {
		t.Errorf("%v, %v", found, err)
	}
	s.nothing(t, 8)
	h.failing[0] = errors.New("connection refused")
	if _, err := s.Check(t.Context(), []int64{1}); !errors.Is(err, notifier.ErrUnavailable) {
		t.Errorf("without SQL: %v", err)
	}
	own.Crash(t)
	if _, err := s.Check(t.Context(), []int64{1}); !errors.Is(err, notifier.ErrUnavailable) {
		t.Errorf("without Redis: %v", err)
	}
}

// someone returns the users 1 to n.
func (s *site) someone(n int64) (seqs []int64) {
	for seq := int64(1); seq <= n; seq++ {
		seqs = append(seqs, seq)
	}
	return seqs
}

func TestASampleContainsOnlyWarmInboxesOfThePartition(t *testing.T) {
	onEachRedis(t, func(t *testing.T, s *site) {
		seen := map[int64]bool{}
		for i := range int64(20) {
			s.wake(t, 1+i*keys.Partitions, 2)
		}
		for range 40 {
			some, err := s.Sample(t.Context(), 1, 5)
			if err != nil || len(some) != 5 {
				t.Fatal(some, err)
			}
			for _, seq := range some {
				if keys.Partition(seq) != 1 || seq == 0 {
					t.Fatal(some)
				}
				seen[seq] = true
			}
		}
		if len(seen) < 15 {
			t.Errorf("only %d of 20 were ever sampled", len(seen))
		}
		if all, err := s.Sample(t.Context(), 1, 100); err != nil || len(all) != 20 {
			t.Errorf("all: %v, %v", all, err)
		}
		if none, err := s.Sample(t.Context(), 3, 5); err != nil || len(none) != 0 {
			t.Errorf("none: %v, %v", none, err)
		}
	})
}
