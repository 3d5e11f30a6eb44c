package api

import (
	"maps"
	"sync"
	"time"
)

// limitWindow is the length of the window that rate limits count in.
const limitWindow = time.Second

// UserRate is how many calls a user can make in a second on an instance, and UserBurst how many at
// once.
const (
	UserRate  = 20
	UserBurst = 60
)

// fewBuckets is how many buckets are kept whether they are full or not.
const fewBuckets = 1024

// buckets limit the rate of requests: each caller has a bucket that holds the requests of one window
// and fills at an even rate.
type buckets struct {
	each   time.Duration // time until one more request is allowed
	window time.Duration
	now    func() time.Time
	mu     sync.Mutex
	full   map[int64]time.Time // when the bucket of each caller will be full again
	clear  int                 // full buckets are dropped at this number
}

// newBuckets allows burst requests of each caller per window; 0 means that take is not called.
func newBuckets(burst int, window time.Duration, now func() time.Time) *buckets {
	return &buckets{each: max(window/time.Duration(max(burst, 1)), 1), window: window, now: now, full: map[int64]time.Time{}, clear: fewBuckets}
}

// take counts a request of a caller and returns how many are left. It returns false, and the time
// until the next one is allowed, if none was left.
func (b *buckets) take(caller int64) (remaining int, reset time.Duration, ok bool) {
	b.mu.Lock()
	defer b.mu.Unlock()
	now := b.now()
	if len(b.full) >= b.clear {
		maps.DeleteFunc(b.full, func(_ int64, full time.Time) bool { return !full.After(now) })
		b.clear = max(fewBuckets, 2*len(b.full))
	}
	full := b.full[caller]
	if full.Before(now) {
		full = now
	}
	then := full.Add(b.each)
	if ok = then.Sub(now) <= b.window; ok {
		b.full[caller] = then
		full = then
	}
	if remaining = int((b.window - full.Sub(now)) / b.each); remaining < 1 {
		reset = max(full.Sub(now)-b.window+b.each, 0)
	}
	return remaining, reset, ok
}
