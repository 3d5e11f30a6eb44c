package inbox_test

import (
	"fmt"
	"testing"
	"time"

	"github.com/carillonhq/carillon/internal/redistest"
	"github.com/carillonhq/carillon/notifier"
)

// flood delivers more notices to user 42 than the inbox can keep track of: 900, with room for 200
// rows and 500 notices in gone.
func (s *site) flood(t *testing.T) (all []notifier.Delivery) {
	t.Helper()
	for id := int64(1); id <= 900; id++ {
		d := s.delivery(t, s.notice(id, fmt.Sprintf("photo:%d", id)), 42)
		s.deliverAll(t, d)
		s.clock.pass(time.Millisecond)
		all = append(all, d)
	}
	if _, err := s.Open(t.Context(), 42); err != nil {
		t.Fatal(err)
	}
	for id := int64(896); id <= 900; id++ {
		s.clock.pass(time.Millisecond)
		if _, err := s.Delete(t.Context(), 42, key(id)); err != nil {
			t.Fatal(err)
		}
	}
	if at := s.sound(t, 42); len(at.List) != 195 || at.State["unread"] != "0" || len(at.Gone) != 500 || at.State["floor"] != "205" {
		t.Fatalf("%d rows, %s unread, %d gone, floor %s", len(at.List), at.State["unread"], len(at.Gone), at.State["floor"])
	}
	return all
}

func again(all []notifier.Delivery) []notifier.Delivery {
	some := append([]notifier.Delivery{}, all...)
	for i := range some {
		some[i].Again = true
	}
	return some
}

func TestRedeliveryAfterALossSkipsNoticesBelowTheFloor(t *testing.T) {
	onEachRedis(t, func(t *testing.T, s *site) {
		h := s.beside(0)
		all := s.flood(t)
		for _, d := range all {
			n := s.notice(d.NoticeID, fmt.Sprintf("photo:%d", d.NoticeID))
			n.ExpiresAt = time.UnixMilli(d.Expires)
			h.notices[d.NoticeID] = *n
		}
		before := s.stored(t, 42)
		s.deliverAll(t, again(all)...)
		same(t, "redelivering all", before, s.stored(t, 42))

		h.save(s.read(t, 42))
		if err := s.Erase(t.Context(), 42); err != nil {
			t.Fatal(err)
		}
		s.deliverAll(t, again(all)...)
		after := s.sound(t, 42)
		if after.State["floor"] != "205" || after.State["unread"] != "0" || len(after.List) != 195 || len(after.Gone) != 500 {
			t.Errorf("restored from SQL: %d rows, %d gone, %v", len(after.List), len(after.Gone), after.State)
		}
	})
}

func TestAFirstDeliveryIgnoresTheFloor(t *testing.T) {
	t.Parallel()
	s := newSite(t, redistest.Client(t), 0)
	s.flood(t)
	late := s.notice(150, "of a slow one")
	if got := s.deliver(t, 42, late); got != 1 {
		t.Error("a notice below the floor was not delivered")
	}
	if at := s.sound(t, 42); at.State["unread"] != "1" {
		t.Errorf("%s unread", at.State["unread"])
	}
	above := s.delivery(t, s.notice(901, "photo:901"), 42)
	s.deliverAll(t, again([]notifier.Delivery{above})...)
	if at := s.sound(t, 42); at.State["unread"] != "2" {
		t.Errorf("%s unread after the redelivery of a lost notice", at.State["unread"])
	}
}

func TestTheFloorNeverFalls(t *testing.T) {
	t.Parallel()
	s := newSite(t, redistest.Client(t), 0)
	s.flood(t)
	s.clock.pass(time.Millisecond)
	if err := s.Retract(t.Context(), 3, key(3), []int64{42}); err != nil { // the inbox has no record of it
		t.Fatal(err)
	}
	for id := int64(901); id <= 1500; id++ {
		s.clock.pass(time.Millisecond)
		s.deliver(t, 42, s.notice(id, fmt.Sprintf("photo:%d", id)))
	}
	floor := s.stored(t, 42).State["floor"]
	for id := int64(1501); id <= 1502; id++ {
		s.clock.pass(time.Millisecond)
		s.deliver(t, 42, s.notice(id, fmt.Sprintf("photo:%d", id)))
	}
	if now := s.stored(t, 42).State["floor"]; number(t, now) < number(t, floor) || number(t, floor) < 600 {
		t.Errorf("the floor went from %s to %s", floor, now)
	}
}

// A scheduled notice has a lower id than notices that were sent before it.
func TestAScheduledNoticeIsOrderedByWhenItIsSent(t *testing.T) {
	onEachRedis(t, func(t *testing.T, s *site) {
		s.fill(t, 42, 10, 20)
		deliver := func(id, order int64, subject string, again bool) int {
			t.Helper()
			d := s.delivery(t, s.notice(id, subject), 42)
			d.Order, d.Again = order, again
			before := s.stored(t, 42).State["ver"]
			s.deliverAll(t, d)
			s.clock.pass(time.Millisecond)
			if s.stored(t, 42).State["ver"] == before {
				return 0
			}
			return 1
		}
		for _, one := range []struct {
			what      string
			id, order int64
			subject   string
			again     bool
			want      int
		}{
			{"a notice that is older than the row with its key", 3, 15, "photo:16", false, 0},
			{"one that was sent after that row", 4, 25, "photo:16", false, 1},
			{"the same again", 4, 25, "photo:16", true, 0},
			{"a later one with its key", 30, 30, "photo:16", false, 1},
		} {
			if got := deliver(one.id, one.order, one.subject, one.again); got != one.want {
				t.Errorf("%s: %d inboxes changed, want %d", one.what, got, one.want)
			}
		}
		if err := s.rdb.HSet(t.Context(), s.k.State(42), "floor", 50).Err(); err != nil {
			t.Fatal(err)
		}
		if got := deliver(5, 40, "photo:40", true); got != 0 {
			t.Error("redelivered below the floor")
		}
		if got := deliver(6, 60, "photo:60", true); got != 1 {
			t.Error("a notice that was sent after the floor was lost")
		}
		s.sound(t, 42)
	})
}
