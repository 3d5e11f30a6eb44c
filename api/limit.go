package api

import (
	"sync"
	"time"
)

// limitWindow is the length of the window that rate limits count in.
const limitWindow = time.Second

// buckets limit the rate of requests: each key has a bucket that holds the requests of one window
// and fills at an even rate.
type buckets struct {
	each time.Duration // time until one more request is allowed
	now  func() time.Time
	mu   sync.Mutex
	full map[int64]time.Time // when the bucket of each key will be full again
}

// newBuckets allows rate requests of each key per window; 0 means that take is not called.
func newBuckets(rate int, now func() time.Time) *buckets {
	return &buckets{each: max(limitWindow/time.Duration(max(rate, 1)), 1), now: now, full: map[int64]time.Time{}}
}

// take counts a request of a key and returns how many are left. It returns false, and the time until
// the next one is allowed, if none was left.
func (b *buckets) take(key int64) (remaining int, reset time.Duration, ok bool) {
	b.mu.Lock()
	defer b.mu.Unlock()
	now := b.now()
	full := b.full[key]
	if full.Before(now) {
		full = now
	}
	then := full.Add(b.each)
	if ok = then.Sub(now) <= limitWindow; ok {
		b.full[key] = then
		full = then
	}
	if remaining = int((limitWindow - full.Sub(now)) / b.each); remaining < 1 {
		reset = max(full.Sub(now)-limitWindow+b.each, 0)
	}
	return remaining, reset, ok
}
