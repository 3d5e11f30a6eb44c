package bound

import (
	"context"
	"net"
	"net/http"
	"net/url"
	"strconv"
	"sync"
	"time"

	sse "github.com/r3labs/sse/v2"
)

// r3lean is the leanest use of r3labs/sse: one stream per connection, without replay. The connection is taken over
// from net/http, so that an idle one retains neither buffers nor a grown stack, and an event is one write.
type r3lean struct {
	server *sse.Server
	mu     sync.RWMutex
	last   int
	users  map[string][]string // stream ids
}

const writeTimeout = 10 * time.Second

func newR3Lean() *r3lean {
	s := sse.New()
	s.AutoReplay = false
	s.BufferSize = queue
	return &r3lean{server: s, users: map[string][]string{}}
}

func (x *r3lean) stream(w http.ResponseWriter, _ *http.Request, user string) {
	conn, _, err := http.NewResponseController(w).Hijack()
	if err != nil {
		return
	}
	go x.serve(conn, user) // on a fresh small stack; net/http's goroutine ends
}

// serve runs until the client leaves or a write fails.
func (x *r3lean) serve(conn net.Conn, user string) {
	id := x.join(user)
	ctx, cancel := context.WithCancel(context.Background())
	watched := make(chan struct{})
	go func() { // a client sends nothing more: whatever Read returns, the connection has ended
		defer close(watched)
		var b [1]byte
		_, _ = conn.Read(b[:])
		cancel()
	}()
	// The library reads only the stream's name and the context.
	r := (&http.Request{Header: http.Header{}, URL: &url.URL{RawQuery: "stream=" + id}}).WithContext(ctx)
	x.server.ServeHTTP(&wire{conn: conn, head: http.Header{}, failed: cancel}, r)
	_ = conn.Close()
	<-watched
	x.leave(user, id) // it has no subscribers left, so nothing leaks
}

func (x *r3lean) deliver(user string, data []byte) {
	e := &sse.Event{Event: []byte("notice"), Data: data}
	x.mu.RLock()
	defer x.mu.RUnlock()
	if user != Everyone {
		x.publish(x.users[user], e)
		return
	}
	for _, ids := range x.users {
		x.publish(ids, e)
	}
}

func (x *r3lean) publish(ids []string, e *sse.Event) {
	for _, id := range ids {
		x.server.TryPublish(id, e)
	}
}

func (x *r3lean) join(user string) (id string) {
	x.mu.Lock()
	defer x.mu.Unlock()
	x.last++
	id = strconv.Itoa(x.last)
	x.server.CreateStream(id)
	x.users[user] = append(x.users[user], id)
	return id
}

func (x *r3lean) leave(user, id string) {
	x.mu.Lock()
	defer x.mu.Unlock()
	x.server.RemoveStream(id)
	var rest []string
	for _, other := range x.users[user] {
		if other != id {
			rest = append(rest, other)
		}
	}
	if x.users[user] = rest; rest == nil {
		delete(x.users, user)
	}
}

// wire collects the library's output for one event and writes it at Flush.
type wire struct {
	conn   net.Conn
	head   http.Header
	failed context.CancelFunc
	buf    *[]byte
}

var buffers = sync.Pool{New: func() any { b := make([]byte, 0, 1<<10); return &b }}

func (o *wire) Header() http.Header { return o.head }

func (o *wire) WriteHeader(int) {
	_, _ = o.Write([]byte("HTTP/1.1 200 OK\r\nContent-Type: text/event-stream\r\nCache-Control: no-store\r\nConnection: close\r\n\r\n"))
	_, _ = o.Write(frame("badge", firstEvent))
}

func (o *wire) Write(b []byte) (int, error) {
	if o.buf == nil {
		o.buf = buffers.Get().(*[]byte)
	}
	*o.buf = append(*o.buf, b...)
	return len(b), nil
}

func (o *wire) Flush() {
	if o.buf == nil {
		return
	}
	err := o.conn.SetWriteDeadline(time.Now().Add(writeTimeout))
	if err == nil {
		_, err = o.conn.Write(*o.buf)
	}
	if err != nil {
		o.failed()
	}
	*o.buf = (*o.buf)[:0]
	buffers.Put(o.buf)
	o.buf = nil
}
