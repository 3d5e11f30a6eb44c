// Package faulty is a TCP proxy for tests that stands between a client and its
// server and does what networks do: it delays, it cuts, it refuses, and it
// swallows everything while it says nothing.
package faulty

import (
	"context"
	"net"
	"sync"
	"testing"
	"time"
)

// Proxy hands what it is told to its server, and the answers back. A new one has
// no faults. All its methods may be called at any time, by any goroutine.
type Proxy struct {
	network, target string
	listener        net.Listener
	stop            context.CancelFunc
	all             sync.WaitGroup // everything that runs for it

	mu      sync.Mutex
	delay   time.Duration
	refuses bool
	passes  chan struct{} // closed while bytes go through
	links   map[*link]struct{}
}

// Listen starts a proxy on a free port of this machine before the server at
// target, which need not be there yet. It is closed when the test ends.
func Listen(t testing.TB, network, target string) *Proxy {
	t.Helper()
	l, err := (&net.ListenConfig{}).Listen(t.Context(), "tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatalf("listen before %s: %v", target, err)
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

// Addr is the host:port that stands for the server's address.
func (p *Proxy) Addr() string { return p.listener.Addr().String() }

// URL is the address with a scheme before it, such as redis.
func (p *Proxy) URL(scheme string) string { return scheme + "://" + p.Addr() }

// Delay lets every byte arrive so much later, in both directions. It takes
// nothing from how many go through.
func (p *Proxy) Delay(d time.Duration) {
	p.mu.Lock()
	defer p.mu.Unlock()
	p.delay = d
}

// Cut ends all connections there are, in the middle of whatever they say, as a
// peer that died does: both sides see a reset. New ones are taken.
func (p *Proxy) Cut() {
	p.mu.Lock()
	defer p.mu.Unlock()
	for l := range p.links {
		l.reset()
	}
}

// Refuse ends all connections and each new one at once, until it is told not to.
func (p *Proxy) Refuse(on bool) {
	p.mu.Lock()
	p.refuses = on
	p.mu.Unlock()
	if on {
		p.Cut()
	}
}

// Hole makes the way a black hole: connections stay and new ones are taken, but no
// byte arrives. What was said meanwhile arrives when the hole is mended, as TCP
// sends it again.
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

// Open says how many connections there are.
func (p *Proxy) Open() int {
	p.mu.Lock()
	defer p.mu.Unlock()
	return len(p.links)
}

// Close ends everything. It may be called twice.
func (p *Proxy) Close() {
	p.stop()
	_ = p.listener.Close() // closed twice is closed
	p.Cut()
	p.all.Wait()
}

// way is what a byte that is on its way now has to wait for.
func (p *Proxy) way() (delay time.Duration, passes <-chan struct{}) {
	p.mu.Lock()
	defer p.mu.Unlock()
	return p.delay, p.passes
}
