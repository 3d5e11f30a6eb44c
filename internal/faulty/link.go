package faulty

import (
	"context"
	"errors"
	"io"
	"net"
	"sync"
	"time"
)

// inFlight is how many pieces of one direction are held while they are delayed.
const inFlight = 256

// link is one connection through the proxy.
type link struct {
	p              *Proxy
	client, server net.Conn
	over           context.CancelFunc
}

// piece is what one read brought, and when it was read.
type piece struct {
	bytes []byte
	read  time.Time
}

// accept takes connections until the listener is closed.
func (p *Proxy) accept(ctx context.Context) {
	for {
		client, err := p.listener.Accept()
		if err != nil {
			return
		}
		p.all.Go(func() { p.lead(ctx, client) })
	}
}

// lead serves one connection to its end.
func (p *Proxy) lead(ctx context.Context, client net.Conn) {
	ctx, over := context.WithCancel(ctx)
	l := &link{p: p, client: client, over: over}
	defer func() { _ = client.Close() }() // its end is all that is wanted
	defer over()
	if !p.enter(ctx, l) {
		return
	}
	defer p.leave(l)
	_, passes := p.way()
	select { // in a hole the server does not hear of it either
	case <-passes:
	case <-ctx.Done():
		return
	}
	server, err := (&net.Dialer{}).DialContext(ctx, p.network, p.target)
	if err != nil {
		return
	}
	defer func() { _ = server.Close() }() // as of the client
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

// enter counts a connection, unless there is none to be.
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

// carry brings bytes from one side to the other in their order. The end of what
// one side says is told to the other; a fault ends the link.
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
		_ = half.CloseWrite() // it may have left before
	}
	reader.Wait()
}

// due waits until a byte that was read then may arrive.
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
		_, passes = l.p.way() // a hole may have opened meanwhile
	}
	select {
	case <-passes:
		return ctx.Err() == nil
	case <-ctx.Done():
		return false
	}
}

// reset ends both sides at once. The proxy is locked by whoever ends a link that
// others can see.
func (l *link) reset() {
	l.over()
	abort(l.client)
	if l.server != nil {
		abort(l.server)
	}
}

// abort closes a connection so that its peer sees a reset, and nothing that was
// not yet sent.
func abort(c net.Conn) {
	if tcp, ok := c.(*net.TCPConn); ok {
		_ = tcp.SetLinger(0) // of a connection that is closed already
	}
	_ = c.Close() // as above
}
