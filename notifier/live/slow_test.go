package live

import (
	"context"
	"fmt"
	"io"
	"net"
	"net/http/httptest"
	"runtime/pprof"
	"slices"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/carillonhq/carillon/internal/redistest"
	"github.com/carillonhq/carillon/internal/testkit"
)

// big is a notice so large that few fit into a socket buffer.
var big = `notice 3 a:1 {"body":"` + strings.Repeat("x", 60_000) + `"}`

func TestAClientThatDoesNotReadIsCutWithoutAffectingOthers(t *testing.T) {
	t.Parallel()
	w := newWorld(t, redistest.Client(t), redistest.Space(t), func(c *Config) {
		c.Limits.WriteTimeout = time.Second
		c.Limits.QueueLen = 10_000 // only the deadline can disconnect the client
	})
	stuck := w.raw(7)
	defer func() { _ = stuck.Close() }()
	good := w.connect(7)
	good.expect("badge", badge(1, 0))
	testkit.Eventually(t, "two streams", func() bool { return w.hub.Stats().Streams == 2 })

	sent := int64(0)
	testkit.Eventually(t, "the stuck client cut", func() bool {
		sent++
		w.change(7, 100+sent, sent, big)
		if e := good.next(); e.name != "notice" {
			t.Fatalf("instead of notice %d the other client received %+v", sent, e)
		}
		good.expect("badge", badge(100+sent, sent))
		return w.hub.Stats().Streams == 1
	})
	if cut := w.hub.Stats().Cut; cut != 1 {
		t.Errorf("%d clients cut", cut)
	}
	wasCut(t, stuck)
}

// wasCut checks that the server reset a connection. A stream in its handler can only be closed.
func wasCut(t *testing.T, c net.Conn) {
	t.Helper()
	if _, err := io.Copy(io.Discard, c); err == nil && !inHandlers {
		t.Error("the connection was closed in order, want it cut")
	}
}

func TestAQueueOverflowCutsTheClientAtOnce(t *testing.T) {
	t.Parallel()
	w := newWorld(t, redistest.Client(t), redistest.Space(t), func(c *Config) {
		c.Limits.WriteTimeout = time.Hour // only the queue can disconnect the client
		c.Limits.QueueLen = 4
		c.Limits.Merge = 1
	})
	stuck := w.raw(7)
	defer func() { _ = stuck.Close() }()
	testkit.Eventually(t, "one stream", func() bool { return w.hub.Stats().Streams == 1 })
	sent := int64(0)
	testkit.Eventually(t, "the client cut", func() bool {
		sent++
		w.change(7, 100+sent, sent, big)
		return w.hub.Stats().Streams == 0
	})
	if cut := w.hub.Stats().Cut; cut != 1 {
		t.Errorf("%d clients cut after %d events", cut, sent)
	}
}

func TestAStuckHTTP2ClientIsCut(t *testing.T) {
	t.Parallel()
	w := newWorld(t, redistest.Client(t), redistest.Space(t), func(c *Config) {
		c.Limits.WriteTimeout = 300 * time.Millisecond
		c.Limits.QueueLen = 10_000
	})
	srv := httptest.NewUnstartedServer(w)
	srv.EnableHTTP2 = true
	srv.StartTLS()
	t.Cleanup(srv.Close)
	res, err := srv.Client().Do(request(t, srv.URL, 7)) // it never reads
	if err != nil {
		t.Fatal(err)
	}
	defer func() { _ = res.Body.Close() }()
	sent := int64(0)
	testkit.Eventually(t, "the client cut", func() bool {
		sent++
		w.change(7, 100+sent, sent, big)
		return w.hub.Stats().Streams == 0
	})
}

