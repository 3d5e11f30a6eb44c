package live

import (
	"bufio"
	"context"
	"errors"
	"fmt"
	"io"
	"net"
	"net/http"
	"net/http/httptest"
	"strings"
	"testing"
	"time"

	"github.com/carillonhq/carillon/internal/redistest"
	"github.com/carillonhq/carillon/internal/testkit"
	"github.com/carillonhq/carillon/notifier"
)

func TestTheFirstEventOfAStreamIsTheBadge(t *testing.T) {
	t.Parallel()
	w := newWorld(t, redistest.Client(t), redistest.Space(t), nil)
	w.state(7, 40, 3)
	s := w.connect(7)
	if e := s.next(); e.name != "badge" || e.id != "40" || e.data != badge(40, 3) {
		t.Errorf("first event %+v", e)
	}
	for name, want := range map[string]string{
		"Content-Type": "text/event-stream", "Cache-Control": "no-store",
		"X-Accel-Buffering": "no", "X-Content-Type-Options": "nosniff",
	} {
		if got := s.res.Header.Get(name); got != want {
			t.Errorf("%s: %q, want %q", name, got, want)
		}
	}
	if s.res.ContentLength != -1 || s.res.Header.Get("Date") == "" {
		t.Errorf("%+v", s.res)
	}
}

// raw connects a client that only writes its request.
func (w *world) raw(seq int64) net.Conn {
	w.t.Helper()
	var d net.Dialer
	c, err := d.DialContext(deadline(w.t, limit), "tcp", w.srv.Listener.Addr().String())
	if err != nil {
		w.t.Fatal(err)
	}
	if _, err = fmt.Fprintf(c, "GET /events HTTP/1.1\r\nHost: x\r\nX-Seq: %d\r\n\r\n", seq); err != nil {
		w.t.Fatal(err)
	}
	return c
}

func TestAChangeReachesAllStreamsOfItsUserOnly(t *testing.T) {
	t.Parallel()
	w := newWorld(t, redistest.Client(t), redistest.Space(t), nil)
	a, b, other := w.connect(7), w.connect(7), w.connect(8)
	for _, s := range []*stream{a, b, other} {
		s.expect("badge", badge(1, 0))
	}
	w.change(7, 50, 1, `notice 9 like:photo_id:1 {"type":"like","title":"Hi"}`)
	w.change(8, 60, 2)
	for _, s := range []*stream{a, b} {
		s.expect("notice", `{"key":"like:photo_id:1","id":9,"type":"like","title":"Hi"}`)
		s.expect("badge", badge(50, 1))
	}
	other.expect("badge", badge(60, 2))
}

func TestEventsOfAChangeKeepTheirOrder(t *testing.T) {
	t.Parallel()
	w := newWorld(t, redistest.Client(t), redistest.Space(t), nil)
	s := w.connect(7)
	s.expect("badge", badge(1, 0))
	w.change(7, 50, 4, "read a:1", "read a:2", "unread a:3", "upto 49", "removed a:4", `notice 3 a:5 {}`)
	s.expect("read", `{"keys":["a:1","a:2"]}`)
	s.expect("unread", `{"keys":["a:3"]}`)
	s.expect("read", `{"upto":49}`)
	s.expect("removed", `{"key":"a:4"}`)
	s.expect("notice", `{"key":"a:5","id":3}`)
	s.expect("badge", badge(50, 4))
}

func TestABurstToOneUserLosesNothing(t *testing.T) {
	t.Parallel()
	w := newWorld(t, redistest.Client(t), redistest.Space(t), nil)
	s := w.connect(7)
	const n = 1000
	for i := range int64(n) {
		w.change(7, 100+i, i+1, `notice 3 a:5 {}`)
	}
	for got := 0; got < n; {
		if s.next().name == "notice" {
			got++
		}
	}
	s.until("badge", badge(100+n-1, n))
}

func TestAClientThatReadsIsNeverCut(t *testing.T) {
	t.Parallel()
	w := newWorld(t, redistest.Client(t), redistest.Space(t), func(c *Config) { c.Limits.QueueLen = 4 })
	s := w.connect(7)
	s.expect("badge", badge(1, 0))
	for i := range int64(300) {
		w.change(7, 100+i, i)
		s.expect("badge", badge(100+i, i))
	}
	if got := w.hub.Stats(); got.Cut != 0 || got.Streams != 1 {
		t.Errorf("%+v", got)
	}
}

