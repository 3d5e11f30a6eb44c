package toast_test

import (
	"context"
	"math/rand/v2"
	"sync"
	"testing"
	"time"

	"github.com/carillonhq/carillon/internal/testkit"
	"github.com/carillonhq/carillon/notifier/keys"
	"github.com/carillonhq/carillon/notifier/toast"
)

func TestClearingUnderLoadLosesNothing(t *testing.T) {
	onEachRedis(t, func(t *testing.T, s *site) {
		const notices, users = 60, 4 // all in one partition
		ctx, cancel := context.WithCancel(t.Context())
		defer cancel()
		var work, clearing sync.WaitGroup
		s.c.RemoveIdleAtOnce()
		clearing.Go(func() {
			for ctx.Err() == nil {
				if err := s.c.Clear(ctx, 7); err != nil && ctx.Err() == nil {
					t.Error(err)
				}
			}
		})
		var raised sync.WaitGroup
		seqs := []int64{ann, bob, bob + keys.Partitions, bob + 2*keys.Partitions}
		raised.Go(func() {
			for n := range int64(notices) {
				s.raise(t, of(n+1, seqs...))
			}
		})
		shown := make([]map[string]bool, users)
		for i, seq := range seqs {
			shown[i] = map[string]bool{}
			work.Go(func() {
				for len(shown[i]) < notices && ctx.Err() == nil {
					s.takeAndDie(ctx, t, seq, shown[i])
				}
			})
		}
		stop := time.AfterFunc(testkit.Patience, cancel)
		work.Wait()
		raised.Wait()
		if stop.Stop(); ctx.Err() != nil {
			t.Errorf("timed out; shown so far: %d %d %d %d", len(shown[0]), len(shown[1]), len(shown[2]), len(shown[3]))
		}
		cancel()
		clearing.Wait()
		s.empty(t, 7, seqs...)
	})
}

// takeAndDie simulates a short-lived instance that claims the toasts of a user and dies while holding some of them.
func (s *site) takeAndDie(ctx context.Context, t *testing.T, seq int64, shown map[string]bool) {
	t.Helper()
	by := toast.New(s.rdb, s.k, toast.Options{Hold: time.Millisecond})
	for range rand.IntN(4) {
		all, err := by.Take(ctx, []int64{seq})
		if err != nil {
			if ctx.Err() == nil {
				t.Error(err)
			}
			return
		}
		for _, one := range all[0].Toasts {
			if rand.IntN(3) == 0 {
				return
			}
			if err := by.Ack(ctx, seq, []string{one.ID}); err != nil {
				t.Errorf("user %d acknowledges %s: %v", seq, one.ID, err)
			}
			shown[one.ID] = true
		}
	}
}