// Not parallel: it counts the goroutines of the whole process.
func TestTwoThousandStreamsLeakNoGoroutine(t *testing.T) {
	w := newWorld(t, redistest.Client(t), redistest.Space(t), func(c *Config) {
		c.Limits.Linger = 50 * time.Millisecond
		c.Limits.Heartbeat = 200 * time.Millisecond
	})
	w.connect(7).expect("badge", badge(1, 0))
	// A stream needs only some of the hub's parts, so the others may start after it.
	testkit.Eventually(t, "all parts of the hub run", func() bool { return goroutines("live.(*Hub).Run+", "errgroup.(*Group).Wait") == 1 })
	counted := func() int { return goroutines("r3labs/sse") + goroutines("live.(*Hub)") }
	before := counted()
	var wg sync.WaitGroup
	for g := range int64(20) {
		wg.Go(func() {
			for i := range int64(100) {
				c := w.raw(100 + g*50 + i%50)
				b := make([]byte, 1<<10)
				if i%2 == 0 { // half of them leave without waiting for the response
					_ = c.SetReadDeadline(time.Now().Add(limit))
					if n, err := c.Read(b); err != nil || !strings.Contains(string(b[:n]), "event: badge") {
						t.Errorf("%v: %q", err, b[:n])
					}
				}
				_ = c.Close()
			}
		})
	}
	wg.Wait()
	testkit.Eventually(t, "all streams and users gone", func() bool {
		s := w.hub.Stats()
		return s.Streams == 1 && s.Users == 1
	})
	testkit.Eventually(t, "all goroutines ended", func() bool { return counted() <= before })
	ps, err := w.rdb.PubSubNumSub(context.Background(), w.keys.LiveUser(100), w.keys.LiveUser(7)).Result()
	if err != nil || ps[w.keys.LiveUser(100)] != 0 || ps[w.keys.LiveUser(7)] != 1 {
		t.Errorf("%v: still subscribed to %v", err, ps)
	}
}

// goroutines counts the goroutines whose stack has all of these names.
func goroutines(names ...string) (n int) {
	var b strings.Builder
	_ = pprof.Lookup("goroutine").WriteTo(&b, 1)
	for _, g := range strings.Split(b.String(), "\n\n") {
		if !slices.ContainsFunc(names, func(name string) bool { return !strings.Contains(g, name) }) {
			var same int
			_, _ = fmt.Sscan(g, &same)
			n += same
		}
	}
	return n
}

func TestShutdownEndsFourHundredStreamsWithABye(t *testing.T) {
	t.Parallel()
	w := newWorld(t, redistest.Client(t), redistest.Space(t), nil)
	streams := make([]*stream, 400)
	for i := range streams {
		streams[i] = w.connect(int64(1 + i/2))
		streams[i].expect("badge", badge(1, 0))
	}
	if err := w.hub.Shutdown(deadline(t, time.Second)); err != nil {
		t.Fatal(err)
	}
	retries := map[string]bool{}
	for _, s := range streams {
		rest := s.end()
		if len(rest) != 1 || rest[0].name != "bye" || rest[0].data != `{"retry":`+rest[0].retry+`}` {
			t.Fatalf("%+v", rest)
		}
		retries[rest[0].retry] = true
	}
	if len(retries) < 100 {
		t.Errorf("only %d different delays: all clients would reconnect at once", len(retries))
	}
	refused(t, w, 1, "")
}

func TestShutdownCutsAClientThatDoesNotRead(t *testing.T) {
	t.Parallel()
	w := newWorld(t, redistest.Client(t), redistest.Space(t), func(c *Config) {
		c.Limits.WriteTimeout = time.Hour
		c.Limits.QueueLen = 10_000
	})
	stuck := w.raw(7)
	defer func() { _ = stuck.Close() }()
	testkit.Eventually(t, "one stream", func() bool { return w.hub.Stats().Streams == 1 })
	for i := range int64(400) { // more than the buffers of both kernels
		w.change(7, 100+i, i, big)
	}
	testkit.Eventually(t, "all changes received", func() bool { return w.held(7).Ver == 499 })
	// The point is that Shutdown returns at all: the blocked write would last an hour.
	if err := w.hub.Shutdown(deadline(t, 200*time.Millisecond)); err == nil {
		t.Error("everything was written to a client that does not read")
	}
}

func TestShutdownCutsAStuckHTTP2Client(t *testing.T) {
	t.Parallel()
	w := newWorld(t, redistest.Client(t), redistest.Space(t), func(c *Config) {
		c.Limits.WriteTimeout = time.Hour
		c.Limits.QueueLen = 10_000
	})
	srv := httptest.NewUnstartedServer(w)
	srv.EnableHTTP2 = true
	srv.StartTLS()
	t.Cleanup(srv.Close)
	res, err := srv.Client().Do(request(t, srv.URL, 7))
	if err != nil {
		t.Fatal(err)
	}
	defer func() { _ = res.Body.Close() }()
	for i := range int64(200) { // more than HTTP/2 buffers at the client
		w.change(7, 100+i, i, big)
	}
	testkit.Eventually(t, "all changes received", func() bool { return w.held(7).Ver == 299 })
	// The point is that Shutdown returns at all: the blocked write would last an hour.
	if err := w.hub.Shutdown(deadline(t, 200*time.Millisecond)); err == nil {
		t.Error("everything was written to a client that does not read")
	}
}