func TestAStreamReceivesNoChangeThatItsFirstBadgeIncludes(t *testing.T) {
	t.Parallel()
	w := newWorld(t, redistest.Client(t), redistest.Space(t), func(c *Config) {
		c.Limits.Merge = time.Hour // changes wait until something else flushes them
	})
	first := w.connect(7)
	first.expect("badge", badge(1, 0))
	w.change(7, 50, 1, "read a:1")
	first.expect("read", `{"keys":["a:1"]}`)
	first.expect("badge", badge(50, 1))
	w.change(7, 51, 2, "read a:2")
	w.change(7, 52, 3, "read a:3")
	testkit.Eventually(t, "the changes received", func() bool { return w.held(7).Ver == 52 })
	second := w.connect(7)
	second.expect("badge", badge(52, 3))
	first.expect("read", `{"keys":["a:2"]}`)
	first.expect("read", `{"keys":["a:3"]}`)
	first.expect("badge", badge(52, 3))
	if err := w.hub.Shutdown(deadline(t, time.Second)); err != nil {
		t.Error(err)
	}
	if rest := second.end(); len(rest) != 1 || rest[0].name != "bye" {
		t.Errorf("%+v", rest)
	}
}

// held returns the hub's cached badge of a user.
func (w *world) held(seq int64) notifier.Badge {
	s := w.hub.shard(seq)
	s.mu.Lock()
	defer s.mu.Unlock()
	return s.users[seq].badge
}

func TestTheRequestCannotInfluenceTheStream(t *testing.T) {
	t.Parallel()
	w := newWorld(t, redistest.Client(t), redistest.Space(t), nil)
	w.connect(8).expect("badge", badge(1, 0))
	for i, last := range []string{"17", "-1", "x", "99999999999999999999999", "a\tb", strings.Repeat("9", 4000), "ü"} {
		r := request(t, w.srv.URL+"/events?stream=1&stream=8", 7)
		r.Header.Set("Last-Event-ID", last)
		s := open(t, w.srv.Client(), r)
		if e := s.next(); e.name != "badge" {
			t.Fatalf("first event with Last-Event-ID %.20q: %+v", last, e)
		}
		w.change(8, int64(100+i), 5, "read a:stranger")
		w.change(7, int64(100+i), 6)
		s.expect("badge", badge(int64(100+i), 6))
		_ = s.res.Body.Close()
		testkit.Eventually(t, "the slot free again", func() bool { return w.hub.Stats().Streams == 1 })
	}
}

func TestLimitsRefuseBeforeAnythingIsWritten(t *testing.T) {
	t.Parallel()
	w := newWorld(t, redistest.Client(t), redistest.Space(t), func(c *Config) { c.Limits.Total = 10 })
	var first *stream
	for range 8 {
		first = w.connect(7)
	}
	refused(t, w, 7, "5") // the ninth stream of one user, while the others have just begun
	w.connect(8)
	w.connect(9)
	refused(t, w, 10, "10") // the eleventh in total
	_ = first.res.Body.Close()
	testkit.Eventually(t, "a free slot", func() bool { return w.hub.Stats().Streams == 9 })
	w.connect(7).expect("badge", badge(1, 0))
}

func refused(t *testing.T, w *world, seq int64, after string) {
	t.Helper()
	res, err := w.srv.Client().Do(request(t, w.srv.URL, seq))
	if err != nil {
		t.Fatal(err)
	}
	defer func() { _ = res.Body.Close() }()
	if res.StatusCode != http.StatusServiceUnavailable || res.Header.Get("Retry-After") != after {
		t.Errorf("status %d, Retry-After %q, want 503 and %q", res.StatusCode, res.Header.Get("Retry-After"), after)
	}
}

func TestThereIsNoStreamWithoutAUser(t *testing.T) {
	t.Parallel()
	h := New(Config{})
	for _, seq := range []int64{0, -1} {
		err := h.Serve(httptest.NewRecorder(), request(t, "/", 1), notifier.Reader{Seq: seq}, notifier.StreamOf{})
		if !errors.Is(err, notifier.ErrUnauthenticated) {
			t.Errorf("user %d: %v", seq, err)
		}
	}
}

func TestAClientThatLeavesWhileJoiningFreesItsSlot(t *testing.T) {
	t.Parallel()
	h := New(Config{Keys: redistest.Space(t)}) // Run is not running, so joining waits
	ctx, cancel := context.WithCancel(context.Background())
	cancel()
	err := h.Serve(httptest.NewRecorder(), request(t, "/", 1).WithContext(ctx), notifier.Reader{Seq: 1}, notifier.StreamOf{})
	if !errors.Is(err, context.Canceled) || h.Stats().Streams != 0 {
		t.Errorf("%v, %+v", err, h.Stats())
	}
}

