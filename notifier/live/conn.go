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

// conn is one stream. Its fields are guarded by the lock of its user's shard, except waiting and
// those that never change.
type conn struct {
	user    *user
	id      string // id of the library's stream
	session string
	browser string                   // name derived from the session, as used in signals
	cancel  func()                   // ends the context that the library waits on
	left    func() error             // returns an error after cancel, or when the client has left
	nc      net.Conn                 // set if hijacked
	rc      *http.ResponseController // set if not hijacked; both are nil before and after the stream
	active  bool                     // the library has registered its subscriber, so published events arrive
	ending  bool                     // bye was sent; nothing follows
	gone    bool                     // the stream has ended
	seen    bool                     // a page of its browser was visible when it was opened

	toastsOff bool // the user switched toasts off
	noToasts  bool // the page does not show toasts
	waiting   atomic.Int32
	since     time.Time // when the stream began
	until     time.Time // zero, or the latest endAt
	endAt     time.Time
}

// detach moves the stream from net/http's goroutine, whose stack and buffers are large, to a fresh
// one.
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
	_ = rc.SetReadDeadline(time.Time{}) // not supported by every writer, and not needed there
	setHeaders(w.Header())
	h.stream(ctx, c, &responder{w: w, rc: rc})
	h.leave(c.user, c)
}

// stream runs the library on one connection until it ends. The request the library sees contains
// only our stream id and our context.
func (h *Hub) stream(ctx context.Context, c *conn, out *responder) {
	defer c.cancel()
	s := h.shard(c.user.seq)
	out.hub, out.conn, out.header = h, c, http.Header{}
	req := (&http.Request{Method: http.MethodGet, URL: &url.URL{RawQuery: "stream=" + c.id}}).WithContext(ctx)
	h.open.Add(1) // until the library reports that the subscriber has left
	s.sse.CreateStream(c.id)
	s.sse.ServeHTTP(out, req)
}

// activate is called when the library has registered its subscriber. It returns the first badge, or the event
// that reports that no badge can be read now. All later changes follow as events.
func (h *Hub) activate(c *conn) []byte {
	u, s := c.user, h.shard(c.user.seq)
	s.mu.Lock()
	defer s.mu.Unlock()
	u.flush() // changes from before this stream are included in its first badge
	u.conns = append(u.conns, c)
	c.active = true
	u.arrive(c)
	if c.session != "" {
		h.checks.add(u)
	}
	c.since = h.cfg.Now()
	c.endAt = c.since.Add(time.Duration((1 + h.rand()/2) * float64(lifetime)))
	if !c.until.IsZero() && c.until.Before(c.endAt) {
		c.endAt = c.until
	}
	h.beats.add(h.nextBeat(c), c)
	select {
	case <-h.closed: // Shutdown may already have passed over all streams
		c.bye(h.jitter(longestRetry))
	default:
	}
	if u.cut {
		return appendConnection(nil, u.badge.Ver, false)
	}
	return appendBadge(nil, u.badge)
}

// publish queues an event. A client with too many queued events is disconnected; other clients are not
// affected.
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

// open reports whether published events can still reach the client.
func (c *conn) open() bool {
	return c.active && !c.ending && c.left() == nil
}

// bye asks the client to reconnect after retry, and ends the stream once everything queued before
// is written.
func (c *conn) bye(retry time.Duration) {
	ms := strconv.FormatInt(retry.Milliseconds(), 10)
	ev := pack(appendEvent(nil, c.user.badge.Ver, "bye", `{"retry":`+ms+"}"))
	ev.Retry = []byte(ms)
	c.publish(ev)
	if c.open() {
		c.ending = true
		c.user.hub.shard(c.user.seq).sse.TryPublish(c.id, &sse.Event{}) // an empty event makes the library return
	}
}

// cut ends the stream at once, whatever is still being written.
func (c *conn) cut() {
	if c.nc != nil {
		abort(c.nc)
	}
	c.cancel()
	if c.rc != nil {
		_ = c.rc.SetWriteDeadline(time.Unix(1, 0)) // a blocked write fails at once
	}
}

// departure is the context that the library gets with a hijacked connection. It is done when the
// client has left or cancel has closed the connection. The library waits for that in a goroutine of
// its own which does nothing else, so Done itself blocks, reading from the connection: a separate
// reader would cost every idle stream an eighth more memory. Nothing else may call Done.
type departure struct {
	nc   net.Conn
	left atomic.Bool
	b    [1]byte
}

// Done blocks until the context is done. A client sends nothing after its request, so any result of
// the read means that it has left.
func (d *departure) Done() <-chan struct{} {
	_, _ = d.nc.Read(d.b[:])
	d.left.Store(true)
	done := make(chan struct{})
	close(done)
	return done
}

// Err returns an error once the context is done.
func (d *departure) Err() error {
	if d.left.Load() {
		return context.Canceled
	}
	return nil
}

// Deadline reports no deadline.
func (d *departure) Deadline() (time.Time, bool) { return time.Time{}, false }

// Value returns nil for every key.
func (d *departure) Value(any) any { return nil }

func (d *departure) cancel() {
	d.left.Store(true)
	_ = d.nc.Close()
}
