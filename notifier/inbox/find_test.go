package inbox_test

import (
	"errors"
	"reflect"
	"testing"
	"time"

	"github.com/carillonhq/carillon/notifier"
)

func TestFindReturnsEntriesAsPagesShowThem(t *testing.T) {
	onEachRedis(t, func(t *testing.T, s *site) {
		s.fill(t, 42, 1, 3)
		if _, err := s.Open(t.Context(), 42); err != nil {
			t.Fatal(err)
		}
		s.fill(t, 42, 4, 6)
		page, err := s.Open(t.Context(), 42)
		if err != nil {
			t.Fatal(err)
		}
		if _, _, err := s.MarkUnread(t.Context(), 42, key(5)); err != nil {
			t.Fatal(err)
		}
		looked, err := s.Look(t.Context(), 42, notifier.Query{Opened: page.Opened})
		if err != nil {
			t.Fatal(err)
		}
		if len(looked.Entries) != 6 {
			t.Fatalf("%d entries, want 6", len(looked.Entries))
		}
		before := s.stored(t, 42)
		for _, want := range looked.Entries {
			got, err := s.Find(t.Context(), 42, want.Key, page.Opened)
			if err != nil || !reflect.DeepEqual(got, want) {
				t.Errorf("found %+v, %v; want %+v as on the page", got, err, want)
			}
		}
		all, err := s.FindAll(t.Context(), 42, []string{key(5), key(99), key(1)}, page.Opened)
		if want := []notifier.Entry{looked.Entries[1], looked.Entries[5]}; err != nil || !reflect.DeepEqual(all, want) {
			t.Errorf("found %+v, %v; want %+v", all, err, want)
		}
		same(t, "finding", before, s.stored(t, 42))
	})
}

func TestFindReturnsOnlyEntriesOfTheInbox(t *testing.T) {
	onEachRedis(t, func(t *testing.T, s *site) {
		s.fill(t, 42, 1, 1)
		for name, find := range map[string]struct {
			seq int64
			key string
		}{"another key": {42, key(2)}, "another user's": {43, key(1)}, "a stored field": {42, key(1) + ":has_read:0"}} {
			if _, err := s.Find(t.Context(), find.seq, find.key, 0); !errors.Is(err, notifier.ErrNotFound) {
				t.Errorf("%s: %v", name, err)
			}
		}
	})
}

func TestAnEntryIsNotFoundFromItsExpiryOn(t *testing.T) {
	onEachRedis(t, func(t *testing.T, s *site) {
		n := s.notice(1, "1")
		n.ExpiresAt = s.clock.in(time.Minute)
		s.deliver(t, 42, n)
		if _, err := s.Find(t.Context(), 42, n.Key(), 0); err != nil {
			t.Errorf("before it is due: %v", err)
		}
		s.clock.pass(time.Minute)
		if _, err := s.Find(t.Context(), 42, n.Key(), 0); !errors.Is(err, notifier.ErrNotFound) {
			t.Errorf("when it is due: %v", err)
		}
	})
}
