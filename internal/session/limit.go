package session

import (
	"context"
	"net"
	"net/netip"
	"time"

	"github.com/redis/go-redis/v9"

	"github.com/carillonhq/carillon/notifier/keys"
)

// limiter counts failures in windows that begin with the first of them: in
// Redis for all instances together, in this process while Redis is away.
type limiter struct {
	redis guard
	space keys.Space
	local localCounts
}

// quota is one counter and how far it may go.
type quota struct {
	key   string
	limit int64
}

// reservation is failures that were counted and may be taken back.
type reservation struct {
	limiter *limiter
	quotas  []quota
	local   bool
}

// reserve counts one failure in each quota. When one of them is used up it
// counts none and says how long to wait.
func (l *limiter) reserve(ctx context.Context, quotas []quota) (held reservation, wait time.Duration) {
	held = reservation{limiter: l, quotas: quotas}
	counts, lives, err := l.count(ctx, quotas)
	if err != nil {
		held.local = true
		counts, lives = l.local.add(quotas)
	}
	for i, q := range quotas {
		if counts[i] > q.limit {
			wait = max(wait, lives[i], time.Millisecond)
		}
	}
	if wait > 0 {
		held.release(ctx)
	}
	return held, wait
}

// count is atomic for each counter, which is enough: each is compared with its
// own limit. The life is set where there is none, so that a counter whose
// first PEXPIRE was lost does not stay for ever.
func (l *limiter) count(ctx context.Context, quotas []quota) (counts []int64, lives []time.Duration, err error) {
	incrs, ttls := make([]*redis.IntCmd, len(quotas)), make([]*redis.DurationCmd, len(quotas))
	err = l.redis.do(ctx, func(ctx context.Context, rdb redis.UniversalClient) error {
		_, err := rdb.Pipelined(ctx, func(p redis.Pipeliner) error {
			for i, q := range quotas {
				incrs[i] = p.Incr(ctx, q.key)
				p.Do(ctx, "PEXPIRE", q.key, window.Milliseconds(), "NX")
				ttls[i] = p.PTTL(ctx, q.key)
			}
			return nil
		})
		return err
	})
	if err != nil {
		return nil, nil, err
	}
	for i := range quotas {
		counts, lives = append(counts, incrs[i].Val()), append(lives, ttls[i].Val())
	}
	return counts, lives, nil
}

// release takes back what reserve counted, also when the caller has left. What
// Redis cannot take back now ends with the window.
func (h reservation) release(ctx context.Context) {
	if h.local {
		h.limiter.local.sub(h.quotas)
		return
	}
	_ = h.limiter.redis.do(context.WithoutCancel(ctx), func(ctx context.Context, rdb redis.UniversalClient) error {
		_, err := rdb.Pipelined(ctx, func(p redis.Pipeliner) error {
			for _, q := range h.quotas {
				p.Decr(ctx, q.key)
				p.Do(ctx, "PEXPIRE", q.key, window.Milliseconds(), "NX") // it may have run out meanwhile
			}
			return nil
		})
		return err
	})
}

// addressGroup is what of an address is counted: all of IPv4, the /64 of IPv6,
// which is what one household has. What is no address is one group.
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
