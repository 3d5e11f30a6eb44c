//go:build linux

package main

import (
	"context"
	"fmt"
	"sync"
	"time"

	"github.com/carillonhq/carillon/bench/load"
)

// acks says to a server what the streams of a fleet have shown, each when it was
// shown, as the pages of the users do: over connections that are kept.
type acks struct {
	request func(load.Shown) []byte
	jobs    chan load.Shown
	wg      sync.WaitGroup

	mu      sync.Mutex
	latency load.Histogram // from when a message was due to the answer
	err     error
}

// ackWaiting is how many may wait for a connection. It is more than any run sends.
const ackWaiting = 200_000

// newAcks connects; request is the whole request that says so. Close it.
func newAcks(ctx context.Context, addr string, request func(load.Shown) []byte) (*acks, error) {
	a := &acks{request: request, jobs: make(chan load.Shown, ackWaiting)}
	for range callers {
		c, err := load.DialPage(ctx, addr)
		if err != nil {
			a.close()
			return nil, err
		}
		a.wg.Go(func() { a.send(c) })
	}
	return a, nil
}

// shown is called by the fleet.
func (a *acks) shown(s load.Shown) { a.jobs <- s }

func (a *acks) send(c *load.PageConn) {
	defer c.Close()
	for s := range a.jobs {
		answer, err := c.Ask(a.request(s))
		now := time.Now()
		if err == nil && answer.Status/100 != 2 {
			err = fmt.Errorf("answered %d", answer.Status)
		}
		a.mu.Lock()
		if err == nil {
			a.latency.Add(now.Sub(s.Mark.Due))
		} else if a.err == nil {
			a.err = fmt.Errorf("acknowledge %s of user %d: %w", s.ID, s.User, err)
		}
		a.mu.Unlock()
	}
}

// wait returns the latencies of want messages, or of those that were acknowledged
// when none has been for quiet, and forgets them.
func (a *acks) wait(ctx context.Context, want int64) (*load.Histogram, error) {
	seen, since := int64(-1), time.Now()
	for {
		n, err := a.count()
		if n != seen {
			seen, since = n, time.Now()
		}
		if err == nil && seen < want && time.Since(since) < quiet {
			err = pause(ctx, 5*time.Millisecond)
			if err == nil {
				continue
			}
		}
		a.mu.Lock()
		defer a.mu.Unlock()
		latency := a.latency
		a.latency, a.err = load.Histogram{}, nil
		return &latency, err
	}
}

func (a *acks) count() (int64, error) {
	a.mu.Lock()
	defer a.mu.Unlock()
	return a.latency.Total(), a.err
}

// close is called when the fleet has been.
func (a *acks) close() {
	close(a.jobs)
	a.wg.Wait()
}
