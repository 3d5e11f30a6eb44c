package inbox_test

import (
	"context"
	"errors"
	"fmt"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"
	"github.com/redis/go-redis/v9"

	"github.com/carillonhq/carillon/internal/redistest"
	"github.com/carillonhq/carillon/notifier"
	"github.com/carillonhq/carillon/notifier/keys"
)

// dump saves all of a user's own keys and returns a function that puts them back, like a restart
// from an older file.
func (s *site) dump(t tb, seq int64) (back func()) {
	t.Helper()
	names := []string{s.k.List(seq), s.k.Hash(seq), s.k.State(seq), s.k.Gone(seq), s.k.Archive(seq)}
	was := make([]string, len(names))
	for i, key := range names {
		was[i] = s.rdb.Dump(t.Context(), key).Val()
	}
	return func() {
		t.Helper()
		s.lose(t, seq)
		for i, key := range names {
			if was[i] == "" {
				continue
			}
			if err := s.rdb.Restore(t.Context(), key, 0, was[i]).Err(); err != nil {
				t.Fatal(err)
			}
		}
	}
}

// onServers is onEachRedis without miniredis, which has neither DUMP nor RESTORE.
func onServers(t *testing.T, promise func(t *testing.T, s *site)) {
	t.Helper()
	redistest.OnServers(t, func(t *testing.T, rdb redis.UniversalClient) { t.Helper(); promise(t, newSite(t, rdb, 0)) })
}

// vers returns the versions on the shelf.
func (h *shelf) vers(seqs ...int64) (list []notifier.Dirty) {
	h.mu.Lock()
	defer h.mu.Unlock()
	for _, seq := range seqs {
		list = append(list, notifier.Dirty{Seq: seq, Ver: h.snapshots[seq].Ver})
	}
	return list
}

func (s *site) reconcile(t tb, want int, users []notifier.Dirty) {
	t.Helper()
	if n, err := s.Reconcile(t.Context(), users); err != nil || n != want {
		t.Fatalf("%d were restored, %v; want %d", n, err, want)
	}
}

func TestAnInboxThatCameBackOlderIsReplacedFromSQL(t *testing.T) {
	onServers(t, func(t *testing.T, s *site) {
		h := s.beside(0)
		s.lived(t, h, 42)
		older := s.dump(t, 42)
		// An undone delete: in SQL the notice is back in the inbox, and it must be restored.
		if _, err := s.PutBack(t.Context(), 42, notifier.Entry{Key: key(6), NoticeID: 6, At: startTime + 6, Content: notifier.Content{Type: "like"}}); err != nil {
			t.Fatal(err)
		}
		soon := s.notice(8, "photo:8")
		soon.ExpiresAt = s.clock.in(time.Hour)
		h.keep(soon)
		s.deliver(t, 42, soon)
		if _, err := s.Delete(t.Context(), 42, key(5)); err != nil {
			t.Fatal(err)
		}
		s.writeBehind(t, h, 42)
		want, heard := s.sound(t, 42), s.listen(t, 42)
		older()
		s.clock.pass(time.Second)
		s.reconcile(t, 1, h.vers(42))
		now := s.clock.now().UnixMilli()
		got := s.sound(t, 42)
		if got.State["ver"] != decimal(now) || got.Dirty["42"] != now {
			t.Errorf("ver %s, dirty %v; want a new version with a dirty mark", got.State["ver"], got.Dirty)
		}
		want.State["ver"], want.Dirty = decimal(now), got.Dirty
		for field, row := range want.Hash { // a restored row shows the content of its notice in SQL
			want.Hash[field] = row[:20]
			got.Hash[field] = got.Hash[field][:20]
		}
		same(t, "healing", want, got)
		if told := heard.heard(t); len(told) != 1 || told[0].Ver != now || decimal(told[0].Unread) != got.State["unread"] {
			t.Errorf("published %+v", told)
		}
		s.reconcile(t, 0, h.vers(42))
		s.writeBehind(t, h, 42)
		s.reconcile(t, 0, h.vers(42))
	})
}

func TestReconcileLeavesNewerAndColdInboxesAlone(t *testing.T) {
	onServers(t, func(t *testing.T, s *site) {
		h := s.beside(0)
		for _, seq := range []int64{1, 2, 3} {
			s.lived(t, h, seq)
		}
		s.deliver(t, 1, s.notice(9, ""))
		newer, equal := s.stored(t, 1), s.stored(t, 2)
		s.lose(t, 3)
		users := h.vers(1, 2, 3)
		s.reconcile(t, 0, append(users, notifier.Dirty{Seq: 4, Ver: 7}))
		same(t, "healing", newer, s.stored(t, 1))
		same(t, "healing", equal, s.stored(t, 2))
		if at := s.stored(t, 3); len(at.State)+len(at.List) > 0 {
			t.Errorf("a cold inbox: %+v", at)
		}
		s.reconcile(t, 0, nil)
	})
}

