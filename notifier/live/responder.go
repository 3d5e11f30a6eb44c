package live

import (
	"errors"
	"io"
	"net"
	"net/http"
	"os"
	"strings"
	"sync"
	"time"
)

// responder is the http.ResponseWriter that the library writes to. It collects the output for one event and
// writes it at Flush, in one call with a deadline. A failed write ends the stream: later output is discarded,
// so that the library never blocks.
type responder struct {
	hub    *Hub
	conn   *conn
	nc     net.Conn // set if hijacked; otherwise w and rc are
	w      http.ResponseWriter
	rc     *http.ResponseController
	head   []byte      // status line and headers, until they are written
	header http.Header // headers set by the library; not sent
	buf    *[]byte
	begun  bool
	dead   bool
}

var buffers = sync.Pool{New: func() any { b := make([]byte, 0, 2048); return &b }}

// Header returns the headers the library sets; they are not sent.
func (o *responder) Header() http.Header { return o.header }

// WriteHeader is called by the library when its subscriber is registered. The head and the first
// badge are written together by the Flush that follows.
func (o *responder) WriteHeader(int) {
	if o.w != nil {
		o.w.WriteHeader(http.StatusOK)
	}
	_, _ = o.Write(o.head)
	_, _ = o.Write(o.hub.activate(o.conn))
	o.head, o.header = nil, nil
}

// Write collects output.
func (o *responder) Write(b []byte) (int, error) {
	if o.buf == nil {
		o.buf, _ = buffers.Get().(*[]byte)
	}
	*o.buf = append(*o.buf, b...)
	return len(b), nil
}

// Flush writes the collected output: one event of the library.
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

// sendBuffer is the kernel's send buffer for one client. The kernel doubles it.
const sendBuffer = 16 << 10

// hijack gets the connection from net/http; ok is false where that is not supported. On error nothing was
// written. The connection is closed if the client does not acknowledge data within patience.
func hijack(w http.ResponseWriter, patience time.Duration) (out *responder, ok bool, err error) {
	header := w.Header()
	nc, _, err := http.NewResponseController(w).Hijack()
	if errors.Is(err, http.ErrNotSupported) {
		return nil, false, nil
	}
	if err != nil {
		return nil, false, err
	}
	raw := nc
	if t, isTLS := nc.(interface{ NetConn() net.Conn }); isTLS {
		raw = t.NetConn()
	}
	if t, isTCP := raw.(*net.TCPConn); isTCP {
		_ = t.SetWriteBuffer(sendBuffer)
		setUserTimeout(t, patience)
	}
	setHeaders(header)
	header.Set("Connection", "close")
	return &responder{nc: nc, head: appendHead(header)}, true, nil
}

func setHeaders(h http.Header) {
	h.Del("Content-Length")
	h.Del("Transfer-Encoding")
	h.Set("Content-Type", "text/event-stream")
	h.Set("Cache-Control", "no-store")
	h.Set("X-Accel-Buffering", "no")
	h.Set("X-Content-Type-Options", "nosniff")
}

// appendHead returns the head of the response, with spaces for line ends in values. http.Header.Write, which
// sorts the headers, takes a twentieth of the time to connect.
func appendHead(h http.Header) []byte {
	h.Del("Date")
	b := make([]byte, 0, 1024)
	b = append(b, "HTTP/1.1 200 OK\r\nDate: "...)
	b = time.Now().UTC().AppendFormat(b, http.TimeFormat)
	for name, values := range h {
		for _, value := range values {
			b = append(append(append(append(b, "\r\n"...), name...), ": "...), lineEnds.Replace(value)...)
		}
	}
	return append(b, "\r\n\r\n"...)
}

var lineEnds = strings.NewReplacer("\r", " ", "\n", " ")

// abort closes a connection without waiting for anything, including TLS's close_notify, and lets the kernel
// drop data that the client has not received.
func abort(nc net.Conn) {
	if t, ok := nc.(interface{ NetConn() net.Conn }); ok {
		nc = t.NetConn()
	}
	if t, ok := nc.(*net.TCPConn); ok {
		_ = t.SetLinger(0)
	}
	_ = nc.Close()
}
