package live

import (
	"errors"
	"net"
	"net/http"
	"os"
	"time"
)

// Trickle answers r as Serve does and with its headers, but sends these lines instead of events, so that the
// effect of a proxy on streams can be measured. It pauses after each line, and ends when the client
// disconnects.
func Trickle(w http.ResponseWriter, r *http.Request, lines []string, pauses []time.Duration) {
	write, wait := staying(w, r)
	if r.ProtoMajor == 1 {
		nc, head, ok, err := hijack(w)
		if err != nil {
			return
		}
		if ok {
			defer func() { _ = nc.Close() }()
			write, wait = hijacked(nc, head)
		}
	}
	for i, line := range lines {
		if write(line+"\n\n") != nil || i == len(pauses) || !wait(pauses[i]) {
			return
		}
	}
}

// staying writes and waits through net/http.
func staying(w http.ResponseWriter, r *http.Request) (write func(string) error, wait func(time.Duration) bool) {
	write = func(text string) error {
		setHeaders(w.Header())
		if _, err := w.Write([]byte(text)); err != nil {
			return err
		}
		return http.NewResponseController(w).Flush()
	}
	wait = func(pause time.Duration) bool {
		t := time.NewTimer(pause)
		defer t.Stop()
		select {
		case <-t.C:
			return true
		case <-r.Context().Done():
			return false
		}
	}
	return write, wait
}

// hijacked writes to a hijacked connection. It waits by reading: the client sends nothing until it closes the
// connection.
func hijacked(nc net.Conn, head []byte) (write func(string) error, wait func(time.Duration) bool) {
	write = func(text string) error {
		if err := nc.SetWriteDeadline(time.Now().Add(5 * time.Second)); err != nil {
			return err
		}
		_, err := nc.Write(append(head, text...))
		head = nil
		return err
	}
	wait = func(pause time.Duration) bool {
		if err := nc.SetReadDeadline(time.Now().Add(pause)); err != nil {
			return false
		}
		_, err := nc.Read(make([]byte, 1))
		return errors.Is(err, os.ErrDeadlineExceeded)
	}
	return write, wait
}
