package toast_test

import (
	"context"
	"errors"
	"fmt"
	"log/slog"
	"slices"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"
	"github.com/redis/go-redis/v9"

	"github.com/carillonhq/carillon/internal/redistest"
	"github.com/carillonhq/carillon/internal/testkit"
	"github.com/carillonhq/carillon/notifier/keys"
	"github.com/carillonhq/carillon/notifier/toast"
)

// addExpired adds ann's entries older than the retention to a stream.
func (s *site) addExpired(t tb, n int) {
	t.Helper()
	pipe := s.rdb.Pipeline()
	for i := range n {
		id := fmt.Sprintf("%d-%d", time.Now().Add(-24*time.Hour-time.Minute).UnixMilli(), i)
		pipe.XAdd(t.Context(), &redis.XAddArgs{
			Stream: s.k.Toasts(7), ID: id, Values: []any{"user", ann, "notice", 0, "key", "", "ends", 0, "content", "{}"},
		})
		pipe.ZAdd(t.Context(), s.k.PendingToasts(ann), redis.Z{Score: float64(time.Now().UnixMilli() - int64(i)), Member: id})
		pipe.ZAdd(t.Context(), s.k.RaisedToasts(7), redis.Z{Score: float64(time.Now().Add(-25 * time.Hour).UnixMilli()), Member: fmt.Sprint(i, "|7")})
	}
	if _, err := pipe.Exec(t.Context()); err != nil {
		t.Fatal(err)
	}
}

func TestClearRemovesToastsOlderThanTheRetention(t *testing.T) {
	onEachRedis(t, func(t *testing.T, s *site) {
		s.addExpired(t, 150)
		s.raise(t, of(500, ann), of(501, bob)) // also assigns the old entries to the consumer `waiting`
		if n := len(s.entries(t, 7)); n > 102 {
			t.Errorf("%d entries after a raise; raising should have trimmed the stream", n)
		}
		for range 2 {
			if err := s.a.Clear(t.Context()); err != nil {
				t.Fatal(err)
			}
			in, out := s.entries(t, 7), s.pending(t, 7)
			if len(in) != 2 || !slices.Equal(in, out) {
				t.Errorf("entries %v, pending in the group %v; want the same two", in, out)
			}
			if n := s.rdb.ZCard(t.Context(), s.k.RaisedToasts(7)).Val(); n != 2 {
				t.Errorf("%d raises recorded, want 2", n)
			}
		}
		if got := taken(t, s.a, ann); got != "500" || len(s.ids(t, ann)) != 1 {
			t.Errorf("taken %q, waiting %v", got, s.ids(t, ann))
		}
	})
}

func TestClearRemovesOnlyConsumersThatHoldNothing(t *testing.T) {
	onEachRedis(t, func(t *testing.T, s *site) {
		s.raise(t, of(1, ann), of(2, bob))
		_, _, _ = taken(t, s.a, ann), taken(t, s.b, bob), s.rdb.XGroupCreateConsumer(t.Context(), s.k.Toasts(7), "toasts", "c").Err()
		leave := func(by *toast.Toasts, want ...string) {
			t.Helper()
			if err := by.Clear(t.Context()); err != nil {
				t.Fatal(err)
			}
			if d := cmp.Diff(want, s.consumers(t, 7)); d != "" {
				t.Errorf("consumers (-want +got):\n%s", d)
			}
		}
		if err := s.a.Ack(t.Context(), ann, s.ids(t, ann)); err != nil {
			t.Fatal(err)
		}
		leave(s.a, "a", "b", "c", "waiting") // all have been active within the last minute
		s.c.RemoveIdleAtOnce()
		leave(s.c, "b", "waiting")
		if got := taken(t, s.b, bob); got != "2/2" {
			t.Errorf("b holds %q, want 2/2", got)
		}
	})
}

// lease is a lease whose holder the test sets.
type lease struct {
	mine     func() (bool, error)
	released chan struct{}
}

func (l *lease) Hold(context.Context) (bool, error) { return l.mine() }
func (l *lease) Release(ctx context.Context) error  { close(l.released); return ctx.Err() }

func TestRunClearsEveryPartitionWhileItHasTheLease(t *testing.T) {
	t.Parallel()
	s := newSite(t, redistest.Client(t))
	var all []int64
	for p := range int64(keys.Partitions) {
		all = append(all, 1+p)
	}
	var holds int
	var by *toast.Toasts
	l := &lease{released: make(chan struct{}), mine: func() (bool, error) {
		switch holds++; holds {
		case 1:
			return false, nil
		case 2:
			if n := by.Stats().Cleared; n > 0 {
				t.Errorf("%d toasts cleared without the lease", n)
			}
			return false, errors.New("away")
		default:
			return true, nil
		}
	}}
	s.raise(t, of(1, all...))
	logged := make(chan string, 10)
	by = toast.New(s.rdb, s.k, toast.Options{Lease: l, Retention: time.Millisecond, Log: slog.New(lines{slog.DiscardHandler, logged})})
	by.SetInterval(time.Millisecond)
	ctx, cancel := context.WithCancel(t.Context())
	ended := make(chan error, 1)
	go func() { ended <- by.Run(ctx) }()
	testkit.Eventually(t, "all toasts cleared", func() bool { return by.Stats().Cleared == keys.Partitions })
	logs(t, logged, "background work failing; retrying", "background work recovered")
	cancel()
	if err := <-ended; err != nil {
		t.Error(err)
	}
	<-l.released
}

func TestAPartitionThatCannotBeClearedDoesNotHoldUpOthers(t *testing.T) {
	t.Parallel()
	s := newSite(t, redistest.Client(t))
	s.raise(t, of(1, 1, 8, 20, 70)) // 8 and 70 are cleared in one call, 20 in a later one
	broken, logged := s.k.Toasts(keys.Partition(70)), make(chan string, 100)
	s.rdb.Del(t.Context(), broken)
	s.rdb.Set(t.Context(), broken, "x", 0)
	by := toast.New(s.rdb, s.k, toast.Options{Retention: time.Millisecond, Log: slog.New(lines{slog.DiscardHandler, logged})})
	by.SetInterval(time.Millisecond)
	ctx, cancel := context.WithCancel(t.Context())
	ended := make(chan error, 1)
	go func() { ended <- by.Run(ctx) }()
	testkit.Eventually(t, "the other partitions cleared", func() bool { return by.Stats().Cleared == 3 })
	testkit.Eventually(t, "the broken partition retried", func() bool { return by.Stats().Failed > 3 })
	s.rdb.Del(t.Context(), broken)
	logs(t, logged, "background work failing; retrying", "background work recovered") // each logged once
	cancel()
	if err := <-ended; err != nil {
		t.Error(err)
	}
}

// logs fails the test unless these messages are logged next, in order.
func logs(t tb, logged chan string, want ...string) {
	t.Helper()
	for _, want := range want {
		if got := testkit.Next(t, want+" is logged", logged); got != want {
			t.Errorf("logged %q, want %q", got, want)
		}
	}
}

// lines is a log handler that passes on the messages.
type lines struct {
	slog.Handler
	seen chan string
}

func (l lines) Enabled(context.Context, slog.Level) bool { return true }

func (l lines) Handle(_ context.Context, r slog.Record) error {
	l.seen <- r.Message
	return nil
}
