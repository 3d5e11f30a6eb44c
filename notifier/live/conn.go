package live

import (
	"context"
	"net"
	"net/http"
	"net/url"
	"strconv"
	"sync/atomic"
	"time"

	"github.com/r3labs/sse/v2"
)

// conn is one stream. Its fields are guarded by the shard's lock of its user,
// but for those that never change and waiting.
type conn struct {
	user    *user
	id      string // of the library's stream
	session string
	browser string                   // of the session, as signals name it
	cancel  func()                   // ends the context that the library waits on
	left    func() error             // not nil after that, or when the client has left
	nc      net.Conn                 // hijacked, or
	rc      *http.ResponseController // both nil before and after the stream
	active  bool                     // the library has its subscriber: publishing reaches it
	ending  bool                     // bye was said; nothing follows
	gone    bool                     // ended
	seen    bool                     // a page of its browser could be seen when it came

	toastsOff bool
	waiting   atomic.Int32
	endAt     time.Time
}

// detach leaves net/http's goroutine, whose stack and buffers are large, and
// goes on in fresh ones.
func (h *Hub) detach(c *conn, out *responder) {
	ctx := &departure{nc: out.nc}
	c.cancel, c.left, c.nc = ctx.cancel, ctx.Err, out.nc
	go func() {
		h.stream(ctx, c, out)
		h.leave(c.user, c)
	}()
}

// stay serves the stream in the handler's goroutine.
func (h *Hub) stay(w http.ResponseWriter, r *http.Request, c *conn) {
	ctx, cancel := context.WithCancel(r.Context())
	rc := http.NewResponseController(w)
	c.cancel, c.left, c.rc = cancel, ctx.Err, rc
	_ = rc.SetReadDeadline(time.Time{}) // not supported everywhere, and not needed there
	setHeaders(w.Header())
	h.stream(ctx, c, &responder{w: w, rc: rc})
	h.leave(c.user, c)
}

// stream runs the library on one connection until it ends. The library sees a
// request with nothing in it but our id and our context.
func (h *Hub) stream(ctx context.Context, c *conn, out *responder) {
	defer c.cancel()
	s := h.shard(c.user.seq)
	out.hub, out.conn, out.header = h, c, http.Header{}
	req := (&http.Request{Method: http.MethodGet, URL: &url.URL{RawQuery: "stream=" + c.id}}).WithContext(ctx)
	h.open.Add(1) // until the library says that the subscriber left
	s.sse.CreateStream(c.id)
	s.sse.ServeHTTP(out, req)
}

// activate is called when the library has registered its subscriber. It returns
// the first badge, or that there is none for now; whatever changes from here on
// follows as events.
func (h *Hub) activate(c *conn) []byte {
	u, s := c.user, h.shard(c.user.seq)
	s.mu.Lock()
	defer s.mu.Unlock()
	u.flush() // what came before this stream is in its first badge
	u.conns = append(u.conns, c)
	c.active = true
	u.arrive(c)
	c.endAt = h.cfg.Now().Add(time.Duration((1 + h.cfg.Rand()/2) * float64(h.lim.Lifetime)))
	h.beats.add(h.nextBeat(c), c)
	select {
	case <-h.closed: // Shutdown may have counted us out already
		c.bye(h.jitter(h.lim.Retry))
	default:
	}
	if u.cut {
		return appendConnection(nil, u.badge.Ver, false)
	}
	return appendBadge(nil, u.badge)
}

// publish queues an event. A client with too much waiting is cut, alone.
func (c *conn) publish(ev *sse.Event) {
	if !c.open() {
		return
	}
	h := c.user.hub
	if int(c.waiting.Add(1)) > h.lim.QueueLen || !h.shard(c.user.seq).sse.TryPublish(c.id, ev) {
		h.stats.cut.Add(1)
		c.ending = true
		c.cut()
	}
}

// open says whether publishing has a meaning.
func (c *conn) open() bool {
	return c.active && !c.ending && c.left() == nil
}

// bye asks the client to come back after retry, and ends the stream once all
// before it is written.
func (c *conn) bye(retry time.Duration) {
	ms := strconv.FormatInt(retry.Milliseconds(), 10)
	ev := pack(appendEvent(nil, c.user.badge.Ver, "bye", `{"retry":`+ms+"}"))
	ev.Retry = []byte(ms)
	c.publish(ev)
	if c.open() {
		c.ending = true
		c.user.hub.shard(c.user.seq).sse.TryPublish(c.id, &sse.Event{}) // empty: the library returns
	}
}

// cut ends the stream at once, whatever is in flight.
func (c *conn) cut() {
	if c.nc != nil {
		abort(c.nc)
	}
	c.cancel()
	if c.rc != nil {
		_ = c.rc.SetWriteDeadline(time.Unix(1, 0)) // a write that blocks fails now
	}
}
