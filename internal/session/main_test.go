package session_test

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"log/slog"
	"net/http"
	"net/http/httptest"
	"slices"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/gorilla/sessions"
	"github.com/redis/go-redis/v9"
	"go.uber.org/goleak"

	"github.com/carillonhq/carillon/internal/redistest"
	"github.com/carillonhq/carillon/internal/session"
	"github.com/carillonhq/carillon/notifier"
	"github.com/carillonhq/carillon/store"
)

func TestMain(m *testing.M) { goleak.VerifyTestMain(redistest.Wrap(m)) }

// bench holds the servers and the clock of one test, which may open any number of session stores
// with them.
type bench struct {
	sql   *store.Store
	alice notifier.User
	bob   notifier.User
	cfg   session.Config

	mu sync.Mutex
	at time.Time
}

// held makes the next copy that a client writes, after SQL was read, wait until release is closed. reached is closed
// once it waits.
type held struct {
	once             sync.Once
	reached, release chan struct{}
}

func hold(rdb redis.UniversalClient) *held {
	h := &held{reached: make(chan struct{}), release: make(chan struct{})}
	rdb.AddHook(h)
	return h
}

// DialHook is part of redis.Hook.
func (h *held) DialHook(next redis.DialHook) redis.DialHook { return next }

// ProcessHook is part of redis.Hook.
func (h *held) ProcessHook(next redis.ProcessHook) redis.ProcessHook { return next }

// ProcessPipelineHook is part of redis.Hook. The time limits of calls to Redis exclude the wait.
func (h *held) ProcessPipelineHook(next redis.ProcessPipelineHook) redis.ProcessPipelineHook {
	return func(ctx context.Context, calls []redis.Cmder) error {
		if slices.ContainsFunc(calls, writesCopy) {
			h.once.Do(func() {
				close(h.reached)
				<-h.release
				ctx = context.WithoutCancel(ctx)
			})
		}
		return next(ctx, calls)
	}
}

// writesCopy reports whether a call sets a copy, which has several lines; the other values have one.
func writesCopy(c redis.Cmder) bool {
	return strings.HasPrefix(c.Name(), "set") && strings.Contains(fmt.Sprint(c.Args()...), "\n")
}

func setUp(t *testing.T) *bench {
	t.Helper()
	db, err := store.Open(t.Context(), store.Config{DataDir: t.TempDir()})
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = db.Close() })
	b := &bench{sql: db, at: time.Now()}
	for name, u := range map[string]*notifier.User{"alice": &b.alice, "böb\u00a0|{}": &b.bob} {
		*u, err = db.CreateUser(t.Context(), notifier.NewUser{Name: name, Audience: 3, Locale: "ja", Roles: []string{"picker", "staff"}})
		if err != nil {
			t.Fatal(err)
		}
	}
	b.cfg = session.Config{
		Keys: [][]byte{key(1)}, SQL: b.sql, Redis: redistest.Client(t), Space: redistest.Space(t), Now: b.now,
	}
	return b
}

func (b *bench) now() time.Time {
	b.mu.Lock()
	defer b.mu.Unlock()
	return b.at
}

func (b *bench) move(d time.Duration) {
	b.mu.Lock()
	defer b.mu.Unlock()
	b.at = b.at.Add(d)
}

// open opens the store of one instance.
func (b *bench) open() *session.Sessions { return session.New(b.cfg) }

func key(n byte) []byte { return bytes.Repeat([]byte{n}, 32) }

// signIn signs a user in and returns the cookie.
func signIn(t *testing.T, s *session.Sessions, u notifier.User, carried ...*http.Cookie) *http.Cookie {
	t.Helper()
	w := httptest.NewRecorder()
	if err := begin(t, s, w, u, carried...); err != nil {
		t.Fatalf("sign in: %v", err)
	}
	return only(t, w)
}

// begin saves a new session of a user.
func begin(t *testing.T, s *session.Sessions, w http.ResponseWriter, u notifier.User, carried ...*http.Cookie) error {
	t.Helper()
	fresh := sessions.NewSession(s, "carillon")
	fresh.Options, fresh.Values[notifier.SessionUser] = &sessions.Options{}, session.Signed{User: u}
	return fresh.Save(request(t, carried...), w)
}

// signOut ends the session of the request that carries these cookies.
func signOut(t *testing.T, s *session.Sessions, w http.ResponseWriter, carried ...*http.Cookie) error {
	t.Helper()
	over := sessions.NewSession(s, "carillon")
	over.Options = &sessions.Options{MaxAge: -1}
	return over.Save(request(t, carried...), w)
}

// signedIn returns the user of a request.
func signedIn(s *session.Sessions, r *http.Request) (session.Signed, bool, error) {
	found, err := s.Get(r, "carillon")
	signed, ok := found.Values[notifier.SessionUser].(session.Signed)
	return signed, ok, err
}

// only returns the single cookie of a response.
func only(t *testing.T, w *httptest.ResponseRecorder) *http.Cookie {
	t.Helper()
	res := w.Result()
	defer func() { _ = res.Body.Close() }()
	set := res.Cookies()
	if len(set) != 1 {
		t.Fatalf("response sets %d cookies; want 1", len(set))
	}
	return set[0]
}

func request(t *testing.T, carried ...*http.Cookie) *http.Request {
	t.Helper()
	r := httptest.NewRequestWithContext(t.Context(), http.MethodGet, "/inbox", http.NoBody)
	for _, c := range carried {
		r.AddCookie(c)
	}
	return r
}

// current fails the test if SQL is unavailable.
func current(t *testing.T, s *session.Sessions, carried ...*http.Cookie) (session.Signed, bool) {
	t.Helper()
	signed, ok, err := signedIn(s, request(t, carried...))
	if err != nil {
		t.Fatalf("current: %v", err)
	}
	return signed, ok
}

func wantSigned(t *testing.T, s *session.Sessions, c *http.Cookie, what string) session.Signed {
	t.Helper()
	signed, ok := current(t, s, c)
	if !ok {
		t.Errorf("%s: no user is signed in", what)
	}
	return signed
}

func wantAnonymous(t *testing.T, s *session.Sessions, c *http.Cookie, what string) {
	t.Helper()
	if signed, ok := current(t, s, c); ok {
		t.Errorf("%s: user %d is signed in", what, signed.User.Seq)
	}
}

func wantIs(t *testing.T, err, want error) {
	t.Helper()
	if !errors.Is(err, want) {
		t.Errorf("error = %v; want %v", err, want)
	}
}

// limited returns a client that stops waiting when its context ends, as Config requires.
func limited(t *testing.T, network, addr string) *redis.Client {
	t.Helper()
	c := redis.NewClient(&redis.Options{Network: network, Addr: addr, ContextTimeoutEnabled: true, DisableIdentity: true})
	t.Cleanup(func() { _ = c.Close() })
	return c
}

// lines is a log that a test can read.
type lines struct {
	mu   sync.Mutex
	text bytes.Buffer
}

func (l *lines) Write(p []byte) (int, error) {
	l.mu.Lock()
	defer l.mu.Unlock()
	return l.text.Write(p)
}

func (l *lines) String() string {
	l.mu.Lock()
	defer l.mu.Unlock()
	return l.text.String()
}

func (l *lines) logger() *slog.Logger { return slog.New(slog.NewTextHandler(l, nil)) }
