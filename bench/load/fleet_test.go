//go:build linux

package load

import (
	"bufio"
	"io"
	"net"
	"testing"
	"time"

	"github.com/carillonhq/carillon/internal/testkit"
)

const streamHead = "HTTP/1.1 200 OK\r\nContent-Type: text/event-stream\r\n\r\nevent: badge\ndata: {\"unread\":2,\"ver\":9,\"aver\":4}\n\n"

// streamServer accepts n connections, answers each as a stream and returns all of them once
// they are there.
func streamServer(t *testing.T, n int) (addr string, conns <-chan []net.Conn) {
	t.Helper()
	l, err := net.Listen("tcp4", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	all := make(chan []net.Conn, 1)
	go func() {
		var open []net.Conn
		for range n {
			c, err := l.Accept()
			if err != nil {
				break
			}
			if _, err := bufio.NewReader(c).ReadString('\n'); err == nil {
				_, _ = io.WriteString(c, streamHead)
			}
			open = append(open, c)
		}
		all <- open
	}()
	t.Cleanup(func() { _ = l.Close() })
	return l.Addr().String(), all
}

func testConfig(addr string, streams int) Config {
	return Config{
		Addr: addr, Streams: streams, Users: streams, Loops: 1, InFlight: 2, Sources: 2, Patience: testkit.Patience,
		Request: func(int) []byte { return []byte("GET /events HTTP/1.1\r\nHost: h\r\n\r\n") },
	}
}

func TestAStalledStreamIsMeasuredUntilItIsCut(t *testing.T) {
	t.Parallel()
	addr, conns := streamServer(t, 2)
	cfg := testConfig(addr, 2)
	cfg.Stalled = func(i int) bool { return i == 1 }
	fleet, o, err := Open(t.Context(), cfg)
	if err != nil || o.Opened != 2 {
		t.Fatalf("%d open: %v", o.Opened, err)
	}
	defer fleet.Close()
	for _, b := range fleet.Badges() {
		if want := (Badge{Unread: 2, Ver: 9, AVer: 4, Seen: 1}); b != want {
			t.Errorf("badge %+v, want %+v", b, want)
		}
	}
	open := <-conns
	if _, err := io.WriteString(open[1], "data: unread\n\n"); err != nil {
		t.Fatal(err)
	}
	testkit.Eventually(t, "a stream is stalled", func() bool { return fleet.Stalled()[1] > 0 })
	if err := open[1].(*net.TCPConn).SetLinger(0); err != nil {
		t.Fatal(err)
	}
	if err := open[1].Close(); err != nil {
		t.Fatal(err)
	}
	testkit.Eventually(t, "no stream is stalled", func() bool { return len(fleet.Stalled()) == 0 })
	if r := fleet.Result(); r.Dropped != 1 {
		t.Errorf("%d dropped, want one", r.Dropped)
	}
	_ = open[0].Close()
}

func TestARepeatedMarkIsShownOnce(t *testing.T) {
	t.Parallel()
	addr, conns := streamServer(t, 1)
	shown := make(chan Shown, 10)
	cfg := testConfig(addr, 1)
	cfg.Event, cfg.Shown = "toast", func(s Shown) { shown <- s }
	fleet, o, err := Open(t.Context(), cfg)
	if err != nil || o.Opened != 1 {
		t.Fatalf("%d open: %v", o.Opened, err)
	}
	defer fleet.Close()
	fleet.Begin(1)
	mark := Mark{Run: 1, Due: time.Unix(0, 7)}
	data := "data: {\"id\":\"5-1\",\"body\":\"" + string(mark.Append(nil)) + "\"}\n\n"
	open := <-conns
	defer func() { _ = open[0].Close() }()
	for _, name := range []string{"notice", "toast", "toast"} {
		if _, err := io.WriteString(open[0], "event: "+name+"\n"+data); err != nil {
			t.Fatal(err)
		}
	}
	testkit.Eventually(t, "a doubled event is counted", func() bool { return fleet.Result().Doubled == 1 })
	if r := fleet.Result(); r.Marks != 1 || len(shown) != 1 {
		t.Errorf("%d marks, %d shown; want one", r.Marks, len(shown))
	} else if got := <-shown; got != (Shown{ID: "5-1", Mark: mark}) {
		t.Errorf("shown %+v", got)
	}
}

func TestStreamsWithoutAnAnswerFail(t *testing.T) {
	t.Parallel()
	addr, conns := streamServer(t, 1) // the second is never accepted
	cfg := testConfig(addr, 2)
	cfg.Patience = 2 * time.Second
	fleet, o, err := Open(t.Context(), cfg)
	if err != nil {
		t.Fatal(err)
	}
	defer fleet.Close()
	if o.Opened != 1 || o.Failed != 1 || o.FirstErr == nil {
		t.Errorf("%d opened, %d failed (%v); want one of each", o.Opened, o.Failed, o.FirstErr)
	}
	_ = (<-conns)[0].Close()
}

func TestReloadsThatHangAreCounted(t *testing.T) {
	t.Parallel()
	addr, conns := streamServer(t, 4)
	hung, err := Reloads(t.Context(), testConfig(addr, 4), 4, 2, testkit.Patience)
	if err != nil || hung != 0 {
		t.Errorf("%d hung, %v; want none", hung, err)
	}
	for _, c := range <-conns {
		_ = c.Close()
	}
	if hung, err = Reloads(t.Context(), testConfig(addr, 4), 1, 1, 200*time.Millisecond); hung != 1 || err == nil {
		t.Errorf("%d hung, %v; want the one without an answer", hung, err)
	}
}
