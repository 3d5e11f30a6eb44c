package inbox_test

import (
	"errors"
	"strings"
	"testing"
	"time"

	"github.com/carillonhq/carillon/notifier"
)

func TestReadKeysIsAllOrNothingAndPublishedOnce(t *testing.T) {
	onEachRedis(t, func(t *testing.T, s *site) {
		s.fill(t, 42, 1, 4)
		n := s.notice(5, "photo:5")
		n.Recipients = 2
		s.deliver(t, 42, n)
		s.fill(t, 42, 6, 10)
		if _, _, err := s.MarkRead(t.Context(), 42, key(2)); err != nil {
			t.Fatal(err)
		}
		before, heard := s.sound(t, 42), s.listen(t, 42)
		for _, missing := range [][]string{{"like:photo:11"}, {key(1), "like:photo:11"}, {key(1), ""}, {key(1) + ":has_read:0"}} {
			if _, err := s.ReadKeys(t.Context(), 42, missing); !errors.Is(err, notifier.ErrNotFound) {
				t.Errorf("%q: %v", missing, err)
			}
		}
		for _, none := range [][]string{nil, {key(2)}, {key(2), key(2)}} {
			if badge, err := s.ReadKeys(t.Context(), 42, none); err != nil || badge.Unread != 9 || decimal(badge.Ver) != before.State["ver"] {
				t.Errorf("%q: %+v, %v", none, badge, err)
			}
		}
		same(t, "reading nothing", before, s.stored(t, 42))
		s.clock.pass(time.Second)
		some := []string{key(9), key(5), key(2), key(1), key(5), key(7)}
		badge, err := s.ReadKeys(t.Context(), 42, some)
		if want := (notifier.Badge{Unread: 5, Inbox: 5, Ver: s.clock.now().UnixMilli()}); err != nil || badge != want {
			t.Errorf("badge %+v, %v; want %+v", badge, err, want)
		}
		at := s.sound(t, 42)
		if got := at.List; strings.Join(got, " ") != strings.Join(turned(before.List, some...), " ") || at.Dirty["42"] != badge.Ver {
			t.Errorf("list %q, dirty %v", got, at.Dirty)
		}
		told := heard.heard(t)
		if len(told) != 1 || told[0].Unread != 5 || events(told) != "read like:photo:9, read like:photo:7, read like:photo:5, read like:photo:1" {
			t.Errorf("published %+v", told)
		}
		if _, read, err := s.counted(t.Context(), 5); err != nil || read != 1 {
			t.Errorf("counted %d as read, %v", read, err)
		}
		if again, err := s.ReadKeys(t.Context(), 42, some); err != nil || again != badge {
			t.Errorf("a second time: %+v, %v", again, err)
		}
		same(t, "reading a second time", at, s.stored(t, 42))
	})
}

// turned returns the list with the rows of some keys marked as read.
func turned(list []string, keys ...string) []string {
	list = append([]string(nil), list...)
	for i, field := range list {
		for _, key := range keys {
			if field == key+notifier.UnreadSuffix {
				list[i] = key + notifier.ReadSuffix
			}
		}
	}
	return list
}

func TestReadSubjectMarksEveryEntryAboutASubjectAndNoOther(t *testing.T) {
	onEachRedis(t, func(t *testing.T, s *site) {
		for i, name := range []string{"invoice:42", "invoice:4", "invoice:42:late", "42", "INVOICE:42", "a.b-c_d%42"} {
			for j, typ := range []string{"due", "paid.late", "x-1"} {
				n := s.notice(int64(10*i+j+1), name)
				n.Type = typ
				s.deliver(t, 42, n)
			}
		}
		alone := s.notice(99, "")
		s.deliver(t, 42, alone)
		before, heard := s.sound(t, 42), s.listen(t, 42)
		for _, none := range []string{"", "invoice", "due:invoice:42", "invoice:42:has_read:0", "invoice.42", "%d+", "nothing\n"} {
			if badge, err := s.ReadSubject(t.Context(), 42, none, 0); err != nil || badge.Unread != 19 {
				t.Errorf("%q: %+v, %v", none, badge, err)
			}
		}
		same(t, "reading an unknown subject", before, s.stored(t, 42))
		s.clock.pass(time.Second)
		badge, err := s.ReadSubject(t.Context(), 42, "invoice:42", 0)
		if err != nil || badge.Unread != 16 || badge.Ver != s.clock.now().UnixMilli() {
			t.Errorf("badge %+v, %v", badge, err)
		}
		at := s.sound(t, 42)
		if want := turned(before.List, "due:invoice:42", "paid.late:invoice:42", "x-1:invoice:42"); strings.Join(at.List, " ") != strings.Join(want, " ") {
			t.Errorf("list %q, want %q", at.List, want)
		}
		told := heard.heard(t)
		if len(told) != 1 || events(told) != "read x-1:invoice:42, read paid.late:invoice:42, read due:invoice:42" {
			t.Errorf("published %+v", told)
		}
		if again, err := s.ReadSubject(t.Context(), 42, "invoice:42", 0); err != nil || again != badge {
			t.Errorf("a second time: %+v, %v", again, err)
		}
		same(t, "reading a second time", at, s.stored(t, 42))
		if badge, err = s.ReadSubject(t.Context(), 43, "invoice:42", 0); err != nil || badge.Unread != 0 {
			t.Errorf("user without entries: %+v, %v", badge, err)
		}
	})
}
