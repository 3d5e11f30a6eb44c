package live

import (
	"context"
	"errors"
	"io"
	"net/http"
	"net/url"
	"os"
	"strconv"
	"sync"
	"sync/atomic"
	"time"

	"github.com/r3labs/sse/v2"

	"github.com/carillonhq/carillon/notifier"
)

// response is the outlet of a stream that stays in its handler: net/http writes it, and the library has a stream
// for it alone. It is also the http.ResponseWriter that the library writes to: it collects the output for one
// event and writes it at Flush, in one call with a deadline. A failed write ends the stream: later output is
// discarded, so that the library never blocks.
type response struct {
	conn    *conn
	sse     *sse.Server
	id      string // of the library's stream
	w       http.ResponseWriter
	rc      *http.ResponseController
	cancel  func()       // ends the context that the library waits on
	ended   func() error // returns an error after cancel, or when the client has left
	waiting atomic.Int32 // events queued
	closing atomic.Bool  // cut, so that a failed write has no other cause

	// Used by the handler's goroutine only:
	header http.Header // headers set by the library; not sent
	buf    *[]byte
	begun  bool
	dead   bool
}

var buffers = sync.Pool{New: func() any { b := make([]byte, 0, 2048); return &b }}

// stay serves the stream in the handler's goroutine. The request that the library sees contains only our stream
// id and our context.
func (h *Hub) stay(w http.ResponseWriter, r *http.Request, c *conn) {
	s := h.shard(c.user.seq)
	ctx, cancel := context.WithCancel(r.Context())
	defer cancel()
	out := &response{
		conn: c, sse: s.sse, id: strconv.FormatUint(h.streamID.Add(1), 36), w: w, rc: http.NewResponseController(w),
		cancel: cancel, ended: ctx.Err, header: http.Header{},
	}
	_ = out.rc.SetReadDeadline(time.Time{}) // not supported by every writer, and not needed there
	setHeaders(w.Header())
	req := (&http.Request{Method: http.MethodGet, URL: &url.URL{RawQuery: "stream=" + out.id}}).WithContext(ctx)
	h.open.Add(1) // until the library reports that the subscriber has left
	s.sse.CreateStream(out.id)
	s.sse.ServeHTTP(out, req)
	h.leave(c.user, c)
}

func (o *response) publish(ev *sse.Event, last bool) {
	h := o.conn.user.hub
	switch {
	case int(o.waiting.Add(1)) > h.lim.QueueLen || !o.sse.TryPublish(o.id, ev):
		o.tooSlow()
		o.cut()
	case last:
		o.sse.TryPublish(o.id, &sse.Event{}) // an empty event makes the library return
	}
}

// tooSlow counts a client that does not read, once.
func (o *response) tooSlow() {
	if !o.closing.Swap(true) {
		o.conn.user.hub.stats.cut.Add(1)
	}
}

func (o *response) share(v *view, b notifier.Badge, due bool) {
	o.publish(packShared(v.text, b, due), false)
}

func (o *response) cut() {
	o.closing.Store(true)
	o.cancel()
	_ = o.rc.SetWriteDeadline(time.Unix(1, 0)) // a blocked write fails at once
}

func (o *response) left() bool { return o.ended() != nil }

// Header returns the headers the library sets; they are not sent.
func (o *response) Header() http.Header { return o.header }

// WriteHeader is called by the library when its subscriber is registered. The head and the first
// badge are written together by the Flush that follows.
func (o *response) WriteHeader(int) {
	o.w.WriteHeader(http.StatusOK)
	_, _ = o.Write(o.conn.user.hub.activate(o.conn, o))
	o.header = nil
}

// Write collects output.
func (o *response) Write(b []byte) (int, error) {
	if o.buf == nil {
		o.buf, _ = buffers.Get().(*[]byte)
	}
	*o.buf = append(*o.buf, b...)
	return len(b), nil
}

// Flush writes the collected output: one event of the library.
func (o *response) Flush() {
	if o.buf == nil {
		return
	}
	if !o.dead && !o.left() && o.send(*o.buf) != nil {
		o.dead = true
		o.cancel()
	}
	if o.begun {
		o.waiting.Add(-1)
	}
	o.begun = true
	if cap(*o.buf) <= mergeBytes {
		*o.buf = (*o.buf)[:0]
		buffers.Put(o.buf)
	}
	o.buf = nil
}

func (o *response) send(b []byte) error {
	if err := o.rc.SetWriteDeadline(time.Now().Add(o.conn.user.hub.lim.WriteTimeout)); err != nil && !errors.Is(err, http.ErrNotSupported) {
		return err
	}
	n, err := o.w.Write(b)
	if err == nil && n < len(b) {
		err = io.ErrShortWrite
	}
	if err == nil {
		err = o.rc.Flush()
	}
	if errors.Is(err, os.ErrDeadlineExceeded) {
		o.tooSlow()
	}
	return err
}
