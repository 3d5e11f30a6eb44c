package live

import (
	"bufio"
	"context"
	"errors"
	"fmt"
	"io"
	"math"
	"net/http"
	"net/http/httptest"
	"os"
	"runtime"
	"strconv"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/redis/go-redis/v9"
	"go.uber.org/goleak"

	"github.com/carillonhq/carillon/internal/redistest"
	"github.com/carillonhq/carillon/notifier"
	"github.com/carillonhq/carillon/notifier/keys"
)

func TestMain(m *testing.M) { goleak.VerifyTestMain(redistest.Wrap(twice{m})) }

// inHandlers has the hubs of newWorld keep all streams in their handlers.
var inHandlers bool

// twice runs all tests with streams on sockets, where the system has them, and again with streams in handlers.
type twice struct{ once *testing.M }

func (t twice) Run() int {
	code := t.once.Run()
	if runtime.GOOS != "linux" {
		return code
	}
	_, _ = os.Stderr.WriteString("again, with streams in handlers\n")
	inHandlers = true
	return max(code, t.once.Run())
}

const limit = time.Minute // for anything that should happen at once

// badgeFunc implements Badges with a function.
type badgeFunc func(ctx context.Context, readers []notifier.Reader) ([]notifier.Badge, error)

func (f badgeFunc) Badges(ctx context.Context, readers []notifier.Reader) ([]notifier.Badge, error) {
	return f(ctx, readers)
}

type aliveFunc func(ctx context.Context, ids []string) (map[string]notifier.Audience, error)

func (f aliveFunc) Alive(ctx context.Context, ids []string) (map[string]notifier.Audience, error) {
	return f(ctx, ids)
}

// stateBadges reads the state hashes, as inbox does; a user without one has ver 1.
func stateBadges(rdb redis.UniversalClient, k keys.Space) badgeFunc {
	return func(ctx context.Context, readers []notifier.Reader) ([]notifier.Badge, error) {
		cmds := make([]*redis.SliceCmd, len(readers))
		_, err := rdb.Pipelined(ctx, func(p redis.Pipeliner) error {
			for i, r := range readers {
				cmds[i] = p.HMGet(ctx, k.State(r.Seq), "unread", "ver")
			}
			return nil
		})
		out := make([]notifier.Badge, len(readers))
		for i, c := range cmds {
			unread, _ := c.Val()[0].(string)
			ver, _ := c.Val()[1].(string)
			out[i].Inbox, _ = strconv.ParseInt(unread, 10, 64)
			out[i].Ver, _ = strconv.ParseInt(ver, 10, 64)
			out[i].Ver, out[i].Unread = max(out[i].Ver, 1), out[i].Inbox
		}
		return out, err
	}
}

// world is a hub on a Redis, behind a real HTTP server.
type world struct {
	t     testing.TB
	rdb   redis.UniversalClient
	keys  keys.Space
	hub   *Hub
	srv   *httptest.Server
	stop  context.CancelFunc
	ended chan error
}

// newWorld starts a hub; change may adjust its configuration first.
func newWorld(t testing.TB, rdb redis.UniversalClient, k keys.Space, change func(*Config)) *world {
	t.Helper()
	cfg := Config{Redis: rdb, Keys: k, Badges: stateBadges(rdb, k), Audiences: []notifier.Audience{1, 2, 3}, inHandlers: inHandlers}
	cfg.Limits.Check = time.Hour // a badge that is read for a check may overtake the event of a change
	if change != nil {
		change(&cfg)
	}
	w := &world{t: t, rdb: rdb, keys: k, hub: New(cfg), ended: make(chan error, 1)}
	ctx, cancel := context.WithCancel(context.Background())
	w.stop = cancel
	go func() { w.ended <- w.hub.Run(ctx) }()
	w.srv = httptest.NewUnstartedServer(w)
	w.srv.EnableHTTP2 = true
	w.srv.Start()
	t.Cleanup(func() {
		cancel()
		if err := <-w.ended; err != nil {
			t.Errorf("Run: %v", err)
		}
		w.srv.CloseClientConnections()
		w.srv.Close()
	})
	return w
}

