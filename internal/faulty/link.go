package faulty

import (
	"context"
	"errors"
	"io"
	"net"
	"sync"
	"time"
)

// inFlight is the maximum number of delayed pieces in one direction.
const inFlight = 256

// link is one connection through the proxy.
type link struct {
	p              *Proxy
	client, server net.Conn
	over           context.CancelFunc
}

// piece holds the bytes of one read and its time.
type piece struct {
	bytes []byte
	read  time.Time
}

// accept accepts connections until the listener is closed.
func (p *Proxy) accept(ctx context.Context) {
	for {
		client, err := p.listener.Accept()
		if err != nil {
			return
		}
		p.all.Go(func() { p.lead(ctx, client) })
	}
}

// lead serves one connection until it ends.
func (p *Proxy) lead(ctx context.Context, client net.Conn) {
	ctx, over := context.WithCancel(ctx)
	l := &link{p: p, client: client, over: over}
	defer func() { _ = client.Close() }() // only the end of the connection matters
	defer over()
	if !p.enter(ctx, l) {
		return
	}
	defer p.leave(l)
	_, passes := p.way()
	select { // a hole also hides new connections from the server
	case <-passes:
	case <-ctx.Done():
		return
	}
	server, err := (&net.Dialer{}).DialContext(ctx, p.network, p.target)
	if err != nil {
		return
	}
	defer func() { _ = server.Close() }() // as for the client
	p.mu.Lock()
	l.server = server
	p.mu.Unlock()
	if ctx.Err() != nil {
		return
	}
	var both sync.WaitGroup
	both.Go(func() { l.carry(ctx, server, client) })
	both.Go(func() { l.carry(ctx, client, server) })
	both.Wait()
}

// enter registers a connection. It returns false if connections are refused or the proxy is
// closed.
func (p *Proxy) enter(ctx context.Context, l *link) bool {
	p.mu.Lock()
	defer p.mu.Unlock()
	if p.refuses || ctx.Err() != nil {
		return false
	}
	p.links[l] = struct{}{}
	return true
}

func (p *Proxy) leave(l *link) {
	p.mu.Lock()
	defer p.mu.Unlock()
	delete(p.links, l)
}

// carry copies bytes from one side to the other in order. It forwards the end of a stream; an
// error ends the link.
func (l *link) carry(ctx context.Context, to, from net.Conn) {
	pieces := make(chan piece, inFlight)
	var reader sync.WaitGroup
	reader.Go(func() {
		defer close(pieces)
		for {
			buf := make([]byte, 32<<10)
			n, err := from.Read(buf)
			select {
			case pieces <- piece{buf[:n], time.Now()}:
			case <-ctx.Done():
				return
			}
			if err != nil {
				if !errors.Is(err, io.EOF) {
					l.over()
				}
				return
			}
		}
	})
	for piece := range pieces {
		if !l.due(ctx, piece.read) {
			break
		}
		if _, err := to.Write(piece.bytes); err != nil {
			l.over()
			break
		}
	}
	if ctx.Err() != nil {
		abort(from)
		abort(to)
	} else if half, ok := to.(interface{ CloseWrite() error }); ok {
		_ = half.CloseWrite() // it may be closed already
	}
	reader.Wait()
}

// due waits until bytes that were read at this time may arrive. It returns false if the link ends
// first.
func (l *link) due(ctx context.Context, read time.Time) bool {
	delay, passes := l.p.way()
	if wait := time.Until(read.Add(delay)); wait > 0 {
		timer := time.NewTimer(wait)
		defer timer.Stop()
		select {
		case <-timer.C:
		case <-ctx.Done():
			return false
		}
		_, passes = l.p.way() // a hole may have opened in the meantime
	}
	select {
	case <-passes:
		return ctx.Err() == nil
	case <-ctx.Done():
		return false
	}
}

// reset ends both sides at once. The caller must hold the lock of the proxy if the link is registered.
func (l *link) reset() {
	l.over()
	abort(l.client)
	if l.server != nil {
		abort(l.server)
	}
}

// abort closes a connection so that its peer sees a reset. Unsent bytes are discarded.
func abort(c net.Conn) {
	if tcp, ok := c.(*net.TCPConn); ok {
		_ = tcp.SetLinger(0) // fails only for a closed connection
	}
	_ = c.Close() // as above
}
