package announcement_test

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"sync"
	"testing"
	"time"

	"github.com/redis/go-redis/v9"

	"github.com/carillonhq/carillon/internal/redistest"
	"github.com/carillonhq/carillon/internal/testkit"
	"github.com/carillonhq/carillon/notifier"
)

func TestBadgesOfManyReadersComeInOrder(t *testing.T) {
	onEachRedis(t, func(t *testing.T, s *site) {
		s.sql.users = slices.Repeat([]notifier.Audience{customer}, 700)
		ids := []int64{s.publish(t, draft("One", customer)), s.publish(t, draft("Two", customer, user)), s.publish(t, draft("Three", customer))}
		readers := make([]notifier.Reader, 1210)
		want := make([]int64, len(readers))
		for i := range readers { // some are users, some join late, some do not exist
			seq := int64(i%720 + 1)
			readers[i] = notifier.Reader{Seq: seq, Audience: customer}
			switch {
			case i%3 == 1:
				readers[i].Audience = user
				want[i] = 1
			case i%100 == 50:
				readers[i].Seq = -seq
			default:
				want[i] = 3
			}
			if seq > 700 {
				want[i] = 0
			}
		}
		for _, i := range []int{0, 3, 999, 1209} {
			if _, err := s.MarkRead(t.Context(), readers[i], ids[1]); err != nil {
				t.Fatal(err)
			}
			for j, r := range readers {
				if r == readers[i] {
					want[j]--
				}
			}
		}
		badges, err := s.Badges(t.Context(), readers)
		if err != nil {
			t.Fatal(err)
		}
		for i, b := range badges {
			if b.Unread != want[i] || b.Announcements != want[i] || (b.AVer == 0) != (readers[i].Seq < 1) {
				t.Errorf("reader %d, %+v, has %+v, want %d", i, readers[i], b, want[i])
			}
		}
		if none, err := s.Badges(t.Context(), nil); err != nil || len(none) != 0 {
			t.Errorf("badges of no readers: %v, %v", none, err)
		}
	})
}

func TestAudienceWithoutAnnouncementsHasAVersion(t *testing.T) {
	onEachRedis(t, func(t *testing.T, s *site) {
		before := time.Now().UnixMilli()
		first := s.badge(t, 1)
		if first.Unread != 0 || first.AVer < before || first != s.badge(t, 1) {
			t.Errorf("badge %+v, then %+v", first, s.badge(t, 1))
		}
		id := s.publish(t, draft("One"))
		s.sql.retract(id)
		s.sync(t)
		if after := s.badge(t, 1); after.Unread != 0 || after.AVer <= first.AVer+1 {
			t.Errorf("the version went from %d to %d in two turns", first.AVer, after.AVer)
		}
	})
}

// hook runs a function before each script call of a client.
type hook struct{ before func(cmd redis.Cmder) }

func (h hook) DialHook(next redis.DialHook) redis.DialHook { return next }

func (h hook) ProcessPipelineHook(next redis.ProcessPipelineHook) redis.ProcessPipelineHook {
	return next
}

func (h hook) ProcessHook(next redis.ProcessHook) redis.ProcessHook {
	return func(ctx context.Context, cmd redis.Cmder) error {
		if cmd.Name() == "evalsha" {
			h.before(cmd)
		}
		return next(ctx, cmd)
	}
}

func TestPageThatComesDuringACallSharesTheNext(t *testing.T) {
	t.Parallel()
	c := redistest.Client(t)
	s := newSite(t, c)
	s.publish(t, draft("One"))
	s.read(t, 3, 1)
	s.badge(t, 1) // loads the script and the index
	var mu sync.Mutex
	var calls []int
	first, enough := make(chan struct{}, 1), make(chan struct{})
	c.AddHook(hook{func(cmd redis.Cmder) {
		mu.Lock()
		calls = append(calls, len(cmd.Args())-3-3-2) // evalsha, sha, numkeys; three keys; version and tops
		n := len(calls)
		mu.Unlock()
		if n == 1 {
			first <- struct{}{}
			<-enough
		}
	}})
	var all sync.WaitGroup
	ask := func(ctx context.Context, seq int64) error {
		b, err := s.Badges(ctx, []notifier.Reader{reader(seq)})
		if err == nil && b[0].Unread != map[bool]int64{true: 0, false: 1}[seq == 3] {
			err = fmt.Errorf("badge %+v", b[0])
		}
		return err
	}
	all.Go(func() {
		if err := ask(t.Context(), 1); err != nil {
			t.Error(err)
		}
	})
	<-first
	gone, cancel := context.WithCancel(t.Context())
	cancel()
	for range 5 { // a reader who stops waiting does not delay others
		if err := ask(gone, 2); !errors.Is(err, context.Canceled) {
			t.Errorf("a reader who stopped waiting: %v", err)
		}
	}
	for seq := range int64(5) {
		all.Go(func() {
			if err := ask(t.Context(), seq+2); err != nil {
				t.Error(err)
			}
		})
	}
	testkit.Eventually(t, "five are waiting", func() bool { return s.Waiting(customer) == 5 })
	close(enough)
	all.Wait()
	if !slices.Equal(calls, []int{1, 5}) {
		t.Errorf("readers in each call: %v, want one and the five others", calls)
	}
}

func TestASharedCallOutlivesTheRequestThatBeganIt(t *testing.T) {
	t.Parallel()
	c := redistest.Client(t)
	s := newSite(t, c)
	s.publish(t, draft("One"))
	s.badge(t, 1)
	ctx, cancel := context.WithCancel(t.Context())
	left := make(chan struct{})
	c.AddHook(hook{func(redis.Cmder) {
		cancel()
		<-left
	}})
	if _, err := s.Badges(ctx, []notifier.Reader{reader(1)}); !errors.Is(err, context.Canceled) {
		t.Errorf("a reader who left during the call: %v", err)
	}
	var all sync.WaitGroup
	all.Go(func() {
		if b, err := s.Badges(t.Context(), []notifier.Reader{reader(2)}); err != nil || b[0].Unread != 1 {
			t.Errorf("another reader: %+v, %v", b, err)
		}
	})
	testkit.Eventually(t, "another reader waits", func() bool { return s.Waiting(customer) == 1 })
	close(left)
	all.Wait()
}
