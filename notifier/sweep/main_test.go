package sweep_test

import (
	"cmp"
	"context"
	"strconv"
	"sync"
	"testing"
	"time"

	"github.com/redis/go-redis/v9"
	"go.uber.org/goleak"

	"github.com/carillonhq/carillon/internal/redistest"
	"github.com/carillonhq/carillon/notifier/keys"
)

// After Close, the pool of a client keeps looking for a lost server for up to a second.
func TestMain(m *testing.M) {
	goleak.VerifyTestMain(redistest.Wrap(m),
		goleak.IgnoreAnyFunction("github.com/redis/go-redis/v9/internal/pool.(*ConnPool).tryDial"))
}

// inbox expires entries like the real one: it removes what it is given from the expiry set, and
// a second call finds nothing.
type inbox struct {
	rdb  redis.UniversalClient
	keys keys.Space
	fail func(seq int64) error

	mu   sync.Mutex
	left map[int64]int // number of entries that left, by user
}

func newInbox(rdb redis.UniversalClient, k keys.Space) *inbox {
	return &inbox{rdb: rdb, keys: k, fail: func(int64) error { return nil }, left: map[int64]int{}}
}

func (b *inbox) Expire(ctx context.Context, due map[int64][]string) (total int, first error) {
	for seq, entries := range due {
		n, err := b.expire(ctx, seq, entries)
		total += n
		first = cmp.Or(first, err)
	}
	return total, first
}

func (b *inbox) expire(ctx context.Context, seq int64, entries []string) (int, error) {
	if err := b.fail(seq); err != nil {
		return 0, err
	}
	members := make([]any, len(entries))
	for i, key := range entries {
		members[i] = member(seq, key)
	}
	n, err := b.rdb.ZRem(ctx, b.keys.Expiry(keys.Partition(seq)), members...).Result()
	b.mu.Lock()
	defer b.mu.Unlock()
	b.left[seq] += int(n)
	return int(n), err
}

func (b *inbox) count(seq int64) int {
	b.mu.Lock()
	defer b.mu.Unlock()
	return b.left[seq]
}

// store adds an entry to the expiry set.
func (b *inbox) store(t *testing.T, seq int64, key string, at time.Time) {
	t.Helper()
	z := redis.Z{Score: float64(at.UnixMilli()), Member: member(seq, key)}
	if err := b.rdb.ZAdd(t.Context(), b.keys.Expiry(keys.Partition(seq)), z).Err(); err != nil {
		t.Fatal(err)
	}
}

func member(seq int64, key string) string { return strconv.FormatInt(seq, 10) + "|" + key }

// lease is a lease whose holder the test decides.
type lease struct {
	hold     func() (bool, error)
	released chan struct{}
}

func always() *lease {
	return &lease{func() (bool, error) { return true, nil }, make(chan struct{}, 1)}
}

func (l *lease) Hold(context.Context) (bool, error) { return l.hold() }

func (l *lease) Release(ctx context.Context) error {
	l.released <- struct{}{}
	return ctx.Err()
}
