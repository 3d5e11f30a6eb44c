package live

import (
	"bufio"
	"context"
	"crypto/rand"
	"io"
	"net"
	"net/http"
	"net/http/httptest"
	"strings"
	"testing"
	"time"

	"golang.org/x/sys/unix"

	"github.com/carillonhq/carillon/internal/redistest"
	"github.com/carillonhq/carillon/internal/testkit"
)

// only returns the socket of the only stream of a user.
func (w *world) only(seq int64) (s *socket) {
	w.t.Helper()
	testkit.Eventually(w.t, "one stream", func() bool {
		shard := w.hub.shard(seq)
		shard.mu.Lock()
		defer shard.mu.Unlock()
		if u := shard.users[seq]; u != nil && len(u.conns) == 1 {
			s, _ = u.conns[0].out.(*socket)
		}
		return s != nil
	})
	return s
}

// onSockets returns a world for tests of sockets, which do not apply to streams in handlers.
func onSockets(t *testing.T, change func(*Config)) *world {
	t.Helper()
	return newWorld(t, redistest.Client(t), redistest.Space(t), func(c *Config) {
		c.inHandlers = false
		if change != nil {
			change(c)
		}
	})
}

func TestTheKernelLimitsTheMemoryAndTheSilenceOfAClient(t *testing.T) {
	t.Parallel()
	w := onSockets(t, nil)
	w.connect(7).expect("badge", badge(1, 0))
	s := w.only(7)
	s.mu.Lock()
	defer s.mu.Unlock()
	for name, o := range map[string]struct{ level, option, want int }{
		"ms without an acknowledgement": {unix.IPPROTO_TCP, unix.TCP_USER_TIMEOUT, 45_000},
		"bytes to send":                 {unix.SOL_SOCKET, unix.SO_SNDBUF, 2 * sendBuffer},
	} {
		if got, err := unix.GetsockoptInt(s.fd, o.level, o.option); err != nil || got != o.want {
			t.Errorf("%s: %d, %v, want %d", name, got, err, o.want)
		}
	}
}

func TestHeadAndFirstBadgeComeInOneRead(t *testing.T) {
	t.Parallel()
	w := onSockets(t, nil)
	c := w.raw(7)
	defer func() { _ = c.Close() }()
	b := make([]byte, 4096)
	n, err := c.Read(b)
	if err != nil || !strings.HasPrefix(string(b[:n]), "HTTP/1.1 200 OK\r\n") || !strings.Contains(string(b[:n]), "\r\nConnection: close\r\n") ||
		strings.Contains(string(b[:n]), "\r\nTransfer-Encoding:") || !strings.HasSuffix(string(b[:n]), "\nevent: badge\n\n") {
		t.Errorf("%v: %q", err, b[:n])
	}
}

// kept returns how many frames wait for the client to read, and whether a timer limits the wait.
func (s *socket) kept() (frames int, limited bool) {
	s.mu.Lock()
	defer s.mu.Unlock()
	return len(s.rest), s.timer != nil
}

func TestAClientThatReadsLateReceivesEverythingInOrder(t *testing.T) {
	t.Parallel()
	w := onSockets(t, func(c *Config) { c.Limits.QueueLen, c.Limits.Merge = 10_000, 1 })
	slow := w.raw(7)
	defer func() { _ = slow.Close() }()
	s := w.only(7)
	sent := int64(0)
	testkit.Eventually(t, "frames kept", func() bool {
		sent++
		w.change(7, 100+sent, sent, big)
		frames, limited := s.kept()
		return frames > 20 && limited
	})
	testkit.Eventually(t, "all changes received", func() bool { return w.held(7).Ver == 100+sent })
	go func() { _ = w.hub.Shutdown(deadline(t, limit)) }() // bye comes after the kept frames
	_ = slow.SetReadDeadline(time.Now().Add(limit))
	head := bufio.NewReader(slow)
	for line, err := "", error(nil); line != "\r\n"; line, err = head.ReadString('\n') {
		if err != nil {
			t.Fatal(err)
		}
	}
	notices, last := int64(0), event{}
	readEvents(head, func(e event) {
		if e.name == "badge" && notices > 0 && e.data != badge(100+notices, notices) {
			t.Errorf("after notice %d: %+v", notices, e)
		}
		if last = e; e.name == "notice" {
			notices++
		}
	})
	if notices != sent || last.name != "bye" {
		t.Errorf("%d notices of %d, and then %+v", notices, sent, last)
	}
	if cut := w.hub.Stats().Cut; cut != 0 {
		t.Errorf("%d clients cut", cut)
	}
}

