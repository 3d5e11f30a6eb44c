package faulty_test

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"io"
	"net"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"go.uber.org/goleak"

	"github.com/carillonhq/carillon/internal/faulty"
	"github.com/carillonhq/carillon/internal/testkit"
)

func TestMain(m *testing.M) { goleak.VerifyTestMain(m) }

// echo starts a server that sends back everything it receives, including the end of the stream.
func echo(t *testing.T, network, addr string) string {
	t.Helper()
	l, err := (&net.ListenConfig{}).Listen(t.Context(), network, addr)
	if err != nil {
		t.Fatal(err)
	}
	done := make(chan struct{})
	go func() {
		defer close(done)
		for {
			c, err := l.Accept()
			if err != nil {
				return
			}
			go func() {
				defer c.Close()
				_, _ = io.Copy(c, c)
			}()
		}
	}()
	t.Cleanup(func() { _ = l.Close(); <-done })
	return l.Addr().String()
}

func dial(t *testing.T, p *faulty.Proxy) *net.TCPConn {
	t.Helper()
	c, err := (&net.Dialer{}).DialContext(t.Context(), "tcp", p.Addr())
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = c.Close() })
	tcp, _ := c.(*net.TCPConn)
	_ = tcp.SetDeadline(time.Now().Add(testkit.Patience))
	return tcp
}

// say sends a text to the server and returns the reply.
func say(c net.Conn, what string) (string, error) {
	if _, err := io.WriteString(c, what); err != nil {
		return "", err
	}
	heard := make([]byte, len(what))
	_, err := io.ReadFull(c, heard)
	return string(heard), err
}

func wantEcho(t *testing.T, c net.Conn, what string) {
	t.Helper()
	if heard, err := say(c, what); err != nil || heard != what {
		t.Fatalf("sent %q, received %q, %v", what, heard, err)
	}
}

func TestBytesArriveInOrderUpToTheEnd(t *testing.T) {
	t.Parallel()
	for _, network := range []string{"tcp", "unix"} {
		addr := "127.0.0.1:0"
		if network == "unix" {
			addr = filepath.Join(t.TempDir(), "s")
		}
		p := faulty.Listen(t, network, echo(t, network, addr))
		c := dial(t, p)
		var said bytes.Buffer
		for i := range 200_000 {
			fmt.Fprintln(&said, i)
		}
		go func() {
			_, _ = c.Write(said.Bytes())
			_ = c.CloseWrite()
		}()
		heard, err := io.ReadAll(c)
		if err != nil || !bytes.Equal(heard, said.Bytes()) {
			t.Errorf("%s: received %d bytes of %d, %v", network, len(heard), said.Len(), err)
		}
		_ = c.Close()
		testkit.Eventually(t, "the connection is over", func() bool { return p.Open() == 0 })
	}
}

func TestDelaysDoNotAddUp(t *testing.T) {
	t.Parallel()
	p := faulty.Listen(t, "tcp", echo(t, "tcp", "127.0.0.1:0"))
	c := dial(t, p)
	wantEcho(t, c, "at once")
	const delay = 50 * time.Millisecond
	p.Delay(delay)
	began := time.Now()
	const packets = 1000
	for i := range packets { // all of them in flight at once; one after the other they would take 2000 delays
		if _, err := fmt.Fprintf(c, "%03d", i); err != nil {
			t.Fatal(err)
		}
	}
	heard := make([]byte, 3*packets)
	if _, err := io.ReadFull(c, heard); err != nil {
		t.Fatal(err)
	}
	if took := time.Since(began); took < 2*delay || took > packets*delay {
		t.Errorf("the round trip took %v", took)
	}
	p.Delay(0)
	wantEcho(t, c, "at once again")
}

func TestACutEndsOnlyExistingConnections(t *testing.T) {
	t.Parallel()
	p := faulty.Listen(t, "tcp", echo(t, "tcp", "127.0.0.1:0"))
	c := dial(t, p)
	wantEcho(t, c, "before")
	p.Cut()
	if _, err := c.Read(make([]byte, 1)); err == nil || errors.Is(err, io.EOF) {
		t.Errorf("a cut connection: %v; want a reset", err)
	}
	wantEcho(t, dial(t, p), "after")
}

func TestConnectionsAreRefusedUntilItIsSwitchedOff(t *testing.T) {
	t.Parallel()
	p := faulty.Listen(t, "tcp", echo(t, "tcp", "127.0.0.1:0"))
	c := dial(t, p)
	wantEcho(t, c, "before")
	p.Refuse(true)
	for _, refused := range []net.Conn{c, dial(t, p)} {
		if heard, err := say(refused, "hello"); err == nil {
			t.Errorf("heard %q", heard)
		}
	}
	p.Refuse(false)
	wantEcho(t, dial(t, p), "after")
}

func TestAHoleDelaysEverythingAndLosesNothing(t *testing.T) {
	t.Parallel()
	p := faulty.Listen(t, "tcp", echo(t, "tcp", "127.0.0.1:0"))
	c := dial(t, p)
	wantEcho(t, c, "before")
	p.Hole(true)
	p.Hole(true) // a second call changes nothing
	fresh := dial(t, p)
	for _, silent := range []*net.TCPConn{c, fresh} {
		if _, err := io.WriteString(silent, "hello"); err != nil {
			t.Fatal(err)
		}
		_ = silent.SetReadDeadline(time.Now().Add(100 * time.Millisecond))
		if n, err := silent.Read(make([]byte, 1)); n > 0 || !errors.Is(err, os.ErrDeadlineExceeded) {
			t.Errorf("%d bytes came out of the hole, %v", n, err)
		}
		_ = silent.SetReadDeadline(time.Now().Add(testkit.Patience))
	}
	p.Hole(false)
	for _, silent := range []net.Conn{c, fresh} {
		heard := make([]byte, 5)
		if _, err := io.ReadFull(silent, heard); err != nil || string(heard) != "hello" {
			t.Errorf("after the hole: %q, %v", heard, err)
		}
	}
}

func TestAMissingServerEndsTheConnection(t *testing.T) {
	t.Parallel()
	p := faulty.Listen(t, "unix", filepath.Join(t.TempDir(), "nobody"))
	if heard, err := say(dial(t, p), "hello"); err == nil {
		t.Errorf("heard %q", heard)
	}
}

func TestCloseEndsConnectionsInAHole(t *testing.T) {
	t.Parallel()
	p := faulty.Listen(t, "tcp", echo(t, "tcp", "127.0.0.1:0"))
	c := dial(t, p)
	wantEcho(t, c, "before")
	p.Hole(true)
	if _, err := io.WriteString(c, strings.Repeat("x", 1<<20)); err != nil {
		t.Fatal(err)
	}
	p.Close()
	if n, err := c.Read(make([]byte, 1)); n > 0 || err == nil {
		t.Errorf("after Close: %d, %v", n, err)
	}
	if c, err := (&net.Dialer{}).DialContext(context.Background(), "tcp", p.Addr()); err == nil {
		_ = c.Close()
		t.Error("it still listens")
	}
}
