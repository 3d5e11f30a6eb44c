package toast_test

import (
	"errors"
	"strings"
	"testing"
	"time"

	"github.com/redis/go-redis/v9"

	"github.com/carillonhq/carillon/notifier"
)

func TestTakeDropsEntriesItCannotRead(t *testing.T) {
	onEachRedis(t, func(t *testing.T, s *site) {
		ctx, now := t.Context(), float64(time.Now().UnixMilli())
		wait := func(id string, score float64) {
			t.Helper()
			if err := s.rdb.ZAdd(ctx, s.k.PendingToasts(ann), redis.Z{Score: score, Member: id}).Err(); err != nil {
				t.Fatal(err)
			}
		}
		for _, fields := range []string{
			"user 7", "user 7 notice", "user 7 notice 1 key - ends 0", "user 7 notice 1 key - ends x content {}",
			"user 7 notice x key - ends 0 content {}", "user 7 notice -1 key - ends 0 content {}",
			"user 7 notice 9999999999999999999999 key - ends 0 content {}",
		} {
			values := strings.Fields(fields + strings.Repeat(" odd", len(strings.Fields(fields))%2))
			id, err := s.rdb.XAdd(ctx, &redis.XAddArgs{Stream: s.k.Toasts(7), Values: values}).Result()
			if err != nil {
				t.Fatal(err)
			}
			wait(id, now)
		}
		s.row(t, ann, "like:photo:1", false, "1 "+strings.Repeat("9", 30)+` 0 {"title":"a"}`)
		s.raise(t, notifier.ToastRaise{NoticeID: 1, Key: "like:photo:1", Content: []byte(`{}`), Seqs: []int64{ann}}, of(2, ann), of(3, ann))
		wait(s.ids(t, ann)[len(s.ids(t, ann))-2], 1e300)
		for _, id := range []string{"x", "1-x", "99999999999999999999-0"} {
			wait(id, now)
		}
		if got := taken(t, s.a, ann); got != "3" {
			t.Errorf("taken %q, want 3", got)
		}
		if got := taken(t, s.a, ann); got != "3/2" || len(s.ids(t, ann)) != 1 || len(s.entries(t, 7)) != 1 {
			t.Errorf("taken again %q, want 3/2; waiting %v, entries %v", got, s.ids(t, ann), s.entries(t, 7))
		}
	})
}

func TestAUserThatCannotBeReadDoesNotAffectOthers(t *testing.T) {
	onEachRedis(t, func(t *testing.T, s *site) {
		s.raise(t, of(1, ann, bob, carl))
		if err := s.rdb.Set(t.Context(), s.k.PendingToasts(bob), "x", 0).Err(); err != nil {
			t.Fatal(err)
		}
		all := []int64{ann, bob, carl}
		waits, err := s.a.Waiting(t.Context(), all)
		if err == nil || errors.Is(err, notifier.ErrUnavailable) || len(waits) != 3 || !waits[0] || waits[1] || !waits[2] {
			t.Errorf("waiting %v, error %v", waits, err)
		}
		got, err := s.a.Take(t.Context(), all)
		if err == nil || errors.Is(err, notifier.ErrUnavailable) || len(got) != 3 {
			t.Fatalf("%d answers, %v", len(got), err)
		}
		for i, one := range got {
			if fails := all[i] == bob; fails != (one.Err != nil) || fails == (len(one.Toasts) == 1) {
				t.Errorf("user %d: %+v", all[i], one)
			}
		}
	})
}
