package inbox_test

import (
	"errors"
	"testing"
	"time"

	"github.com/carillonhq/carillon/internal/redistest"
	"github.com/carillonhq/carillon/notifier"
)

func TestTheLifeTokenChangesOnceInboxesHaveLeft(t *testing.T) {
	onEachRedis(t, func(t *testing.T, s *site) {
		s.beside(0)
		life := func(wantWhole bool) string {
			t.Helper()
			word, whole, err := s.Life(t.Context(), 8, 8)
			if err != nil || whole != wantWhole {
				t.Fatalf("whole: %v, %v", whole, err)
			}
			return word
		}
		s.wake(t, 15)
		life(false)
		for p := 8; p < 16; p++ {
			s.rdb.Set(t.Context(), s.k.Flushed(p), 5, 0)
		}
		first := life(true)
		s.deliver(t, 15, s.notice(1, ""))
		s.wake(t, 16) // in another group
		if again := life(true); again != first {
			t.Errorf("token %q after %q although nothing left", again, first)
		}
		if err := s.Erase(t.Context(), 15); err != nil {
			t.Fatal(err)
		}
		second := life(true)
		s.rdb.Del(t.Context(), s.k.Idle(15))
		if third := life(true); first == second || second == third || first == third {
			t.Errorf("tokens %q, %q, %q", first, second, third)
		}
		s.rdb.Set(t.Context(), s.k.Flushed(9), 0, 0)
		life(false)
	})
}

func TestWithoutRedisTheLifeIsUnavailable(t *testing.T) {
	t.Parallel()
	own := redistest.Own(t)
	s := newSite(t, own.Client(t), 0)
	own.Crash(t)
	for _, call := range map[string]func() error{
		"life":   func() error { _, _, err := s.Life(t.Context(), 0, 8); return err },
		"sample": func() error { _, err := s.Sample(t.Context(), 1, 5); return err },
		"erase":  func() error { return s.Erase(t.Context(), 1) },
		"evict": func() error {
			s.beside(0)
			_, _, err := s.Evict(t.Context(), 1, time.Now(), 5)
			return err
		},
	} {
		if err := call(); !errors.Is(err, notifier.ErrUnavailable) {
			t.Errorf("%v", err)
		}
	}
}
