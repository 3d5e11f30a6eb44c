package load

import (
	"context"
	"errors"
	"fmt"
	"sync"
	"sync/atomic"
	"time"
)

// PageConfig configures the requests for pages.
type PageConfig struct {
	Addr     string
	Conns    int                // keep-alive connections, each with one request at a time
	Requests int                // over all connections
	Request  func(n int) []byte // the whole request number n
	Status   int                // the status that every answer must have
}

// PageResult is the result of requesting pages.
type PageResult struct {
	Took    time.Duration
	Latency Histogram
	Bytes   int // body length of the last page
}

// PerSecond returns the rate of answers.
func (r *PageResult) PerSecond() float64 { return float64(r.Latency.Total()) / r.Took.Seconds() }

// Pages requests pages over Conns connections and stops at the first error or unexpected
// status.
func Pages(ctx context.Context, cfg PageConfig) (*PageResult, error) {
	var next atomic.Int64
	var mu sync.Mutex
	var wg sync.WaitGroup
	var failed error
	total := &PageResult{}
	start := time.Now()
	for range cfg.Conns {
		wg.Go(func() {
			r, err := pageConn(ctx, cfg, &next)
			mu.Lock()
			defer mu.Unlock()
			failed = errors.Join(failed, err)
			total.Latency.Merge(&r.Latency)
			total.Bytes = max(total.Bytes, r.Bytes)
		})
	}
	wg.Wait()
	total.Took = time.Since(start)
	return total, failed
}

func pageConn(ctx context.Context, cfg PageConfig, next *atomic.Int64) (r PageResult, err error) {
	c, err := DialPage(ctx, cfg.Addr)
	if err != nil {
		return r, err
	}
	defer c.Close()
	for ctx.Err() == nil {
		n := int(next.Add(1) - 1)
		if n >= cfg.Requests {
			return r, nil
		}
		asked := time.Now()
		a, err := c.Ask(cfg.Request(n))
		if err != nil {
			return r, fmt.Errorf("page %d: %w", n, err)
		}
		if a.Status != cfg.Status {
			return r, fmt.Errorf("page %d: answered %d, want %d", n, a.Status, cfg.Status)
		}
		r.Latency.Add(time.Since(asked))
		r.Bytes = a.Bytes
	}
	return r, ctx.Err()
}
