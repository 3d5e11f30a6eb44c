package route_test

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"sync"
	"sync/atomic"
	"testing"
	"testing/synctest"
	"time"

	"github.com/RoaringBitmap/roaring/v2"

	"github.com/carillonhq/carillon/notifier"
	"github.com/carillonhq/carillon/notifier/route"
)

// gated holds each call for names until the test releases it.
type gated struct {
	directory
	let   chan struct{}
	asked atomic.Int64
}

func (g *gated) Addressees(ctx context.Context, typ string, names []string) (map[string]int64, *roaring.Bitmap, error) {
	g.asked.Add(1)
	select {
	case <-g.let:
	case <-ctx.Done():
		return nil, nil, ctx.Err()
	}
	return g.directory.Addressees(ctx, typ, names)
}

func TestCallsThatArriveDuringAnotherAreCombined(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		dir := &gated{directory: some, let: make(chan struct{})}
		r := route.New(dir, nil)
		var all sync.WaitGroup
		for i := range 100 {
			name, want := "alice", []uint32{1}
			if i%2 == 1 {
				name, want = "bob", []uint32{7}
			}
			all.Go(func() {
				got, err := r.Recipients(t.Context(), draft("news", notifier.Target{Users: []string{name}}))
				if err != nil || !slices.Equal(got.ToArray(), want) {
					t.Errorf("%s: %v, %v", name, got, err)
				}
			})
			synctest.Wait() // the first call is running, the others wait
		}
		dir.let <- struct{}{}
		synctest.Wait()
		dir.let <- struct{}{}
		all.Wait()
		if n := dir.asked.Load(); n != 2 {
			t.Errorf("%d directory calls, want 2", n)
		}
		all.Go(func() {
			if _, err := r.Recipients(t.Context(), draft("news", notifier.Target{Users: []string{"bob"}})); err != nil {
				t.Error(err)
			}
		})
		dir.let <- struct{}{} // a later call runs at once
		all.Wait()
		<-time.After(time.Second) // of the bubble: there are no more calls
	})
}

// 20 waiting calls have 1,000 drafts: two directory calls of at most 500.
func TestACombinedCallHasABoundedNumberOfDrafts(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		dir := &gated{directory: some, let: make(chan struct{})}
		r := route.New(dir, nil)
		drafts := make([]notifier.Draft, 50)
		for i := range drafts {
			drafts[i] = draft("news", notifier.Target{Users: []string{"bob"}})
		}
		var all sync.WaitGroup
		for range 21 {
			all.Go(func() {
				got, err := r.RecipientsAll(t.Context(), drafts)
				if err != nil || len(got) != len(drafts) || !slices.Equal(got[49].To.ToArray(), []uint32{7}) {
					t.Errorf("%d answers, %v", len(got), err)
				}
			})
			synctest.Wait() // the first call is running, the others wait
		}
		for range 3 {
			dir.let <- struct{}{}
			synctest.Wait()
		}
		all.Wait()
		if n := dir.asked.Load(); n != 3 {
			t.Errorf("%d directory calls, want 3", n)
		}
		<-time.After(time.Second) // as above
	})
}

func TestACancelledCallDoesNotAffectTheOthers(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		dir := &gated{directory: some, let: make(chan struct{})}
		r := route.New(dir, nil)
		var all sync.WaitGroup
		leave := make([]context.CancelFunc, 6)
		for i := range leave {
			var ctx context.Context
			ctx, leave[i] = context.WithCancel(t.Context())
			all.Go(func() {
				got, err := r.Recipients(ctx, draft("news", notifier.Target{Users: []string{"bob"}}))
				switch {
				case i == 0 || i == 1 || i == 3:
					if !errors.Is(err, context.Canceled) {
						t.Errorf("cancelled call %d: %v, %v", i, got, err)
					}
				case err != nil || !slices.Equal(got.ToArray(), []uint32{7}):
					t.Errorf("call %d: %v, %v", i, got, err)
				}
			})
			synctest.Wait()
		}
		for _, i := range []int{0, 1, 3} { // 0 is running; 1 would run next
			leave[i]()
		}
		synctest.Wait()
		dir.let <- struct{}{}
		synctest.Wait()
		dir.let <- struct{}{}
		all.Wait()
		for _, cancel := range leave {
			cancel()
		}
		if n := dir.asked.Load(); n != 2 {
			t.Errorf("%d directory calls, want 2", n)
		}
		<-time.After(time.Second) // as above
	})
}

func TestManyConcurrentCallsAreAllAnswered(t *testing.T) {
	t.Parallel()
	r := route.New(some, nil)
	var all sync.WaitGroup
	for i := range 64 {
		all.Go(func() {
			for k := range 50 {
				ctx, cancel := context.WithCancel(t.Context())
				if (i+k)%7 == 0 {
					cancel() // some calls are cancelled from the start
				}
				name := fmt.Sprint("nobody", i, k)
				got, err := r.Recipients(ctx, draft("news", notifier.Target{Users: []string{"carol", name}}))
				var bad *notifier.InvalidError
				left := errors.Is(err, context.Canceled)
				if !left && (!errors.As(err, &bad) || bad.Fields[0].Params["Names"] != name || !slices.Equal(got.ToArray(), []uint32{4_000_000_000})) {
					t.Errorf("%s: %v, %v", name, got, err)
				}
				cancel()
			}
		})
	}
	all.Wait()
}
