package inbox_test

import (
	"errors"
	"fmt"
	"slices"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/carillonhq/carillon/internal/redistest"
	"github.com/carillonhq/carillon/notifier"
)

// delivery returns a delivery of the notice to these users.
func (s *site) delivery(t tb, n *notifier.Notice, seqs ...int64) notifier.Delivery {
	t.Helper()
	d, err := n.Delivery(seqs)
	if err != nil {
		t.Fatal(err)
	}
	return d
}

// deliverAll delivers, and fails the test on any error.
func (s *site) deliverAll(t tb, all ...notifier.Delivery) {
	t.Helper()
	_, errs := s.DeliverAll(t.Context(), all)
	for i, err := range errs {
		if err != nil {
			t.Fatalf("delivery %d: %v", i, err)
		}
	}
}

func TestManyNoticesReachManyUsersInOrder(t *testing.T) {
	onEachRedis(t, func(t *testing.T, s *site) {
		const users, notices = 40, 30 // 800 scripts; cold users occur several times in one pipeline
		var all []notifier.Delivery
		want := map[int64][]string{}
		for id := int64(1); id <= notices; id++ {
			n := s.notice(id, fmt.Sprintf("photo:%d", id))
			n.Recipients = 2
			var seqs []int64
			for seq := int64(1); seq <= users; seq++ {
				if (seq+id)%3 > 0 {
					seqs = append(seqs, seq)
					want[seq] = slices.Insert(want[seq], 0, key(id)+notifier.UnreadSuffix)
				}
			}
			all = append(all, s.delivery(t, n, seqs...))
		}
		for range 2 { // the second time changes nothing
			s.deliverAll(t, all...)
			for seq := int64(1); seq <= users; seq++ {
				at := s.sound(t, seq)
				if d := cmp.Diff(want[seq], at.List); d != "" {
					t.Fatalf("user %d (-want +got):\n%s", seq, d)
				}
			}
		}
		for i := range all {
			delivered, _, err := s.counted(t.Context(), all[i].NoticeID)
			if err != nil || delivered != int64(len(all[i].Seqs)) {
				t.Errorf("notice %d: %d delivered, %v; want %d", all[i].NoticeID, delivered, err, len(all[i].Seqs))
			}
		}
		if _, errs := s.DeliverAll(t.Context(), nil); len(errs) != 0 {
			t.Errorf("without deliveries: %v", errs)
		}
		if _, errs := s.DeliverAll(t.Context(), []notifier.Delivery{s.delivery(t, s.notice(99, ""))}); len(errs) != 1 || errs[0] != nil {
			t.Errorf("without recipients: %v", errs)
		}
	})
}

// The later of two notices with the same key stays, even if the inbox was cold.
func TestOfTwoNoticesWithOneKeyInACallTheLaterStays(t *testing.T) {
	onEachRedis(t, func(t *testing.T, s *site) {
		s.deliverAll(t, s.delivery(t, s.notice(1, "a"), 42), s.delivery(t, s.notice(2, "b"), 42), s.delivery(t, s.notice(3, "a"), 42))
		at := s.sound(t, 42)
		if d := cmp.Diff([]string{"like:a:has_read:0", "like:b:has_read:0"}, at.List); d != "" || at.Hash["like:a:has_read:0"][:2] != "3 " {
			t.Errorf("%v (-want +got):\n%s", at.Hash, d)
		}
	})
}

func TestAFailingInboxFailsOnlyItsOwnDeliveries(t *testing.T) {
	onEachRedis(t, func(t *testing.T, s *site) {
		if err := s.rdb.Set(t.Context(), s.k.State(7), "not a hash", 0).Err(); err != nil {
			t.Fatal(err)
		}
		var all []notifier.Delivery
		for id := int64(1); id <= 600; id++ { // more than a pipeline; every second one goes to users 7 and 8
			n := s.notice(id, fmt.Sprintf("photo:%d", id))
			if id%2 == 0 {
				all = append(all, s.delivery(t, n, 8, 7))
			} else {
				all = append(all, s.delivery(t, n, 8))
			}
		}
		_, errs := s.DeliverAll(t.Context(), all)
		for i, err := range errs {
			if (err != nil) != (i%2 == 1) || errors.Is(err, notifier.ErrUnavailable) {
				t.Fatalf("delivery %d: %v", i, err)
			}
		}
		if at := s.sound(t, 8); len(at.List) != 200 || at.List[0] != key(600)+notifier.UnreadSuffix {
			t.Errorf("user 8 has %d rows, the first is %s", len(at.List), at.List[0])
		}
	})
}

func TestAnOutageOfRedisOrSQLIsReportedAsUnavailable(t *testing.T) {
	t.Parallel()
	own := redistest.Own(t)
	s := newSite(t, own.Client(t), 0)
	h := s.beside(0)
	s.deliverAll(t, s.delivery(t, s.notice(1, ""), 1))
	h.failing[0] = errors.New("connection refused")
	_, errs := s.DeliverAll(t.Context(), []notifier.Delivery{s.delivery(t, s.notice(2, ""), 1), s.delivery(t, s.notice(3, ""), 1, 2)})
	if errs[0] != nil || !errors.Is(errs[1], notifier.ErrUnavailable) {
		t.Errorf("without SQL: %v; want only the delivery to the warm inbox to succeed", errs)
	}
	s.rdb.Set(t.Context(), s.k.State(7), "not a hash", 0) // this inbox fails, and the other cannot be restored: that must not count as an attempt
	_, errs = s.DeliverAll(t.Context(), []notifier.Delivery{s.delivery(t, s.notice(2, ""), 7, 9), s.delivery(t, s.notice(3, ""), 7)})
	if !errors.Is(errs[0], notifier.ErrUnavailable) || errs[1] == nil || errors.Is(errs[1], notifier.ErrUnavailable) {
		t.Errorf("a failing inbox, without SQL: %v", errs)
	}
	own.Crash(t)
	var all []notifier.Delivery
	for id := int64(4); id < 1000; id++ {
		all = append(all, s.delivery(t, s.notice(id, ""), id))
	}
	_, errs = s.DeliverAll(t.Context(), all)
	for i, err := range errs {
		if !errors.Is(err, notifier.ErrUnavailable) {
			t.Fatalf("without Redis, delivery %d: %v", i, err)
		}
	}
}
