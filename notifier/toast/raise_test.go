package toast_test

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"sync"
	"testing"
	"time"

	"github.com/redis/go-redis/v9"
	"github.com/redis/go-redis/v9/maintnotifications"

	"github.com/carillonhq/carillon/internal/redistest"
	"github.com/carillonhq/carillon/notifier"
	"github.com/carillonhq/carillon/notifier/keys"
)

func TestRaisingTheSameToastAgainChangesNothing(t *testing.T) {
	onEachRedis(t, func(t *testing.T, s *site) {
		alone := notifier.ToastRaise{Token: "1", Content: []byte(`{}`), Seqs: []int64{ann}} // a token, not notice 1
		other := alone
		other.Token = "2"
		for range 2 {
			s.raise(t, of(1, ann), alone, of(1, ann, ann, carl), of(2, ann), other)
		}
		if got := taken(t, s.a, ann); got != "1 0 2 0" {
			t.Errorf("taken for ann: %q", got)
		}
		if got := taken(t, s.a, carl); got != "1" {
			t.Errorf("taken for carl: %q", got)
		}
		if err := s.a.Ack(t.Context(), ann, s.ids(t, ann)); err != nil {
			t.Fatal(err)
		}
		s.raise(t, of(1, ann), alone)
		s.empty(t, 7, ann)
	})
}

func TestTheOldestToastsOfAUserAreDroppedAboveTheLimit(t *testing.T) {
	onEachRedis(t, func(t *testing.T, s *site) {
		var all []notifier.ToastRaise
		for n := range int64(notifier.MaxToastIDs + 50) { // many of them in the same millisecond
			all = append(all, of(n+1, ann))
		}
		s.raise(t, all...)
		got := take(t, s.a, ann).Toasts
		if len(got) != notifier.MaxToastIDs {
			t.Fatalf("%d toasts wait, want notifier.MaxToastIDs", len(got))
		}
		for i, one := range got {
			if one.NoticeID != int64(i+51) {
				t.Fatalf("toast %d is of notice %d; the oldest must be dropped and the rest keep their order", i, one.NoticeID)
			}
		}
		if in, out := len(s.entries(t, 7)), len(s.pending(t, 7)); in != 200 || out != 200 {
			t.Errorf("%d entries, %d pending, want 200 each", in, out)
		}
	})
}

func TestToastKeysExpireWithTheRetention(t *testing.T) {
	onEachRedis(t, func(t *testing.T, s *site) {
		s.raise(t, of(1, ann))
		for _, key := range []string{s.k.Toasts(7), s.k.RaisedToasts(7), s.k.PendingToasts(ann)} {
			if ttl := s.rdb.PTTL(t.Context(), key).Val(); ttl > 24*time.Hour || ttl < 24*time.Hour-time.Minute {
				t.Errorf("TTL of %s is %v, want about 24 h", key, ttl)
			}
		}
	})
}

func TestAUserWithABrokenKeyDoesNotAffectOthers(t *testing.T) {
	onEachRedis(t, func(t *testing.T, s *site) {
		s.rdb.Set(t.Context(), s.k.PendingToasts(bob), "text", 0)
		errs := s.a.RaiseAll(t.Context(), []notifier.ToastRaise{of(1, ann, bob, carl), {Seqs: []int64{ann}}, of(2, ann)})
		if len(errs) != 3 || errs[0] == nil || errs[1] == nil || errs[2] != nil {
			t.Errorf("errors %v, want one for each of the first two raises only", errs)
		}
		all, err := s.a.Take(t.Context(), []int64{ann, bob, carl})
		if err == nil || errors.Is(err, notifier.ErrUnavailable) {
			t.Errorf("taking bob's toasts: error %v, want one other than ErrUnavailable", err)
		}
		if len(all) != 3 || len(all[0].Toasts) != 2 || len(all[1].Toasts) != 0 || len(all[2].Toasts) != 1 {
			t.Errorf("taken %+v", all)
		}
		if got := s.a.Stats(); got.Failed != 3 || got.Raised != 3 {
			t.Errorf("stats %+v", got)
		}
	})
}

// trips counts the pipelines sent.
type trips struct {
	mu    sync.Mutex
	pipes []int // commands in each pipeline
	users int   // most users in one script call
}

func (r *trips) DialHook(next redis.DialHook) redis.DialHook          { return next }
func (r *trips) ProcessHook(next redis.ProcessHook) redis.ProcessHook { return next }

func (r *trips) ProcessPipelineHook(next redis.ProcessPipelineHook) redis.ProcessPipelineHook {
	return func(ctx context.Context, cmds []redis.Cmder) error {
		r.mu.Lock()
		r.pipes = append(r.pipes, len(cmds))
		for _, c := range cmds {
			if c.Name() == "evalsha" {
				r.users = max(r.users, c.Args()[2].(int)-2)
			}
		}
		r.mu.Unlock()
		return next(ctx, cmds)
	}
}

