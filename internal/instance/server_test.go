package instance

import (
	"bufio"
	"io"
	"log/slog"
	"net"
	"net/http"
	"testing"
	"time"

	"github.com/carillonhq/carillon/internal/testkit"
)

// TestAClientThatStopsHalfwayIsDisconnected shortens the timeouts of the server. It tests that they
// are set.
func TestAClientThatStopsHalfwayIsDisconnected(t *testing.T) {
	t.Parallel()
	const short = 100 * time.Millisecond
	read := make(chan error, 1)
	taken, late := make(chan struct{}, 1), make(chan struct{})
	mux := http.NewServeMux()
	mux.HandleFunc("POST /form", func(_ http.ResponseWriter, r *http.Request) {
		_, err := io.Copy(io.Discard, r.Body)
		read <- err
	})
	mux.HandleFunc("GET /page", func(w http.ResponseWriter, _ *http.Request) {
		_, err := io.CopyN(w, endless{}, 64<<20) // more than any kernel buffers for a client
		read <- err
	})
	mux.HandleFunc("GET /stream", func(w http.ResponseWriter, _ *http.Request) {
		nc, _, err := http.NewResponseController(w).Hijack()
		if err != nil {
			read <- err
			return
		}
		defer nc.Close()
		taken <- struct{}{}
		<-late
		_, err = io.WriteString(nc, "still here\n")
		read <- err
	})
	web := server(mux, slog.New(slog.DiscardHandler))
	if web.ReadTimeout <= 0 || web.WriteTimeout <= web.ReadTimeout {
		t.Fatalf("a form may take %v, with its answer %v", web.ReadTimeout, web.WriteTimeout)
	}
	web.ReadTimeout, web.WriteTimeout = short, 2*short
	l, err := (&net.ListenConfig{}).Listen(t.Context(), "tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	go func() { _ = web.Serve(l) }()
	t.Cleanup(func() { _ = web.Close() })
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
	stream := ask("GET /stream HTTP/1.1\r\nHost: x\r\n\r\n")
	<-taken
	ask("POST /form HTTP/1.1\r\nHost: x\r\nContent-Length: 100\r\n\r\nuser")
	if err := wait(t, read); err == nil {
		t.Error("a form that does not end is read forever")
	}
	ask("GET /page HTTP/1.1\r\nHost: x\r\n\r\n")
	if err := wait(t, read); err == nil {
		t.Error("a page that the client does not read is written forever")
	}
	close(late) // by now both limits have ended connections that are younger
	if line, err := bufio.NewReader(stream).ReadString('\n'); err != nil || wait(t, read) != nil {
		t.Errorf("a hijacked connection: %q, %v", line, err)
	}
}

type endless struct{}

func (endless) Read(p []byte) (int, error) { return len(p), nil }

func wait(t *testing.T, done <-chan error) error {
	t.Helper()
	return testkit.Next(t, "it ends", done)
}
