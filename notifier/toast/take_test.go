package toast_test

import (
	"fmt"
	"strconv"
	"sync"
	"testing"
	"time"

	"github.com/redis/go-redis/v9"

	"github.com/carillonhq/carillon/notifier"
	"github.com/carillonhq/carillon/notifier/toast"
)

// row writes a row into a warm inbox, as a delivery does: `like:photo:1:has_read:0` and its value.
// An empty value leaves the inbox warm without the row.
func (s *site) row(t tb, seq int64, key string, read bool, value string) {
	t.Helper()
	ctx := t.Context()
	pipe := s.rdb.Pipeline()
	pipe.HSet(ctx, s.k.State(seq), "unread", 1, "ver", 5)
	pipe.HDel(ctx, s.k.Hash(seq), key+":has_read:0", key+":has_read:1")
	if value != "" {
		state := ":has_read:0"
		if read {
			state = ":has_read:1"
		}
		pipe.HSet(ctx, s.k.Hash(seq), key+state, value)
	}
	if _, err := pipe.Exec(ctx); err != nil {
		t.Fatal(err)
	}
}

func TestTakeShowsTheInboxRowAsItIsNow(t *testing.T) {
	onEachRedis(t, func(t *testing.T, s *site) {
		const key = "like:photo:1"
		past := time.Now().Add(-time.Minute).UnixMilli()
		for n, tt := range []struct {
			name, value string
			read        bool
			json        string // content shown; empty: not shown
		}{
			{name: "as it was sent", value: `%d 1700 0 {"title":"a"}`, json: `{"title":"a"}`},
			{name: "edited", value: `%d 1701 9999999999999 {"title":"b 1 2 3 {}"}`, json: `{"title":"b 1 2 3 {}"}`},
			{name: "read", value: `%d 1702 0 {"title":"a"}`, read: true},
			{name: "replaced", value: `9%d 1703 0 {"title":"a"}`},
			{name: "expired", value: "%d 1704 " + strconv.FormatInt(past, 10) + ` {"title":"a"}`},
			{name: "malformed row", value: `x%d`},
			{name: "deleted"},
		} {
			id := int64(n + 1)
			value := tt.value
			if value != "" {
				value = fmt.Sprintf(value, id)
			}
			s.row(t, ann, key, tt.read, value)
			s.raise(t, notifier.ToastRaise{NoticeID: id, Key: key, Content: []byte(`{"title":"old"}`), Seqs: []int64{ann}})
			got := take(t, s.a, ann).Toasts
			if tt.json == "" {
				if len(got) > 0 {
					t.Errorf("%s: taken %+v, want nothing", tt.name, got)
				}
				s.empty(t, 7, ann)
				continue
			}
			if len(got) != 1 || string(got[0].Content) != tt.json || got[0].At != int64(1700+n) || got[0].Key != key {
				t.Errorf("%s: %+v", tt.name, got)
			}
			if err := s.a.Ack(t.Context(), ann, s.ids(t, ann)); err != nil {
				t.Error(err)
			}
		}
		// The inbox is cold, so the rows are unknown.
		s.rdb.Del(t.Context(), s.k.State(ann))
		s.raise(t, notifier.ToastRaise{NoticeID: 99, Key: key, Content: []byte(`{"title":"cold"}`), Seqs: []int64{ann}})
		if got := take(t, s.a, ann).Toasts; len(got) != 1 || string(got[0].Content) != `{"title":"cold"}` || got[0].At != 0 {
			t.Errorf("from a cold inbox: %+v", got)
		}
		if got := s.a.Stats().Settled; got != 5 {
			t.Errorf("%d settled, want 5", got)
		}
	})
}

