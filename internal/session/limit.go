package session

import (
	"context"
	"embed"
	"net"
	"net/netip"
	"sync"
	"time"

	"github.com/redis/go-redis/v9"

	"github.com/carillonhq/carillon/internal/script"
	"github.com/carillonhq/carillon/notifier/keys"
)

// room is the maximum number of accounts, addresses and devices counted, each. Beyond that, the counters with the
// oldest windows are dropped: dropping one takes as many failures as room, and each set of counters needs at most
// about 12 MB, however many names and addresses are tried.
const room = 100_000

//go:embed *.lua
var sources embed.FS

var (
	scripts = script.Must(script.Read(sources))

	countFailure   = scripts.Get("count_failure")
	releaseFailure = scripts.Get("release_failure")
)

// limiter counts failures in windows that begin with the first failure: in Redis for all instances together, or in
// this process while Redis is unavailable.
type limiter struct {
	redis guard
	sets  []string // the keys of accounts, addresses and devices
	local localCounts
}

func newLimiter(rdb redis.UniversalClient, space keys.Space, now func() time.Time) *limiter {
	return &limiter{
		redis: guard{rdb: rdb, now: now}, local: localCounts{now: now},
		sets: []string{space.Limit("account"), space.Limit("address"), space.Limit("device")},
	}
}

// quota is one counter and its limit.
type quota struct {
	who   string // empty: not counted
	limit int64  // 0: counted without a limit
}

// quotas are the counters of an account, an address and a device.
type quotas [3]quota

// reservation holds counted failures that may be released.
type reservation struct {
	limiter *limiter
	quotas  quotas
	local   bool
}

// reserve counts one failure in each quota. If one of them is exhausted, it counts none and returns how long to wait.
func (l *limiter) reserve(ctx context.Context, q quotas) (held reservation, wait time.Duration) {
	held = reservation{limiter: l, quotas: q}
	args := []any{window.Milliseconds(), room}
	for _, one := range q {
		args = append(args, one.who, one.limit)
	}
	err := l.redis.do(ctx, func(ctx context.Context, rdb redis.UniversalClient) error {
		r, err := script.ParseReply(countFailure.Run(ctx, rdb, l.sets, args...))
		if err == nil && r.Code < 0 {
			wait = time.Duration(r.Number(0)) * time.Millisecond
		}
		return err
	})
	if err != nil {
		held.local = true
		wait = l.local.add(q)
	}
	return held, wait
}

// release undoes reserve, even if ctx has ended. A count that Redis cannot release now ends with its window.
func (h reservation) release(ctx context.Context) {
	l := h.limiter
	if h.local {
		l.local.sub(h.quotas)
		return
	}
	args := make([]any, len(h.quotas))
	for i, one := range h.quotas {
		args[i] = one.who
	}
	_ = l.redis.do(context.WithoutCancel(ctx), func(ctx context.Context, rdb redis.UniversalClient) error {
		return releaseFailure.Run(ctx, rdb, l.sets, args...).Err()
	})
}

// addressGroup returns the part of an address that is counted: a whole IPv4 address, or the /64 of an IPv6 address,
// which belongs to one household. Invalid addresses form one group.
func addressGroup(address string) string {
	if host, _, err := net.SplitHostPort(address); err == nil {
		address = host
	}
	addr, err := netip.ParseAddr(address)
	if err != nil {
		return "other"
	}
	addr = addr.Unmap().WithZone("")
	if addr.Is4() {
		return addr.String()
	}
	return netip.PrefixFrom(addr, 64).Masked().String()
}

// maxLocal is the maximum number of counters of one process. When it is reached, expired counters are removed first,
// then any.
const maxLocal = 10_000

// localCounts counts failures in this process while Redis is unavailable.
type localCounts struct {
	now func() time.Time

	mu     sync.Mutex
	counts map[localKey]localCount
}

// localKey identifies one counter: the index among the quotas, and the member.
type localKey struct {
	place int
	who   string
}

type localCount struct {
	n   int64
	end time.Time
}

// add counts one failure in each quota, or in none if one of them is exhausted; then it returns how long to wait.
func (l *localCounts) add(q quotas) (wait time.Duration) {
	l.mu.Lock()
	defer l.mu.Unlock()
	now := l.now()
	for i, one := range q {
		if c := l.counts[localKey{i, one.who}]; one.limit > 0 && c.n >= one.limit && now.Before(c.end) {
			wait = max(wait, c.end.Sub(now), time.Millisecond)
		}
	}
	if wait > 0 {
		return wait
	}
	for i, one := range q {
		if one.who == "" {
			continue
		}
		key := localKey{i, one.who}
		c, ok := l.counts[key]
		if !ok || !now.Before(c.end) {
			l.makeRoom(now)
			c = localCount{end: now.Add(window)}
		}
		c.n++
		l.counts[key] = c
	}
	return 0
}

// sub subtracts one failure from each quota.
func (l *localCounts) sub(q quotas) {
	l.mu.Lock()
	defer l.mu.Unlock()
	for i, one := range q {
		key := localKey{i, one.who}
		c, ok := l.counts[key]
		switch {
		case !ok:
		case c.n > 1:
			c.n--
			l.counts[key] = c
		default:
			delete(l.counts, key)
		}
	}
}

func (l *localCounts) makeRoom(now time.Time) {
	if l.counts == nil {
		l.counts = make(map[localKey]localCount)
	}
	if len(l.counts) < maxLocal {
		return
	}
	for key, c := range l.counts {
		if !now.Before(c.end) {
			delete(l.counts, key)
		}
	}
	for key := range l.counts {
		if len(l.counts) < maxLocal {
			return
		}
		delete(l.counts, key)
	}
}
