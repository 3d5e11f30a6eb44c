package live

import (
	"errors"
	"net"
	"net/http"
	"strings"
	"time"
)

// sendBuffer is the kernel's send buffer for one client. The kernel doubles it.
const sendBuffer = 16 << 10

// hijack takes the connection over from net/http; ok is false where that is not supported. On error
// nothing was written. The connection ends when the client does not acknowledge data within
// patience.
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

// appendHead returns the head of the response, with spaces for line ends in values.
// http.Header.Write, which sorts the headers, takes a twentieth of the time of a connect.
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

// abort closes a connection without waiting for anything, TLS's close_notify included, and lets the
// kernel drop the data the client has not taken.
func abort(nc net.Conn) {
	if t, ok := nc.(interface{ NetConn() net.Conn }); ok {
		nc = t.NetConn()
	}
	if t, ok := nc.(*net.TCPConn); ok {
		_ = t.SetLinger(0)
	}
	_ = nc.Close()
}
