// Package faulty is a TCP proxy for tests. It runs between a client and its server and
// imitates the faults of networks: it delays, cuts, rejects, or silently drops into a black
// hole.
package faulty

import (
	"context"
	"net"
	"sync"
	"testing"
	"time"
)

// Proxy passes bytes between clients and a server. A new one has no faults. All methods are safe
// for concurrent use.
type Proxy struct {
	network, target string
	listener        net.Listener
	stop            context.CancelFunc
	all             sync.WaitGroup // all goroutines of the proxy

	mu      sync.Mutex
	delay   time.Duration
	refuses bool
	passes  chan struct{} // closed while bytes may pass
	links   map[*link]struct{}
}

// Listen starts a proxy on a free local port in front of the server at target, which need not
// exist yet. The proxy is closed when the test ends.
func Listen(t testing.TB, network, target string) *Proxy {
	t.Helper()
	l, err := (&net.ListenConfig{}).Listen(t.Context(), "tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatalf("listen in front of %s: %v", target, err)
	}
	ctx, stop := context.WithCancel(context.WithoutCancel(t.Context()))
	p := &Proxy{
		network: network, target: target, listener: l, stop: stop,
		passes: make(chan struct{}), links: map[*link]struct{}{},
	}
	close(p.passes)
	p.all.Go(func() { p.accept(ctx) })
	t.Cleanup(p.Close)
	return p
}

// Addr returns the host:port to use in place of the server's address.
func (p *Proxy) Addr() string { return p.listener.Addr().String() }

// URL returns the address with a scheme, such as redis.
func (p *Proxy) URL(scheme string) string { return scheme + "://" + p.Addr() }

// Delay delays every byte by d, in both directions. It does not limit the throughput.
func (p *Proxy) Delay(d time.Duration) {
	p.mu.Lock()
	defer p.mu.Unlock()
	p.delay = d
}

// Cut ends all connections immediately, like the death of a peer: both sides see a reset. New
// connections are accepted.
func (p *Proxy) Cut() {
	p.mu.Lock()
	defer p.mu.Unlock()
	for l := range p.links {
		l.reset()
	}
}

// Refuse ends all connections and, until it is switched off, every new one.
func (p *Proxy) Refuse(on bool) {
	p.mu.Lock()
	p.refuses = on
	p.mu.Unlock()
	if on {
		p.Cut()
	}
}

// Hole turns the proxy into a black hole: connections stay open and new ones are accepted, but no
// byte arrives. When it is switched off, all bytes sent in the meantime arrive, as TCP sends them
// again.
func (p *Proxy) Hole(on bool) {
	p.mu.Lock()
	defer p.mu.Unlock()
	select {
	case <-p.passes:
		if on {
			p.passes = make(chan struct{})
		}
	default:
		if !on {
			close(p.passes)
		}
	}
}

// Open returns the number of open connections.
func (p *Proxy) Open() int {
	p.mu.Lock()
	defer p.mu.Unlock()
	return len(p.links)
}

// Close ends the proxy and all connections. It may be called twice.
func (p *Proxy) Close() {
	p.stop()
	_ = p.listener.Close() // it may be closed already
	p.Cut()
	p.all.Wait()
}

// way returns what a byte currently has to wait for: a delay and the end of a hole.
func (p *Proxy) way() (delay time.Duration, passes <-chan struct{}) {
	p.mu.Lock()
	defer p.mu.Unlock()
	return p.delay, p.passes
}
