package main

import (
	"bufio"
	"io"
	"log/slog"
	"net"
	"net/http"
	"testing"
	"time"
)

// TestAClientThatStopsHalfwayIsLetGo shortens the server's own times: that they
// are set is what is tested.
func TestAClientThatStopsHalfwayIsLetGo(t *testing.T) {
	t.Parallel()
	const short = 100 * time.Millisecond
	read := make(chan error, 1)
	mux := http.NewServeMux()
	mux.HandleFunc("POST /form", func(_ http.ResponseWriter, r *http.Request) {
		_, err := io.Copy(io.Discard, r.Body)
		read <- err
	})
	mux.HandleFunc("GET /page", func(w http.ResponseWriter, _ *http.Request) {
		_, err := io.CopyN(w, endless{}, 64<<20) // more than any kernel keeps for a client
		read <- err
	})
	mux.HandleFunc("GET /stream", func(w http.ResponseWriter, _ *http.Request) {
		nc, _, err := http.NewResponseController(w).Hijack()
		if err != nil {
			read <- err
			return
		}
		defer nc.Close()
		<-time.After(3 * short) // longer than either time of the server
		_, err = io.WriteString(nc, "still here\n")
		read <- err
	})
	server := (&instance{log: slog.New(slog.DiscardHandler)}).server(mux)
	if server.ReadTimeout <= 0 || server.WriteTimeout <= server.ReadTimeout {
		t.Fatalf("a form may take %v, with its answer %v", server.ReadTimeout, server.WriteTimeout)
	}
	server.ReadTimeout, server.WriteTimeout = short, 2*short
	l, err := (&net.ListenConfig{}).Listen(t.Context(), "tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	go func() { _ = server.Serve(l) }()
	t.Cleanup(func() { _ = server.Close() })
	ask := func(request string) net.Conn {
		nc, err := (&net.Dialer{}).DialContext(t.Context(), "tcp", l.Addr().String())
		if err != nil {
			t.Fatal(err)
		}
		t.Cleanup(func() { _ = nc.Close() })
		if _, err = io.WriteString(nc, request); err != nil {
			t.Fatal(err)
		}
		return nc
	}
	ask("POST /form HTTP/1.1\r\nHost: x\r\nContent-Length: 100\r\n\r\nuser")
	if err := wait(t, read); err == nil {
		t.Error("a form that does not end is read for ever")
	}
	ask("GET /page HTTP/1.1\r\nHost: x\r\n\r\n")
	if err := wait(t, read); err == nil {
		t.Error("a page that nobody takes is written for ever")
	}
	stream := ask("GET /stream HTTP/1.1\r\nHost: x\r\n\r\n")
	if line, err := bufio.NewReader(stream).ReadString('\n'); err != nil || wait(t, read) != nil {
		t.Errorf("a connection that was taken over: %q, %v", line, err)
	}
}

type endless struct{}

func (endless) Read(p []byte) (int, error) { return len(p), nil }

func wait(t *testing.T, done <-chan error) error {
	t.Helper()
	select {
	case err := <-done:
		return err
	case <-time.After(patience):
		t.Fatal("it never ends")
		return nil
	}
}
