package hook_test

import (
	"bytes"
	"context"
	"io"
	"log/slog"
	"net/http"
	"net/http/httptest"
	"net/netip"
	"os"
	"sync"
	"testing"
	"time"

	standardwebhooks "github.com/standard-webhooks/standard-webhooks/libraries/go"
	"go.uber.org/goleak"

	"github.com/carillonhq/carillon/internal/lease"
	"github.com/carillonhq/carillon/internal/outbound"
	"github.com/carillonhq/carillon/notifier"
	"github.com/carillonhq/carillon/notifier/hook"
	"github.com/carillonhq/carillon/store"
)

func TestMain(m *testing.M) {
	if dir := os.Getenv(senderDir); dir != "" {
		if err := runSender(dir); err != nil {
			panic(err)
		}
		return
	}
	goleak.VerifyTestMain(m)
}

var staff = notifier.Actor{Ref: notifier.CommandRef("command line")}

var sessionKey = bytes.Repeat([]byte("k"), 32)

// world is a store with a stage that sends its events to this machine.
type world struct {
	t     testing.TB
	db    *store.Store
	hooks *hook.Hooks
	stage *hook.Stage
	log   *bytes.Buffer

	config hook.StageConfig

	mu     sync.Mutex
	at     time.Time
	alarms []string
	alarm  error // what the next alarm returns
}

func (w *world) now() time.Time {
	w.mu.Lock()
	defer w.mu.Unlock()
	return w.at
}

func (w *world) move(d time.Duration) {
	w.mu.Lock()
	defer w.mu.Unlock()
	w.at = w.at.Add(d)
}

// newWorld makes a world. The functions in change adjust the stage's configuration.
func newWorld(t *testing.T, change ...func(*hook.StageConfig)) *world {
	t.Helper()
	return newWorldIn(t, t.TempDir(), change...)
}

// newWorldIn is newWorld with a data directory.
func newWorldIn(t testing.TB, dir string, change ...func(*hook.StageConfig)) *world {
	t.Helper()
	w := &world{t: t, at: time.Now().Truncate(time.Millisecond), log: &bytes.Buffer{}}
	db, err := store.Open(t.Context(), store.Config{DataDir: dir, Now: w.now})
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = db.Close() })
	w.db = db
	w.hooks = w.newHooks(sessionKey)
	allow := []netip.Prefix{netip.MustParsePrefix("127.0.0.0/8")}
	plain, public := outbound.Dialer{Allow: allow, Only: true}.Transport(nil), outbound.Dialer{}.Transport(nil)
	t.Cleanup(plain.CloseIdleConnections)
	t.Cleanup(public.CloseIdleConnections)
	c := hook.StageConfig{
		Store: db, Hooks: w.hooks, Client: hook.NewClient(public), Plain: hook.NewClient(plain), Leases: lease.Alone, Now: w.now,
		Log: slog.New(slog.NewTextHandler(w.log, nil)),
		Alarm: func(_ context.Context, h *notifier.Hook, why notifier.HookOff) error {
			w.alarms = append(w.alarms, h.Name+" "+string(why))
			return w.alarm
		},
	}
	for _, f := range change {
		f(&c)
	}
	w.config, w.stage = c, hook.NewStage(c)
	return w
}

func (w *world) newHooks(keys ...[]byte) *hook.Hooks {
	w.t.Helper()
	h, err := hook.New(hook.Config{
		Store: w.db, SessionKeys: keys, Allow: []netip.Prefix{netip.MustParsePrefix("127.0.0.0/8")}, Wait: func(context.Context, time.Duration) {},
		Lookup: func(_ context.Context, host string) ([]netip.Addr, error) {
			addr := map[string]string{"inside.example.com": "10.0.0.1", "localhost": "8.8.8.8", "machine.example.com": "127.0.0.9"}[host]
			if addr == "" {
				return nil, io.EOF
			}
			return []netip.Addr{netip.MustParseAddr(addr)}, nil
		},
	})
	if err != nil {
		w.t.Fatal(err)
	}
	return h
}

// add adds a hook that wants tests and deletions.
func (w *world) add(name, url string) (h notifier.Hook, secret string) {
	w.t.Helper()
	h, secret, err := w.hooks.Add(w.t.Context(), staff, notifier.Hook{Name: name, URL: url, Events: []notifier.EventType{notifier.EventUserDeleted}})
	if err != nil {
		w.t.Fatal(err)
	}
	return h, secret
}

// test stores n events for a hook.
func (w *world) test(h notifier.Hook, n int) {
	w.t.Helper()
	for range n {
		if _, err := w.hooks.Test(w.t.Context(), staff, h.ID); err != nil {
			w.t.Fatal(err)
		}
	}
}

func (w *world) round() {
	w.t.Helper()
	if err := w.stage.Round(w.t.Context()); err != nil {
		w.t.Fatal(err)
	}
}

func (w *world) hook(id int64) notifier.Hook {
	w.t.Helper()
	h, err := w.db.Hook(w.t.Context(), id)
	if err != nil {
		w.t.Fatal(err)
	}
	return h
}

func (w *world) events(h notifier.Hook) []notifier.HookEvent {
	w.t.Helper()
	all, err := w.db.HookEvents(w.t.Context(), h.ID, 1000)
	if err != nil {
		w.t.Fatal(err)
	}
	return all
}

// message is a request that a receiver got.
type message struct {
	header http.Header
	body   []byte
}

func (m message) id() string { return m.header.Get(standardwebhooks.HeaderWebhookID) }

// verify verifies a message as a receiver with this secret does.
func (m message) verify(secret string) error {
	w, err := standardwebhooks.NewWebhook(secret)
	if err != nil {
		return err
	}
	return w.VerifyIgnoringTimestamp(m.body, m.header)
}

// receiver is a webhook that answers as told, and keeps what it got.
type receiver struct {
	*httptest.Server
	mu     sync.Mutex
	got    []message
	answer func(w http.ResponseWriter, r *http.Request)
}

func newReceiver(t *testing.T, answer func(w http.ResponseWriter, r *http.Request)) *receiver {
	t.Helper()
	r := &receiver{answer: answer}
	r.Server = httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, req *http.Request) {
		body, _ := io.ReadAll(req.Body)
		r.mu.Lock()
		r.got = append(r.got, message{req.Header.Clone(), body})
		answer := r.answer
		r.mu.Unlock()
		if answer != nil {
			answer(w, req)
		}
	}))
	t.Cleanup(r.Close)
	return r
}

func (r *receiver) set(answer func(w http.ResponseWriter, r *http.Request)) {
	r.mu.Lock()
	defer r.mu.Unlock()
	r.answer = answer
}

func (r *receiver) messages() []message {
	r.mu.Lock()
	defer r.mu.Unlock()
	return append([]message{}, r.got...)
}

func status(code int) func(http.ResponseWriter, *http.Request) {
	return func(w http.ResponseWriter, _ *http.Request) { w.WriteHeader(code) }
}