func TestTakeSkipsToastsThatAreTooOldOrHaveEnded(t *testing.T) {
	onEachRedis(t, func(t *testing.T, s *site) {
		in := func(d time.Duration) int64 { return s.now().Add(d).UnixMilli() }
		alone := func(token string, ends int64) notifier.ToastRaise {
			return notifier.ToastRaise{Token: token, EndsAt: ends, Content: []byte(`{}`), Seqs: []int64{ann}}
		}
		ends := of(2, ann)
		ends.EndsAt = in(30 * time.Minute)
		s.raise(t, of(1, ann), ends, alone("for ever", 0), alone("for 5 min", in(5*time.Minute)), alone("for 30 min", in(30*time.Minute)))
		s.older(t, ann, notifier.MaxToastAge-time.Minute)
		s.later.Store((10 * time.Minute).Milliseconds())
		if got := taken(t, s.a, ann); got != "1 2 0 0" {
			t.Errorf("taken %q", got)
		}
		// The others are held elsewhere but are settled all the same.
		s.older(t, ann, time.Minute+time.Second) // older than the limit, however fast the test is
		if got := taken(t, s.b, ann); got != "" || len(s.ids(t, ann)) != 2 {
			t.Errorf("taken %q, %d still wait, want none and 2", got, len(s.ids(t, ann)))
		}
		s.later.Store((40 * time.Minute).Milliseconds())
		if got := taken(t, s.a, ann); got != "0/2" {
			t.Errorf("taken %q, want only the toast without end and notice", got)
		}
		if got := s.a.Stats().Settled + s.b.Stats().Settled; got != 4 {
			t.Errorf("%d settled, want 4", got)
		}
	})
}

func TestTakeDropsToastsWhoseEntriesWereTrimmed(t *testing.T) {
	onEachRedis(t, func(t *testing.T, s *site) {
		s.raise(t, of(1, ann), of(2, ann), of(3, ann))
		_ = taken(t, s.a, ann)
		ids := s.ids(t, ann)
		if err := s.rdb.XTrimMinID(t.Context(), s.k.Toasts(7), ids[2]).Err(); err != nil {
			t.Fatal(err)
		}
		s.expireHold(t, 7, ids[2])
		if got := taken(t, s.b, ann); got != "3/2" || len(s.ids(t, ann)) != 1 || len(s.pending(t, 7)) != 1 {
			t.Errorf("taken %q, waiting %v, pending %v", got, s.ids(t, ann), s.pending(t, 7))
		}
	})
}

func TestTakeNeverReturnsAnotherUsersToast(t *testing.T) {
	onEachRedis(t, func(t *testing.T, s *site) {
		s.raise(t, of(1, ann))
		s.rdb.ZAdd(t.Context(), s.k.PendingToasts(bob), redis.Z{Score: float64(time.Now().UnixMilli()), Member: s.ids(t, ann)[0]})
		if got := taken(t, s.a, bob); got != "" {
			t.Errorf("bob takes %q", got)
		}
		if got := taken(t, s.a, ann); got != "1" {
			t.Errorf("ann takes %q", got)
		}
	})
}

func TestConcurrentTakesGiveEachToastToOneInstance(t *testing.T) {
	onEachRedis(t, func(t *testing.T, s *site) {
		var takers []*toast.Toasts
		for n := range 8 {
			takers = append(takers, s.instance(fmt.Sprint("taker", n)))
		}
		for round := range int64(10) {
			s.raise(t, of(2*round+1, ann, carl), of(2*round+2, ann, carl))
			var all sync.WaitGroup
			var mu sync.Mutex
			times := map[string]int{}
			for _, by := range takers {
				all.Go(func() {
					got, err := by.Take(t.Context(), []int64{ann, carl})
					if err != nil {
						t.Error(err)
						return
					}
					mu.Lock()
					defer mu.Unlock()
					for i, of := range got {
						for _, one := range of.Toasts {
							times[fmt.Sprint(i, one.NoticeID)]++
						}
					}
				})
			}
			all.Wait()
			if len(times) != 4 {
				t.Fatalf("round %d: %d of 4 toasts taken", round, len(times))
			}
			for what, n := range times {
				if n != 1 {
					t.Errorf("round %d: toast %s taken by %d instances", round, what, n)
				}
			}
			for _, seq := range []int64{ann, carl} {
				if err := s.a.Ack(t.Context(), seq, s.ids(t, seq)); err != nil {
					t.Fatal(err)
				}
			}
		}
	})
}