// ServeHTTP stands in for the handler. The headers X-Seq, X-Audience (default 1) and X-Session replace the
// session, and X-Visible, X-Toasts-Off, X-No-Toasts and X-Until (ms) for the other fields of notifier.StreamOf.
func (w *world) ServeHTTP(rw http.ResponseWriter, r *http.Request) {
	seq, _ := strconv.ParseInt(r.Header.Get("X-Seq"), 10, 64)
	of := notifier.StreamOf{
		Session: r.Header.Get("X-Session"), Visible: r.Header.Get("X-Visible") != "", ToastsOff: r.Header.Get("X-Toasts-Off") != "", NoToasts: r.Header.Get("X-No-Toasts") != "",
	}
	if n, err := strconv.ParseInt(r.Header.Get("X-Until"), 10, 64); err == nil {
		of.Until = time.UnixMilli(n)
	}
	err := w.hub.Serve(rw, r, notifier.Reader{Seq: seq, Audience: audienceOf(r)}, of)
	var full *notifier.TooManyError
	switch {
	case err == nil:
		return
	case errors.As(err, &full):
		rw.Header().Set("Retry-After", strconv.Itoa(int(math.Ceil(full.RetryAfter.Seconds()))))
		rw.WriteHeader(http.StatusServiceUnavailable)
	case errors.Is(err, notifier.ErrUnavailable):
		rw.WriteHeader(http.StatusServiceUnavailable)
	case errors.Is(err, notifier.ErrUnauthenticated):
		rw.WriteHeader(http.StatusUnauthorized)
	default:
		rw.WriteHeader(http.StatusInternalServerError)
	}
	_, _ = io.WriteString(rw, err.Error())
}

func audienceOf(r *http.Request) notifier.Audience {
	n, err := strconv.Atoi(r.Header.Get("X-Audience"))
	if err != nil {
		return 1
	}
	return notifier.Audience(n)
}

// change stores a user's counts and publishes them with events, as a script does.
func (w *world) change(seq, ver, unread int64, events ...string) {
	w.t.Helper()
	ctx := context.Background()
	w.state(seq, ver, unread)
	text := strings.Join(append([]string{fmt.Sprintf("%d %d", ver, unread)}, events...), "\n")
	if err := w.rdb.Publish(ctx, w.keys.LiveUser(seq), text).Err(); err != nil {
		w.t.Fatal(err)
	}
}

// state stores a user's counts without publishing them.
func (w *world) state(seq, ver, unread int64) {
	w.t.Helper()
	if err := w.rdb.HSet(context.Background(), w.keys.State(seq), "ver", ver, "unread", unread).Err(); err != nil {
		w.t.Fatal(err)
	}
}

// stream is a connected client.
type stream struct {
	t      testing.TB
	res    *http.Response
	events chan event // closed when the stream ends
}

// event is a dispatched event, or a comment (name ":").
type event struct{ name, id, data, retry string }

func request(t testing.TB, url string, seq int64) *http.Request {
	t.Helper()
	r, err := http.NewRequestWithContext(context.Background(), http.MethodGet, url, http.NoBody)
	if err != nil {
		t.Fatal(err)
	}
	r.Header.Set("X-Seq", strconv.FormatInt(seq, 10))
	return r
}

func (w *world) connect(seq int64) *stream {
	w.t.Helper()
	return open(w.t, w.srv.Client(), request(w.t, w.srv.URL, seq))
}

func open(t testing.TB, c *http.Client, r *http.Request) *stream {
	t.Helper()
	res, err := c.Do(r)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = res.Body.Close() })
	if res.StatusCode != http.StatusOK {
		b, _ := io.ReadAll(res.Body)
		t.Fatalf("status %d: %s", res.StatusCode, b)
	}
	s := &stream{t: t, res: res, events: make(chan event, 10_000)}
	go func() {
		defer close(s.events)
		readEvents(res.Body, func(e event) { s.events <- e })
	}()
	return s
}

// readEvents parses as the specification of server-sent events requires: lines end in CR, LF or
// both; an empty line dispatches an event that has data.
func readEvents(r io.Reader, emit func(event)) {
	var e event
	var data []string
	seen := false
	lines := bufio.NewReader(r)
	for {
		line, err := readLine(lines)
		if err != nil {
			return
		}
		field, value, _ := strings.Cut(line, ":")
		value = strings.TrimPrefix(value, " ")
		switch {
		case line == "":
			if seen {
				e.data = strings.Join(data, "\n")
				emit(e)
			}
			e, data, seen = event{id: e.id}, nil, false
		case field == "":
			emit(event{name: ":", data: value})
		case field == "data":
			data, seen = append(data, value), true
		case field == "event":
			e.name = value
		case field == "id":
			e.id = value
		case field == "retry":
			e.retry = value
		default:
			emit(event{name: "forged field " + field, data: value})
		}
	}
}

