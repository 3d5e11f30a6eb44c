//go:build linux

package main

import (
	"context"
	"fmt"
	"sync"
	"time"

	"github.com/carillonhq/carillon/bench/load"
)

// acks acknowledges to a server each message that a stream of a fleet has shown, over
// persistent connections, as the users' pages do.
type acks struct {
	request func(load.Shown) []byte
	jobs    chan load.Shown
	wg      sync.WaitGroup

	mu      sync.Mutex
	latency load.Histogram // from the time a message was due to the answer
	err     error
}

// ackWaiting is the maximum number of acknowledgements that wait for a connection. No run
// sends as many.
const ackWaiting = 200_000

// newAcks connects to addr. request returns the whole request of an acknowledgement. The
// caller must call close.
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

// shown queues the acknowledgement of a message. The fleet calls it.
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

// wait waits until want messages are acknowledged, or none arrives for the time quiet. It returns their latencies and
// resets them.
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

// close sends the queued acknowledgements and disconnects. Close the fleet first.
func (a *acks) close() {
	close(a.jobs)
	a.wg.Wait()
}
