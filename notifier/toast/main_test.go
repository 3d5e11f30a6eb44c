package toast_test

import (
	"context"
	"fmt"
	"log/slog"
	"slices"
	"strconv"
	"strings"
	"sync/atomic"
	"testing"
	"time"

	"github.com/redis/go-redis/v9"
	"github.com/redis/go-redis/v9/logging"
	"go.uber.org/goleak"
	"pgregory.net/rapid"

	"github.com/carillonhq/carillon/internal/redistest"
	"github.com/carillonhq/carillon/notifier"
	"github.com/carillonhq/carillon/notifier/keys"
	"github.com/carillonhq/carillon/notifier/toast"
)

// The connection pool of a closed client keeps dialling a lost server for up to a second.
func TestMain(m *testing.M) {
	logging.Disable() // some tests run without a server on purpose
	goleak.VerifyTestMain(redistest.Wrap(m),
		goleak.IgnoreAnyFunction("github.com/redis/go-redis/v9/internal/pool.(*ConnPool).tryDial"))
}

// tb is a test, a benchmark, or one run of a property test.
type tb interface {
	rapid.TB
	Context() context.Context
	Cleanup(f func())
}

// ann and bob share a partition; carl is in another.
const (
	ann  int64 = 7
	bob  int64 = 7 + keys.Partitions
	carl int64 = 8
)

// site is three instances that share a key space, on one kind of Redis.
type site struct {
	a, b, c *toast.Toasts
	rdb     redis.UniversalClient
	k       keys.Space
	later   atomic.Int64 // ms by which the instances' clock runs ahead
}

func newSite(t testing.TB, rdb redis.UniversalClient) *site {
	t.Helper()
	s := &site{rdb: rdb, k: redistest.Space(t)}
	s.a, s.b, s.c = s.instance("a"), s.instance("b"), s.instance("c")
	return s
}

// instance returns another instance on the same Redis.
func (s *site) instance(name string) *toast.Toasts {
	all := toast.New(s.rdb, s.k, toast.Options{Now: s.now, Log: slog.New(slog.DiscardHandler)})
	all.SetName(name)
	return all
}

func (s *site) now() time.Time {
	return time.Now().Add(time.Duration(s.later.Load()) * time.Millisecond)
}

// onEachRedis runs a test on a strict server and on miniredis.
func onEachRedis(t *testing.T, promise func(t *testing.T, s *site)) {
	t.Helper()
	redistest.OnEach(t, func(t *testing.T, rdb redis.UniversalClient) { t.Helper(); promise(t, newSite(t, rdb)) })
}

// of is a toast of a notice without an inbox row.
func of(notice int64, seqs ...int64) notifier.ToastRaise {
	return notifier.ToastRaise{NoticeID: notice, Content: []byte(fmt.Sprintf(`{"title":"Notice %d \u2028"}`, notice)), Seqs: seqs}
}

func (s *site) raise(t tb, all ...notifier.ToastRaise) {
	t.Helper()
	for i, err := range s.a.RaiseAll(t.Context(), all) {
		if err != nil {
			t.Fatalf("raise %d: %v", i, err)
		}
	}
}

// take returns the toasts that an instance claims for one user.
func take(t tb, by *toast.Toasts, seq int64) notifier.Taken {
	t.Helper()
	all, err := by.Take(t.Context(), []int64{seq})
	if err != nil || len(all) != 1 {
		t.Fatalf("take: %d answers, %v", len(all), err)
	}
	return all[0]
}

// taken returns the toasts that an instance claims for one user as notice ids, with tries above 1: `1 2 3/2`.
func taken(t tb, by *toast.Toasts, seq int64) string {
	t.Helper()
	var words []string
	for _, one := range take(t, by, seq).Toasts {
		word := strconv.FormatInt(one.NoticeID, 10)
		if one.Tries != 1 {
			word += "/" + strconv.FormatInt(one.Tries, 10)
		}
		words = append(words, word)
	}
	return strings.Join(words, " ")
}

// ids returns the ids of the toasts that wait for a user, oldest first.
func (s *site) ids(t tb, seq int64) []string {
	t.Helper()
	ids, err := s.rdb.ZRange(t.Context(), s.k.PendingToasts(seq), 0, -1).Result()
	if err != nil {
		t.Fatal(err)
	}
	return ids
}

// older moves the raise time of a user's waiting toasts into the past.
func (s *site) older(t tb, seq int64, by time.Duration) {
	t.Helper()
	for _, id := range s.ids(t, seq) {
		if err := s.rdb.ZIncrBy(t.Context(), s.k.PendingToasts(seq), -float64(by.Milliseconds()), id).Err(); err != nil {
			t.Fatal(err)
		}
	}
}

// held returns the consumer that holds a toast and the number of deliveries; empty and 0 when it is
// not pending.
func (s *site) held(t tb, p int, id string) (by string, count int64) {
	t.Helper()
	found, err := s.rdb.XPendingExt(t.Context(), &redis.XPendingExtArgs{
		Stream: s.k.Toasts(p), Group: "toasts", Start: id, End: id, Count: 1,
	}).Result()
	if err != nil && !redis.HasErrorPrefix(err, "NOGROUP") {
		t.Fatal(err)
	}
	if len(found) == 0 {
		return "", 0
	}
	return found[0].Consumer, found[0].RetryCount
}

// expireHold makes the hold of a toast expire.
func (s *site) expireHold(t tb, p int, id string) {
	t.Helper()
	by, count := s.held(t, p, id)
	err := s.rdb.Do(t.Context(), "XCLAIM", s.k.Toasts(p), "toasts", by, 0, id, "IDLE", 10_000, "RETRYCOUNT", count, "JUSTID").Err()
	if err != nil {
		t.Fatal(err)
	}
}

// pending returns the ids that the group of a partition has delivered and that are not
// acknowledged.
func (s *site) pending(t tb, p int) (ids []string) {
	t.Helper()
	found, err := s.rdb.XPendingExt(t.Context(), &redis.XPendingExtArgs{
		Stream: s.k.Toasts(p), Group: "toasts", Start: "-", End: "+", Count: 10_000,
	}).Result()
	if err != nil && !redis.HasErrorPrefix(err, "NOGROUP") {
		t.Fatal(err)
	}
	for _, one := range found {
		ids = append(ids, one.ID)
	}
	return ids
}

// entries returns the ids in the stream of a partition.
func (s *site) entries(t tb, p int) (ids []string) {
	t.Helper()
	all, err := s.rdb.XRange(t.Context(), s.k.Toasts(p), "-", "+").Result()
	if err != nil {
		t.Fatal(err)
	}
	for _, one := range all {
		ids = append(ids, one.ID)
	}
	return ids
}

// consumers returns the names of the consumers in the group of a partition.
func (s *site) consumers(t tb, p int) (names []string) {
	t.Helper()
	all, err := s.rdb.XInfoConsumers(t.Context(), s.k.Toasts(p), "toasts").Result()
	if err != nil {
		t.Fatal(err)
	}
	for _, one := range all {
		names = append(names, one.Name)
	}
	slices.Sort(names)
	return names
}

// empty fails the test unless the partition's stream and these users' pending sets are empty.
func (s *site) empty(t tb, p int, seqs ...int64) {
	t.Helper()
	if in, out := s.entries(t, p), s.pending(t, p); len(in)+len(out) > 0 {
		t.Errorf("partition %d still has entries %v, pending %v", p, in, out)
	}
	for _, seq := range seqs {
		if ids := s.ids(t, seq); len(ids) > 0 {
			t.Errorf("toasts %v still wait for user %d", ids, seq)
		}
	}
}