func TestRaisingForManyUsersNeedsFewShortCalls(t *testing.T) {
	t.Parallel()
	rdb := redistest.Client(t)
	s, sent := newSite(t, rdb), &trips{}
	if err := s.a.Load(t.Context()); err != nil {
		t.Fatal(err)
	}
	rdb.AddHook(sent)
	var crowd []int64
	for seq := range int64(3000) {
		crowd = append(crowd, seq+1, (seq+1)*keys.Partitions) // 3,046 of them in partition 0
	}
	s.raise(t, of(1, crowd...), of(2, ann), of(3, carl))
	if !slices.Equal(sent.pipes, []int{89}) || sent.users != 128 { // 24 and 63 and 2 scripts
		t.Errorf("pipelines of %v scripts, up to %d users each", sent.pipes, sent.users)
	}
	waiting, err := s.a.Waiting(t.Context(), crowd)
	if err != nil || slices.Contains(waiting, false) {
		t.Errorf("no toast waits for some user; error %v", err)
	}
	sent.pipes = nil
	if _, err = s.a.Take(t.Context(), crowd[:600]); err != nil || !slices.Equal(sent.pipes, []int{256, 256, 88}) {
		t.Errorf("taken in pipelines of %v, error %v", sent.pipes, err)
	}
}

func TestEveryCallFailsFastWhenRedisIsUnavailable(t *testing.T) {
	t.Parallel()
	rdb := redis.NewClient(&redis.Options{
		Network: "unix", Addr: "nobody", MaxRetries: -1, DialerRetries: 1,
		MaintNotificationsConfig: &maintnotifications.Config{Mode: maintnotifications.ModeDisabled},
	})
	defer rdb.Close()
	s := newSite(t, rdb)
	var all []notifier.ToastRaise
	for n := range int64(2000) {
		all = append(all, of(n+1, n+1))
	}
	for i, err := range s.a.RaiseAll(t.Context(), all) {
		if !errors.Is(err, notifier.ErrUnavailable) {
			t.Fatalf("raise %d: %v, want ErrUnavailable", i, err)
		}
	}
	calls := map[string]error{
		"Ack": s.a.Ack(t.Context(), ann, []string{"1-1"}), "Forget": s.a.Forget(t.Context(), ann), "Clear": s.a.Clear(t.Context()),
		"Nudge": s.a.Nudge(t.Context(), []int64{ann}), "Signal": s.a.Signal(t.Context(), ann, notifier.Signal{}), "Load": s.a.Load(t.Context()),
	}
	_, calls["Waiting"] = s.a.Waiting(t.Context(), []int64{ann})
	got, err := s.a.Take(t.Context(), make([]int64, 2000))
	if calls["Take"] = err; len(got) != 2000 {
		t.Errorf("%d answers for 2000 users", len(got))
	}
	for name, err := range calls {
		if !errors.Is(err, notifier.ErrUnavailable) {
			t.Errorf("%s: %v, want ErrUnavailable", name, err)
		}
	}
}

func TestToastsWorkAgainAfterRedisLosesThem(t *testing.T) {
	onEachRedis(t, func(t *testing.T, s *site) {
		for name, lose := range map[string]func() error{
			"all": func() error {
				return s.rdb.Unlink(t.Context(), s.k.Toasts(7), s.k.RaisedToasts(7), s.k.PendingToasts(ann)).Err()
			},
			"the stream": func() error { return s.rdb.Unlink(t.Context(), s.k.Toasts(7)).Err() },
		} {
			s.raise(t, of(1, ann), of(2, ann))
			ids := s.ids(t, ann)
			_ = taken(t, s.a, ann)
			if err := lose(); err != nil {
				t.Fatal(err)
			}
			if err := s.a.Clear(t.Context()); err != nil {
				t.Errorf("%s: clear: %v", name, err)
			}
			if got := taken(t, s.a, ann); got != "" {
				t.Errorf("%s: taken %q", name, got)
			}
			if err := s.a.Ack(t.Context(), ann, ids); !errors.Is(err, notifier.ErrNotFound) {
				t.Errorf("%s: acknowledge: %v, want ErrNotFound", name, err)
			}
			s.raise(t, of(100, ann))
			if got := taken(t, s.b, ann); got != "100" {
				t.Errorf("%s: taken %q, want the new toast", name, got)
			}
			if err := s.b.Forget(t.Context(), ann); err != nil {
				t.Error(err)
			}
		}
		// Only the group is lost: toasts that others held can be claimed again.
		s.raise(t, of(1, ann), of(2, ann))
		_ = taken(t, s.a, ann)
		if err := s.rdb.XGroupDestroy(t.Context(), s.k.Toasts(7), "toasts").Err(); err != nil {
			t.Fatal(err)
		}
		if err := errors.Join(s.a.Clear(t.Context()), s.a.Ack(t.Context(), ann, s.ids(t, ann)[:1])); err != nil {
			t.Error(err)
		}
		s.raise(t, of(3, bob))
		if got := fmt.Sprint(taken(t, s.b, ann), ",", taken(t, s.b, bob)); got != "2,3" {
			t.Errorf("taken %q", got)
		}
	})
}
