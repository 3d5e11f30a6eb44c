package api

import (
	"context"
	"sync"
	"time"
)

// limitWindow is the length of the window that rate limits count in.
const limitWindow = time.Second

// buckets is a Limiter in memory: each key has a bucket that holds the requests of one
// window and fills at an even rate.
type buckets struct {
	limit int
	each  time.Duration // time until one more request is allowed
	now   func() time.Time
	mu    sync.Mutex
	full  map[string]time.Time // when each bucket will be full again
}

func newBuckets(limit int, now func() time.Time) *buckets {
	return &buckets{limit: limit, each: max(limitWindow/time.Duration(limit), 1), now: now, full: map[string]time.Time{}}
}

// Take counts n requests.
func (b *buckets) Take(_ context.Context, key string, n int) (Allowance, bool) {
	b.mu.Lock()
	defer b.mu.Unlock()
	now := b.now()
	full := b.full[key]
	if full.Before(now) {
		full = now
	}
	then := full.Add(time.Duration(n) * b.each)
	ok := then.Sub(now) <= limitWindow
	if ok {
		b.full[key] = then
		full = then
	}
	a := Allowance{Limit: b.limit, Window: limitWindow, Remaining: int((limitWindow - full.Sub(now)) / b.each)}
	if a.Remaining < n {
		a.Reset = max(full.Sub(now)-limitWindow+time.Duration(n)*b.each, 0)
	}
	return a, ok
}
