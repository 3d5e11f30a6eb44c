package live

import (
	"bytes"
	"context"
	"net/http"
	"net/url"
	"sync"

	"github.com/r3labs/sse/v2"

	"github.com/carillonhq/carillon/notifier"
)

// post passes the events for the sockets of a shard through one stream of the library. It is the
// http.ResponseWriter of that stream's only subscriber. The library prints one event after the other in the order
// in which they were published, so the sockets that they are for are kept in a queue beside it.
//
// The library's subscriber never waits for a client, nor for the lock of a shard. So a full queue only slows down
// those who publish, who hold that lock.
type post struct {
	sse  *sse.Server
	mu   sync.Mutex
	to   []letter // of the published events that are not printed yet
	buf  []byte
	open func() // called when the subscriber is registered; nil afterwards
}

// letter is whom one event is for.
type letter struct {
	to   *socket
	last bool // the stream ends with it

	copies []copied // instead of to: of the view that the event is
}

// run serves the stream until ctx ends. It calls open once events may be published.
func (p *post) run(ctx context.Context, open func()) {
	p.open = open
	p.sse.CreateStream(postID)
	p.sse.ServeHTTP(p, (&http.Request{Method: http.MethodGet, URL: &url.URL{RawQuery: "stream=" + postID}}).WithContext(ctx))
}

// publish queues an event for a socket. The caller holds the shard's lock.
func (p *post) publish(ev *sse.Event, l letter) {
	p.mu.Lock()
	p.to = append(p.to, l)
	p.mu.Unlock()
	p.sse.Publish(postID, ev)
}

// share queues a view for the sockets that it was copied to: it is printed once for all of them.
func (p *post) share(v *view) {
	p.publish(packShared(v.text, notifier.Badge{}, false), letter{copies: v.copies})
	v.copies = nil
}

func (p *post) next() letter {
	p.mu.Lock()
	defer p.mu.Unlock()
	l := p.to[0]
	p.to[0] = letter{}
	if p.to = p.to[1:]; len(p.to) == 0 {
		p.to = nil
	}
	return l
}

// Header returns headers that nobody reads.
func (p *post) Header() http.Header { return http.Header{} }

// WriteHeader is called by the library when its subscriber is registered.
func (p *post) WriteHeader(int) {}

// Write collects what the library prints.
func (p *post) Write(b []byte) (int, error) {
	p.buf = append(p.buf, b...)
	return len(b), nil
}

// Flush is called by the library after the headers, and after each event, which is written to its socket here.
func (p *post) Flush() {
	if p.open != nil {
		p.open()
		p.open = nil
		return
	}
	l := p.next()
	switch {
	case l.copies != nil:
		p.copy(l.copies)
	case l.to.write(p.buf, l.last):
		p.buf = nil // it was kept
	}
	if cap(p.buf) > mergeBytes {
		p.buf = nil
	}
	p.buf = p.buf[:0]
}

// copy writes the printed view to each socket.
func (p *post) copy(to []copied) {
	_, text, _ := bytes.Cut(p.buf, []byte("\n")) // the first line is an id
	var frame []byte
	for i := range to {
		c := &to[i]
		frame = append(appendID(frame[:0], c.badge.Ver), text...)
		if c.due {
			frame = appendBadge(frame, c.badge)
		}
		if c.to.write(frame, false) {
			frame = nil // it was kept
		}
	}
}