// A frame that the client has read starts the time anew.
func TestOnlyAClientThatReadsNothingIsCut(t *testing.T) {
	t.Parallel()
	w := onSockets(t, func(c *Config) { c.Limits.QueueLen, c.Limits.Merge, c.Limits.WriteTimeout = 10_000, 1, time.Hour })
	slow := w.raw(7)
	defer func() { _ = slow.Close() }()
	s, sent := w.only(7), int64(0)
	testkit.Eventually(t, "frames kept", func() bool {
		sent++
		w.change(7, 100+sent, sent, big)
		frames, _ := s.kept()
		return frames > 20
	})
	age := func(d time.Duration) {
		s.mu.Lock()
		s.since = s.since.Add(-d)
		s.mu.Unlock()
		s.late()
	}
	age(59 * time.Minute)
	if s.left() {
		t.Fatal("cut before its time")
	}
	_ = slow.SetReadDeadline(time.Now().Add(limit))
	was, _ := s.kept()
	testkit.Eventually(t, "a frame written", func() bool {
		if _, err := io.CopyN(io.Discard, slow, 50_000); err != nil {
			t.Fatal(err)
		}
		now, _ := s.kept()
		return now < was
	})
	age(59 * time.Minute)
	if s.left() {
		t.Error("cut although it reads")
	}
	// Another frame may have gone into the room that was read: it starts the time anew as well.
	testkit.Eventually(t, "cut, as it does not read", func() bool {
		age(61 * time.Minute)
		return s.left()
	})
	testkit.Eventually(t, "the slot free", func() bool { return w.hub.Stats().Streams == 0 })
	if cut := w.hub.Stats().Cut; cut != 1 {
		t.Errorf("%d clients cut", cut)
	}
}

func TestAClientThatEndsItsSideOrSendsAnythingHasLeft(t *testing.T) {
	t.Parallel()
	w := onSockets(t, nil)
	for name, end := range map[string]func(*net.TCPConn) error{
		"closes":      func(c *net.TCPConn) error { return c.Close() },
		"half-closes": func(c *net.TCPConn) error { return c.CloseWrite() },
		"resets":      func(c *net.TCPConn) error { _ = c.SetLinger(0); return c.Close() },
		"sends":       func(c *net.TCPConn) error { _, err := c.Write([]byte("GET / HTTP/1.1\r\n\r\n")); return err },
	} {
		c, _ := w.raw(7).(*net.TCPConn)
		w.only(7)
		if err := end(c); err != nil {
			t.Errorf("%s: %v", name, err)
		}
		testkit.Eventually(t, name, func() bool { return w.hub.Stats().Streams == 0 })
		_ = c.Close()
	}
	if left := w.hub.sockets.Load().size(); left != 0 {
		t.Errorf("%d sockets left", left)
	}
}

func (x *sockets) size() int {
	x.mu.Lock()
	defer x.mu.Unlock()
	return len(x.all)
}

func TestAClientWhoseBufferIsFullMayLeave(t *testing.T) {
	t.Parallel()
	w := onSockets(t, func(c *Config) { c.Limits.QueueLen, c.Limits.Merge, c.Limits.WriteTimeout = 10_000, 1, time.Hour })
	stuck := w.raw(7)
	s, sent := w.only(7), int64(0)
	testkit.Eventually(t, "frames kept", func() bool {
		sent++
		w.change(7, 100+sent, sent, big)
		frames, _ := s.kept()
		return frames > 20
	})
	_ = stuck.Close()
	testkit.Eventually(t, "the slot free", func() bool { return w.hub.Stats().Streams == 0 })
	if frames, limited := s.kept(); frames != 0 || limited {
		t.Errorf("%d frames kept, timer %v", frames, limited)
	}
}

func TestStreamsOnAUnixSocketNeedNoGoroutine(t *testing.T) {
	t.Parallel()
	w := onSockets(t, nil)
	l, err := (&net.ListenConfig{}).Listen(t.Context(), "unix", "@"+rand.Text()) // abstract: it has no file
	if err != nil {
		t.Fatal(err)
	}
	srv := &httptest.Server{Listener: l, Config: &http.Server{Handler: w, ReadHeaderTimeout: limit}}
	srv.Start()
	t.Cleanup(srv.Close)
	client := &http.Client{Transport: &http.Transport{DialContext: func(ctx context.Context, _, _ string) (net.Conn, error) {
		return (&net.Dialer{}).DialContext(ctx, "unix", l.Addr().String())
	}}}
	s := open(t, client, request(t, "http://here/events", 7))
	s.expect("badge", badge(1, 0))
	w.only(7)
	w.change(7, 50, 1)
	s.expect("badge", badge(50, 1))
}