func TestReconcileHealsManyInboxesAndSkipsFailingOnes(t *testing.T) {
	onServers(t, func(t *testing.T, s *site) {
		h := s.beside(0)
		var seqs []int64
		for seq := int64(1); seq <= 1100; seq++ {
			seqs = append(seqs, seq)
		}
		for id := int64(1); id <= 3; id++ {
			n := s.notice(id, fmt.Sprintf("photo:%d", id))
			h.keep(n)
			s.deliverAll(t, s.delivery(t, n, seqs...))
			s.clock.pass(time.Millisecond)
		}
		s.writeBehind(t, h, seqs...)
		for _, seq := range seqs { // with one row fewer, and an older version
			s.rdb.LPop(t.Context(), s.k.List(seq))
			s.rdb.HDel(t.Context(), s.k.Hash(seq), key(3)+notifier.UnreadSuffix)
			s.rdb.HSet(t.Context(), s.k.State(seq), "unread", 2, "ver", startTime+1)
		}
		s.rdb.Set(t.Context(), s.k.State(7), "not a hash", 0)
		h.save([]notifier.Snapshot{{Seq: 8, Ver: startTime + 500, Damaged: true}})
		s.reconcile(t, 1098, h.vers(seqs...))
		for _, seq := range seqs {
			want := 3
			switch seq {
			case 7:
				continue
			case 8:
				want = 2
			}
			if at := s.stored(t, seq); len(at.List) != want || at.State["unread"] != decimal(int64(want)) {
				t.Fatalf("user %d has %v, %v", seq, at.List, at.State)
			}
		}
	})
}

func TestHealingReportsAnOutageOfSQLOrRedis(t *testing.T) {
	t.Parallel()
	own := redistest.Own(t)
	s := newSite(t, own.Client(t), 0)
	h := s.beside(0)
	s.lived(t, h, 42)
	s.rdb.HSet(t.Context(), s.k.State(42), "ver", 7)
	for i := range h.failing {
		h.failing = [2]error{}
		h.failing[i] = errors.New("connection refused")
		if _, err := s.Reconcile(t.Context(), h.vers(42)); !errors.Is(err, notifier.ErrUnavailable) {
			t.Errorf("without SQL: %v", err)
		}
	}
	h.failing = [2]error{}
	canceled, cancel := context.WithCancel(t.Context())
	cancel()
	if _, err := s.Reconcile(canceled, h.vers(42)); !errors.Is(err, context.Canceled) || errors.Is(err, notifier.ErrUnavailable) {
		t.Errorf("canceled: %v", err)
	}
	own.Crash(t)
	if _, err := s.Reconcile(t.Context(), h.vers(42)); !errors.Is(err, notifier.ErrUnavailable) {
		t.Errorf("without Redis: %v", err)
	}
	if err := s.RestoreCounts(t.Context(), 1, []notifier.NoticeCount{{NoticeID: 1}}, false); !errors.Is(err, notifier.ErrUnavailable) {
		t.Errorf("counts without Redis: %v", err)
	}
}

// An instance reads SQL and pauses. Meanwhile another instance restores the inbox, which is changed
// and written behind; then Redis loses it, and is healed or starts empty.
func TestAPausedInstanceDoesNotRestoreAStaleSnapshotAfterALoss(t *testing.T) {
	onEachRedis(t, func(t *testing.T, s *site) {
		for _, loss := range []string{"healed", "emptied"} {
			h := s.beside(0)
			s.lived(t, h, 42)
			s.lose(t, 42)
			s.clock.pass(time.Second)
			other := s.another(h, 0)
			h.meeting = func() {
				if _, err := other.Delete(t.Context(), 42, key(5)); err != nil {
					t.Error(err)
				}
				s.writeBehind(t, h, 42)
				if s.lose(t, 42); loss == "healed" {
					s.reconcile(t, 0, h.vers(42))
				} else {
					s.rdb.Del(t.Context(), s.k.Idle(keys.Partition(42)))
				}
				s.clock.pass(time.Millisecond)
			}
			s.wake(t, 42)
			at := s.sound(t, 42)
			if d := cmp.Diff(decimal(h.snapshots[42].Ver), at.State["ver"]); d != "" || len(at.List) != 4 || len(at.Gone) != 3 {
				t.Errorf("%s: rows %v, ver (-SQL +redis):\n%s", loss, at.List, d)
			}
			s.lose(t, 42)
		}
	})
}

func TestRedisRecordsTheVersionThatSQLHas(t *testing.T) {
	onEachRedis(t, func(t *testing.T, s *site) {
		flushed := func() string { return s.rdb.Get(t.Context(), s.k.Flushed(1)).Val() }
		s.deliver(t, 1, s.notice(1, ""))
		s.deliver(t, 65, s.notice(1, ""))
		clean := func(marks ...notifier.Dirty) {
			t.Helper()
			if err := s.Clean(t.Context(), 1, marks); err != nil {
				t.Fatal(err)
			}
		}
		for _, none := range []string{"", "0"} { // lost, or being healed: a flusher must not end that state
			if none != "" {
				s.rdb.Set(t.Context(), s.k.Flushed(1), none, 0)
			}
			if clean(notifier.Dirty{Seq: 65, Ver: startTime + 1}); flushed() != none {
				t.Errorf("flushed = %s, was %q", flushed(), none)
			}
		}
		s.rdb.Set(t.Context(), s.k.Flushed(1), 1, 0)
		clean(notifier.Dirty{Seq: 65, Ver: startTime + 2}, notifier.Dirty{Seq: 1, Ver: startTime})
		if got := flushed(); got != decimal(startTime+2) {
			t.Errorf("flushed = %s, want %d", got, startTime+2)
		}
		clean(notifier.Dirty{Seq: 1, Ver: startTime + 1})
		if got := flushed(); got != decimal(startTime+2) {
			t.Errorf("flushed fell to %s", got)
		}
		if left := s.stored(t, 1).Dirty; len(left) != 0 {
			t.Errorf("marks left: %v", left)
		}
		clean(notifier.Dirty{Seq: 1, Ver: 1 << 52}) // from the future
		if got := number(t, flushed()); got > time.Now().Add(time.Minute).UnixMilli() || got <= startTime+2 {
			t.Errorf("flushed = %d, which is in the future", got)
		}
	})
}
