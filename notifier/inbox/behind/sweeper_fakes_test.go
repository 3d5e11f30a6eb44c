package behind_test

import (
	"cmp"
	"context"
	"strconv"
	"sync"
	"testing"
	"time"

	"github.com/redis/go-redis/v9"

	"github.com/carillonhq/carillon/notifier/keys"
)

// expirer expires entries like the real one: it removes the given entries from the expiry set, and a second call
// finds nothing.
type expirer struct {
	rdb  redis.UniversalClient
	keys keys.Space
	fail func(seq int64) error

	mu   sync.Mutex
	left map[int64]int // number of entries removed, by user
}

func newExpirer(rdb redis.UniversalClient, k keys.Space) *expirer {
	return &expirer{rdb: rdb, keys: k, fail: func(int64) error { return nil }, left: map[int64]int{}}
}

func (b *expirer) Expire(ctx context.Context, due map[int64][]string) (total int, first error) {
	for seq, entries := range due {
		n, err := b.expire(ctx, seq, entries)
		total += n
		first = cmp.Or(first, err)
	}
	return total, first
}

func (b *expirer) expire(ctx context.Context, seq int64, entries []string) (int, error) {
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

func (b *expirer) count(seq int64) int {
	b.mu.Lock()
	defer b.mu.Unlock()
	return b.left[seq]
}

// store adds an entry to the expiry set.
func (b *expirer) store(t *testing.T, seq int64, key string, at time.Time) {
	t.Helper()
	z := redis.Z{Score: float64(at.UnixMilli()), Member: member(seq, key)}
	if err := b.rdb.ZAdd(t.Context(), b.keys.Expiry(keys.Partition(seq)), z).Err(); err != nil {
		t.Fatal(err)
	}
}

func member(seq int64, key string) string { return strconv.FormatInt(seq, 10) + "|" + key }

// heldBy is a lease whose holder the test sets.
type heldBy struct {
	hold     func() (bool, error)
	released chan struct{}
}

func always() *heldBy {
	return &heldBy{func() (bool, error) { return true, nil }, make(chan struct{}, 1)}
}

func (l *heldBy) Hold(context.Context) (bool, error) { return l.hold() }

func (l *heldBy) Release(ctx context.Context) error {
	l.released <- struct{}{}
	return ctx.Err()
}
