package inbox_test

import (
	"context"
	"errors"
	"fmt"
	"runtime"
	"slices"
	"sync"
	"testing"

	"github.com/redis/go-redis/v9"

	"github.com/carillonhq/carillon/internal/redistest"
	"github.com/carillonhq/carillon/notifier"
)

// shared records the number of calls in each round trip, and runs a hook before each.
type shared struct {
	mu     sync.Mutex
	calls  []int
	before func(trip int)
}

func (h *shared) DialHook(next redis.DialHook) redis.DialHook { return next }

func (h *shared) ProcessHook(next redis.ProcessHook) redis.ProcessHook {
	return func(ctx context.Context, cmd redis.Cmder) error {
		if cmd.Name() != "hello" { // of a new connection
			h.note(1)
		}
		return next(ctx, cmd)
	}
}

func (h *shared) ProcessPipelineHook(next redis.ProcessPipelineHook) redis.ProcessPipelineHook {
	return func(ctx context.Context, cmds []redis.Cmder) error {
		h.note(len(cmds))
		return next(ctx, cmds)
	}
}

func (h *shared) note(n int) {
	h.mu.Lock()
	h.calls = append(h.calls, n)
	trip := len(h.calls)
	h.mu.Unlock()
	h.before(trip)
}

// TestCallersThatArriveDuringARoundTripShareTheNext also cancels a poll during the shared round trip,
// and one that waits for it.
func TestCallersThatArriveDuringARoundTripShareTheNext(t *testing.T) {
	t.Parallel()
	c := redistest.Client(t)
	s := newSite(t, c, 0)
	for seq := range int64(7) {
		s.fill(t, seq+1, 1, seq+1)
	}
	first, enough := make(chan struct{}), make(chan struct{})
	leaving, cancel := context.WithCancel(t.Context())
	h := &shared{before: func(trip int) {
		switch trip {
		case 1:
			close(first)
			<-enough
		case 2:
			cancel()
		}
	}}
	poll := func(ctx context.Context, seq int64) error {
		p, err := s.Poll(ctx, seq, notifier.PollQuery{})
		if err == nil && (p.Unread != seq || len(p.Entries) != int(seq)) {
			err = fmt.Errorf("user %d has %d unread of %d", seq, p.Unread, len(p.Entries))
		}
		return err
	}
	open := func(ctx context.Context, seq int64) error {
		p, err := s.Open(ctx, seq)
		if err == nil && (p.Turned != seq || len(p.Entries) != int(seq)) {
			err = fmt.Errorf("opening turned %d of %d for user %d", p.Turned, len(p.Entries), seq)
		}
		return err
	}
	count := func(ctx context.Context, seq int64) error {
		badges, err := s.Badges(ctx, []int64{seq})
		if err == nil && badges[0].Unread != seq {
			err = fmt.Errorf("user %d has %d unread", seq, badges[0].Unread)
		}
		return err
	}
	calls := []func(ctx context.Context, seq int64) error{2: poll, 3: poll, 4: open, 5: count, 6: open, 7: count, 1: poll}
	if err := s.Load(t.Context()); err != nil {
		t.Fatal(err)
	}
	c.AddHook(h)
	var all sync.WaitGroup
	come := func(ctx context.Context, seq int64, waiting int) {
		all.Go(func() {
			if err := calls[seq](ctx, seq); ctx == leaving && errors.Is(err, context.Canceled) {
				return
			} else if err != nil {
				t.Error(err)
			}
		})
		for s.Waiting() < waiting {
			runtime.Gosched()
		}
	}
	come(t.Context(), 1, 0)
	<-first
	come(leaving, 2, 1)
	gone, leave := context.WithCancel(t.Context())
	leave()
	if err := poll(gone, 3); !errors.Is(err, context.Canceled) {
		t.Errorf("a canceled poll: %v", err)
	}
	for i := range 5 {
		come(t.Context(), int64(i+3), i+2)
	}
	close(enough)
	all.Wait()
	if !slices.Equal(h.calls, []int{1, 6}) {
		t.Errorf("calls in each round trip: %v, want one and then the six others", h.calls)
	}
}
