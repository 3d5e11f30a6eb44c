package inbox_test

import (
	"errors"
	"fmt"
	"testing"
	"time"

	"github.com/carillonhq/carillon/notifier"
)

func TestADeletionIsUndoneByKeyOnAnyInstance(t *testing.T) {
	onEachRedis(t, func(t *testing.T, s *site) {
		h := s.archiveSite(t, 0)
		other := s.another(h, 0)
		edited := s.notice(2, key(2)[len("like:"):])
		edited.Title, edited.Revision = "2 edited", 1
		if _, err := s.Delete(t.Context(), 42, keysOf([]int64{4, 2, 1})...); err != nil {
			t.Fatal(err)
		}
		if ttl := s.rdb.PTTL(t.Context(), s.k.Deleted(42)).Val(); ttl <= 9*time.Minute || ttl > 10*time.Minute {
			t.Errorf("the deleted entries are kept for %s", ttl)
		}
		h.keep(edited)
		h.retract(1, notifier.StateRetracted)
		s.clock.pass(time.Second)
		badge, err := other.Restore(t.Context(), 42, keysOf([]int64{2, 9, 1, 4})...)
		if err != nil || badge.Unread != 4 {
			t.Fatalf("%+v, %v", badge, err)
		}
		if rows, _ := s.shown(t); rows != "5 4 3 2 edited" {
			t.Errorf("the inbox has %q", rows)
		}
		for name, keys := range map[string][]string{
			"restored before": {key(4)}, "never deleted": {key(5)}, "retracted": {key(1)}, "unknown": {key(9)}, "malformed": {" \x00"},
		} {
			if _, err := other.Restore(t.Context(), 42, keys...); !errors.Is(err, notifier.ErrNotFound) {
				t.Errorf("%s: %v, want not found", name, err)
			}
		}
		if _, err := other.Restore(t.Context(), 43, key(4)); !errors.Is(err, notifier.ErrNotFound) {
			t.Errorf("another user's: %v, want not found", err)
		}
	})
}

func TestThePlacesOfDeletedEntriesAreBoundedAndErasedWithTheirUser(t *testing.T) {
	onEachRedis(t, func(t *testing.T, s *site) {
		const most, each = 700, 150
		for id := int64(1); id <= 6*each; id += each {
			var keys []string
			for i := id; i < id+each; i++ {
				s.deliver(t, 42, s.notice(i, fmt.Sprintf("photo:%d", i)))
				keys = append(keys, fmt.Sprintf("like:photo:%d", i))
			}
			if _, err := s.Delete(t.Context(), 42, keys...); err != nil {
				t.Fatal(err)
			}
			if n := s.rdb.HLen(t.Context(), s.k.Deleted(42)).Val(); n < each || n > most {
				t.Errorf("%d places are kept after %d deletions", n, id+each-1)
			}
		}
		if err := s.Erase(t.Context(), 42); err != nil {
			t.Fatal(err)
		}
		if s.rdb.Exists(t.Context(), s.k.Deleted(42)).Val() != 0 {
			t.Error("the places outlive their user")
		}
	})
}
