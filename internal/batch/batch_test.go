package batch_test

import (
	"context"
	"errors"
	"reflect"
	"runtime/debug"
	"strings"
	"sync"
	"sync/atomic"
	"testing"
	"testing/synctest"
	"time"

	"github.com/carillonhq/carillon/internal/batch"
)

// gate is a Call that records its items and waits until it is released.
type gate struct {
	calls [][]int
	let   chan struct{}
}

func (g *gate) call(_ context.Context, items []int) {
	g.calls = append(g.calls, items)
	<-g.let
}

// caller calls Do in a goroutine, and returns when the item waits.
func caller(ctx context.Context, q *batch.Queue[int], item int) <-chan error {
	done := make(chan error, 1)
	go func() { done <- q.Do(ctx, item) }()
	synctest.Wait()
	return done
}

func itself(n int) int { return n }

func TestCallersShareTheNextCallUpToItsWeight(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		g := &gate{let: make(chan struct{})}
		q := batch.New(batch.Options[int]{Call: g.call, Most: 10, Weigh: itself})
		defer q.Close()
		var all []<-chan error
		for _, item := range []int{1, 4, 5, 2, 30, 3} {
			all = append(all, caller(t.Context(), q, item))
		}
		if weight, busy := q.Waiting(); weight != 44 || !busy {
			t.Errorf("%d wait, busy %v; want 44 beside a call", weight, busy)
		}
		close(g.let)
		for i, done := range all {
			if err := <-done; err != nil {
				t.Errorf("caller %d: %v", i, err)
			}
		}
		if want := [][]int{{1}, {4, 5}, {2}, {30}, {3}}; !reflect.DeepEqual(g.calls, want) {
			t.Errorf("calls %v, want %v", g.calls, want)
		}
		synctest.Wait()
		if weight, busy := q.Waiting(); weight != 0 || busy {
			t.Errorf("%d wait, busy %v; want none", weight, busy)
		}
	})
}

func TestAFullQueueRefusesCallersUntilOneLeaves(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		g := &gate{let: make(chan struct{})}
		q := batch.New(batch.Options[int]{Call: g.call, Most: 10, Weigh: itself, Room: 5})
		defer q.Close()
		running, cancelRunning := context.WithCancel(t.Context())
		first := caller(running, q, 1)
		waiting, cancelWaiting := context.WithCancel(t.Context())
		second := caller(waiting, q, 5)
		if err := q.Do(t.Context(), 1); !errors.Is(err, batch.ErrFull) {
			t.Errorf("a caller beyond the room: %v", err)
		}
		cancelWaiting()
		if err := <-second; !errors.Is(err, context.Canceled) {
			t.Errorf("a caller who left: %v", err)
		}
		third := caller(t.Context(), q, 2)
		cancelRunning()
		if err := <-first; !errors.Is(err, context.Canceled) {
			t.Errorf("a caller who left during the call: %v", err)
		}
		close(g.let)
		if err := <-third; err != nil {
			t.Errorf("the next caller: %v", err)
		}
		if want := [][]int{{1}, {2}}; !reflect.DeepEqual(g.calls, want) {
			t.Errorf("calls %v, want %v", g.calls, want)
		}
	})
}

func TestCloseServesThePresentCallersAndRefusesOthers(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		g := &gate{let: make(chan struct{})}
		q := batch.New(batch.Options[int]{Call: g.call, Most: 10})
		first, second := caller(t.Context(), q, 1), caller(t.Context(), q, 2)
		var closed atomic.Bool
		go func() {
			q.Close()
			closed.Store(true)
		}()
		synctest.Wait()
		if closed.Load() {
			t.Error("Close returned before the callers were served")
		}
		if err := q.Do(t.Context(), 3); !errors.Is(err, batch.ErrClosed) {
			t.Errorf("a caller after Close: %v", err)
		}
		close(g.let)
		if err := errors.Join(<-first, <-second); err != nil {
			t.Error(err)
		}
		synctest.Wait()
		if !closed.Load() {
			t.Error("Close did not return")
		}
	})
}

func TestACallEndsAtItsLimitAndNotWithItsCallers(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		began := time.Now()
		ended := make(chan error, 1)
		q := batch.New(batch.Options[int]{Most: 1, Limit: time.Minute, Call: func(ctx context.Context, _ []int) {
			<-ctx.Done()
			ended <- ctx.Err()
		}})
		defer q.Close()
		ctx, cancel := context.WithCancel(t.Context())
		done := caller(ctx, q, 1)
		cancel()
		if err := <-done; !errors.Is(err, context.Canceled) {
			t.Errorf("a caller who left: %v", err)
		}
		if err := <-ended; !errors.Is(err, context.DeadlineExceeded) || time.Since(began) != time.Minute {
			t.Errorf("the call ended after %v: %v", time.Since(began), err)
		}
		synctest.Wait()
	})
}

// A waiting worker already has its stack. It must not stay forever: a queue is not always closed.
func TestTheWorkerLingersForTheNextCallerAndThenEnds(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		var workers []string
		q := batch.New(batch.Options[int]{Most: 1, Call: func(context.Context, []int) {
			first, _, _ := strings.Cut(string(debug.Stack()), "\n") // goroutine N [running]:
			workers = append(workers, first)
		}})
		for _, pause := range []time.Duration{50 * time.Millisecond, 90 * time.Millisecond, time.Second, time.Second} {
			if err := q.Do(t.Context(), 1); err != nil {
				t.Fatal(err)
			}
			<-time.After(pause) // of the bubble; the last one leaves no goroutine, or the bubble would not end
		}
		if workers[0] != workers[1] || workers[1] != workers[2] || workers[2] == workers[3] {
			t.Errorf("the calls ran in %q; want one for three, and another after a second", workers)
		}
	})
}

func TestEachItemIsServedOnce(t *testing.T) {
	t.Parallel()
	var served [64 * 200]int // written by one call at a time
	q := batch.New(batch.Options[int]{Most: 7, Call: func(_ context.Context, items []int) {
		for _, i := range items {
			served[i]++
		}
	}})
	var failed sync.Map
	var all sync.WaitGroup
	for w := range 64 {
		all.Go(func() {
			for k := range 200 {
				ctx, cancel := context.WithCancel(t.Context())
				if k%5 == 0 {
					go cancel()
				}
				if err := q.Do(ctx, 200*w+k); err != nil {
					failed.Store(200*w+k, err)
				}
				cancel()
			}
		})
	}
	all.Wait()
	q.Close()
	for i, n := range served {
		if _, left := failed.Load(i); n > 1 || n == 0 && !left {
			t.Fatalf("item %d was served %d times; its caller left: %v", i, n, left)
		}
	}
}
