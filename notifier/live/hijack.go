package live

import (
	"errors"
	"net"
	"net/http"
	"strings"
	"time"
)

// hijack gets the connection from net/http, and the head of the response, which is not written yet; ok is false
// where that is not supported. On error nothing was written.
func hijack(w http.ResponseWriter) (nc net.Conn, head []byte, ok bool, err error) {
	header := w.Header()
	nc, _, err = http.NewResponseController(w).Hijack()
	if errors.Is(err, http.ErrNotSupported) {
		return nil, nil, false, nil
	}
	if err != nil {
		return nil, nil, false, err
	}
	setHeaders(header)
	header.Set("Connection", "close")
	return nc, appendHead(header), true, nil
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
