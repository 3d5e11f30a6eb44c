package live

import (
	"errors"
	"io"
	"net"
	"net/http"
	"os"
	"sync"
	"time"
)

// responder is the http.ResponseWriter that the library writes to. It gathers
// what is printed for one event and writes it at Flush, in one call with a
// deadline. When that fails the stream is over: what still comes is let pass,
// so that the library never blocks.
type responder struct {
	hub    *Hub
	conn   *conn
	nc     net.Conn // hijacked, or
	w      http.ResponseWriter
	rc     *http.ResponseController
	head   []byte      // status line and headers, until they are written
	header http.Header // what the library sets; not sent
	buf    *[]byte
	begun  bool
	dead   bool
}

var buffers = sync.Pool{New: func() any { b := make([]byte, 0, 2048); return &b }}

// Header is where the library sets headers; ours are sent instead.
func (o *responder) Header() http.Header { return o.header }

// WriteHeader is called by the library when its subscriber is registered: the
// head and the first badge go out in one write, by the Flush that follows.
func (o *responder) WriteHeader(int) {
	if o.w != nil {
		o.w.WriteHeader(http.StatusOK)
	}
	_, _ = o.Write(o.head)
	_, _ = o.Write(o.hub.activate(o.conn))
	o.head, o.header = nil, nil
}

// Write gathers.
func (o *responder) Write(b []byte) (int, error) {
	if o.buf == nil {
		o.buf, _ = buffers.Get().(*[]byte)
	}
	*o.buf = append(*o.buf, b...)
	return len(b), nil
}

// Flush writes what was gathered: one event of the library.
func (o *responder) Flush() {
	if o.buf == nil {
		return
	}
	if !o.dead && o.conn.left() == nil {
		if err := o.send(*o.buf); err != nil {
			o.fail(err)
		}
	}
	if o.begun {
		o.conn.waiting.Add(-1)
	}
	o.begun = true
	if cap(*o.buf) <= mergeBytes {
		*o.buf = (*o.buf)[:0]
		buffers.Put(o.buf)
	}
	o.buf = nil
}

func (o *responder) send(b []byte) (err error) {
	deadline := time.Now().Add(o.hub.lim.WriteTimeout)
	if o.nc != nil {
		if err = o.nc.SetWriteDeadline(deadline); err == nil {
			_, err = o.nc.Write(b)
		}
		return err
	}
	if err = o.rc.SetWriteDeadline(deadline); err != nil && !errors.Is(err, http.ErrNotSupported) {
		return err
	}
	if n, werr := o.w.Write(b); werr != nil || n < len(b) {
		return errors.Join(io.ErrShortWrite, werr)
	}
	return o.rc.Flush()
}

// fail ends a stream that cannot be written to.
func (o *responder) fail(err error) {
	o.dead = true
	if errors.Is(err, os.ErrDeadlineExceeded) {
		o.hub.stats.cut.Add(1)
		if o.nc != nil {
			abort(o.nc)
		}
	}
	o.conn.cancel()
}