func readLine(r *bufio.Reader) (string, error) {
	var b strings.Builder
	for {
		c, err := r.ReadByte()
		if err != nil {
			return "", err
		}
		switch c {
		case '\r':
			if next, err := r.Peek(1); err == nil && next[0] == '\n' {
				_, _ = r.ReadByte()
			}
			return b.String(), nil
		case '\n':
			return b.String(), nil
		}
		b.WriteByte(c)
	}
}

// next returns the next event that is not a comment; the test fails if none arrives.
func (s *stream) next() event {
	s.t.Helper()
	deadline := time.After(limit)
	for {
		select {
		case e, ok := <-s.events:
			if !ok {
				s.t.Fatal("the stream ended")
			}
			if e.name != ":" {
				return e
			}
		case <-deadline:
			s.t.Fatal("no event arrived")
		}
	}
}

// expect compares the next event.
func (s *stream) expect(name, data string) {
	s.t.Helper()
	if e := s.next(); e.name != name || e.data != data {
		s.t.Fatalf("got event %s %s, want %s %s", e.name, e.data, name, data)
	}
}

// until skips to an event with this name and data.
func (s *stream) until(name, data string) {
	s.t.Helper()
	for e := s.next(); e.name != name || e.data != data; {
		e = s.next()
	}
}

// end waits for the end of the stream and returns the events before it.
func (s *stream) end() (rest []event) {
	s.t.Helper()
	deadline := time.After(limit)
	for {
		select {
		case e, ok := <-s.events:
			if !ok {
				return rest
			}
			rest = append(rest, e)
		case <-deadline:
			s.t.Fatal("the stream did not end")
		}
	}
}

// badge returns the data of a badge event of a user without announcements.
func badge(ver, unread int64) string {
	return fmt.Sprintf(`{"unread":%d,"inbox":%d,"announcements":0,"ver":%d,"aver":0}`, unread, unread, ver)
}

// half is the announcements' half of a badge.
type half struct{ aver, unread int64 }

// board is a Badges whose contents a test sets. A user without their own half has their audience's half, or
// else start.
type board struct {
	mu        sync.Mutex
	ann       map[int64]half
	audiences map[notifier.Audience]half
	start     half
	asked     []notifier.Reader
}

func (b *board) Badges(_ context.Context, readers []notifier.Reader) ([]notifier.Badge, error) {
	b.mu.Lock()
	defer b.mu.Unlock()
	b.asked = append(b.asked, readers...)
	out := make([]notifier.Badge, len(readers))
	for i, r := range readers {
		h, ok := b.ann[r.Seq]
		if !ok {
			h, ok = b.audiences[r.Audience]
		}
		if !ok {
			h = b.start
		}
		out[i] = notifier.Badge{Unread: h.unread, Announcements: h.unread, Ver: 1, AVer: h.aver}
	}
	return out, nil
}

// reads returns how many badges have been read.
func (b *board) reads() int {
	b.mu.Lock()
	defer b.mu.Unlock()
	return len(b.asked)
}

// set stores the half of a user.
func (b *board) set(seq, aver, unread int64) {
	b.mu.Lock()
	defer b.mu.Unlock()
	if b.ann == nil {
		b.ann = make(map[int64]half)
	}
	b.ann[seq] = half{aver, unread}
}

// publishTurn publishes a turn of an audience, as the announcement scripts do.
func (w *world) publishTurn(a notifier.Audience, aver, before int64, events ...string) {
	w.t.Helper()
	w.publish(w.keys.LiveAudience(a), append([]string{fmt.Sprintf("%d %d", aver, before)}, events...)...)
}

// publishMarks publishes a user's marks.
func (w *world) publishMarks(seq, aver, unread int64, line string) {
	w.t.Helper()
	w.publish(w.keys.LiveUser(seq), fmt.Sprintf("A %d %d", aver, unread), line)
}

func (w *world) publish(channel string, lines ...string) {
	w.t.Helper()
	if err := w.rdb.Publish(context.Background(), channel, strings.Join(lines, "\n")).Err(); err != nil {
		w.t.Fatal(err)
	}
}
