package toast_test

import (
	"errors"
	"slices"
	"testing"

	"github.com/redis/go-redis/v9"

	"github.com/carillonhq/carillon/internal/redistest"
	"github.com/carillonhq/carillon/notifier"
	"github.com/carillonhq/carillon/notifier/keys"
	"github.com/carillonhq/carillon/notifier/toast"
)

func TestListReturnsWaitingToastsWithoutTakingThem(t *testing.T) {
	onEachRedis(t, func(t *testing.T, s *site) {
		listed := func(seq int64) (said []string) {
			t.Helper()
			all, err := s.a.List(t.Context(), seq)
			if err != nil {
				t.Fatal(err)
			}
			for _, one := range all {
				said = append(said, one.Key+string(one.Content))
			}
			return said
		}
		if got := listed(ann); got != nil {
			t.Errorf("listed %q before anything was raised", got)
		}
		s.raise(
			t,
			notifier.ToastRaise{NoticeID: 17, Key: "like:1", Content: []byte(`{"title":"a"}`), Seqs: []int64{ann, bob}},
			notifier.ToastRaise{Token: "x", Content: []byte(`{"title":"b"}`), Seqs: []int64{ann}},
			notifier.ToastRaise{NoticeID: 18, Key: "like:2", Content: []byte(`{"title":"c"}`), Seqs: []int64{ann}},
		)
		ids := s.ids(t, ann)
		if err := s.rdb.XDel(t.Context(), s.k.Toasts(keys.Partition(ann)), ids[2]).Err(); err != nil {
			t.Fatal(err)
		}
		// An id of another user's toast.
		if err := s.rdb.ZAdd(t.Context(), s.k.PendingToasts(ann), redis.Z{Member: s.ids(t, bob)[0]}).Err(); err != nil {
			t.Fatal(err)
		}
		if got, want := listed(ann), []string{`like:1{"title":"a"}`, `{"title":"b"}`}; !slices.Equal(got, want) {
			t.Errorf("listed %q, want %q", got, want)
		}
		if by, count := s.held(t, keys.Partition(ann), ids[0]); by != "waiting" || count != 1 {
			t.Errorf("held by %q, delivered %d times; listing must not claim it", by, count)
		}
	})
}

func TestListFailsWhenRedisIsUnavailable(t *testing.T) {
	t.Parallel()
	lost := redis.NewClient(&redis.Options{Addr: t.TempDir() + "/none", Network: "unix"})
	defer lost.Close()
	if _, err := toast.New(lost, redistest.Space(t), toast.Options{}).List(t.Context(), ann); !errors.Is(err, notifier.ErrUnavailable) {
		t.Errorf("error %v, want ErrUnavailable", err)
	}
}