func TestHTTP2StreamsRunInTheHandler(t *testing.T) {
	t.Parallel()
	w := newWorld(t, redistest.Client(t), redistest.Space(t), nil)
	srv := httptest.NewUnstartedServer(w)
	srv.EnableHTTP2 = true
	srv.StartTLS()
	t.Cleanup(srv.Close)
	s := open(t, srv.Client(), request(t, srv.URL, 7))
	if s.res.ProtoMajor != 2 || s.res.Header.Get("Content-Type") != "text/event-stream" {
		t.Fatalf("%s %v", s.res.Proto, s.res.Header)
	}
	s.expect("badge", badge(1, 0))
	w.change(7, 50, 1, `notice 9 a:1 {}`)
	s.expect("notice", `{"key":"a:1","id":9}`)
	s.expect("badge", badge(50, 1))
	_ = s.res.Body.Close()
	testkit.Eventually(t, "the end of the stream", func() bool { return w.hub.Stats().Streams == 0 })

	s = open(t, srv.Client(), request(t, srv.URL, 7))
	s.expect("badge", badge(50, 1))
	if err := w.hub.Shutdown(deadline(t, time.Second)); err != nil {
		t.Error(err)
	}
	if rest := s.end(); len(rest) != 1 || rest[0].name != "bye" {
		t.Errorf("%+v", rest)
	}
}

func TestHTTP1OverTLSStaysInItsHandler(t *testing.T) {
	t.Parallel()
	w := newWorld(t, redistest.Client(t), redistest.Space(t), nil)
	srv := httptest.NewTLSServer(w)
	t.Cleanup(srv.Close)
	s := open(t, srv.Client(), request(t, srv.URL, 7))
	s.expect("badge", badge(1, 0))
	if s.res.ProtoMajor != 1 || s.res.Close {
		t.Fatalf("%+v", s.res)
	}
	w.change(7, 50, 1)
	s.expect("badge", badge(50, 1))
}

// plain exposes only the three methods of http.ResponseWriter; flush also exposes Unwrap.
type plain struct{ w http.ResponseWriter }

func (p plain) Header() http.Header         { return p.w.Header() }
func (p plain) Write(b []byte) (int, error) { return p.w.Write(b) }
func (p plain) WriteHeader(code int)        { p.w.WriteHeader(code) }

type flushing struct{ plain }

func (f flushing) Flush() { _ = http.NewResponseController(f.w).Flush() }

type wrapped struct{ plain }

func (u wrapped) Unwrap() http.ResponseWriter { return u.w }

func TestWrappedWritersAndTheirHeadersWork(t *testing.T) {
	t.Parallel()
	w := newWorld(t, redistest.Client(t), redistest.Space(t), nil)
	for name, wrap := range map[string]func(http.ResponseWriter) http.ResponseWriter{
		"with Unwrap":    func(rw http.ResponseWriter) http.ResponseWriter { return wrapped{plain{rw}} },
		"without Unwrap": func(rw http.ResponseWriter) http.ResponseWriter { return flushing{plain{rw}} },
	} {
		srv := httptest.NewServer(http.HandlerFunc(func(rw http.ResponseWriter, r *http.Request) {
			rw.Header().Set("X-Test", "a\r\nX-Forged: b")
			w.ServeHTTP(wrap(rw), r)
		}))
		t.Cleanup(srv.Close)
		s := open(t, srv.Client(), request(t, srv.URL, 7))
		e := s.next()
		if e.name != "badge" || s.res.Header.Get("X-Test") == "" || s.res.Header.Get("X-Forged") != "" {
			t.Errorf("%s: %+v %v", name, e, s.res.Header)
		}
		w.change(7, time.Now().UnixMilli(), 1, "read a:1")
		s.expect("read", `{"keys":["a:1"]}`)
		_ = s.res.Body.Close()
	}
}

func TestHEADGetsHeadersOnly(t *testing.T) {
	t.Parallel()
	w := newWorld(t, redistest.Client(t), redistest.Space(t), nil)
	r := request(t, w.srv.URL, 7)
	r.Method = http.MethodHead
	res, err := w.srv.Client().Do(r)
	if err != nil {
		t.Fatal(err)
	}
	defer func() { _ = res.Body.Close() }()
	if b, _ := io.ReadAll(bufio.NewReader(res.Body)); res.StatusCode != http.StatusOK || len(b) != 0 {
		t.Errorf("status %d, body %q", res.StatusCode, b)
	}
}

func deadline(t testing.TB, d time.Duration) context.Context {
	t.Helper()
	ctx, cancel := context.WithTimeout(context.Background(), d)
	t.Cleanup(cancel)
	return ctx
}
