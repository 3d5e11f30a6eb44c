package api

import (
	"context"
	"encoding/json"
	"errors"
	"io"
	"log/slog"
	"net/http"
	"net/http/httptest"
	"net/netip"
	"strconv"
	"strings"
	"sync/atomic"
	"testing"
	"time"

	"github.com/redis/go-redis/v9"

	"github.com/carillonhq/carillon/internal/identity"
	"github.com/carillonhq/carillon/internal/redistest"
	"github.com/carillonhq/carillon/internal/session"
	"github.com/carillonhq/carillon/internal/sqltest"
	"github.com/carillonhq/carillon/internal/web"
	"github.com/carillonhq/carillon/notifier"
	"github.com/carillonhq/carillon/notifier/announcement"
	"github.com/carillonhq/carillon/notifier/app"
	"github.com/carillonhq/carillon/notifier/ask"
	"github.com/carillonhq/carillon/notifier/hook"
	"github.com/carillonhq/carillon/notifier/inbox"
	"github.com/carillonhq/carillon/notifier/keys"
	"github.com/carillonhq/carillon/notifier/live"
	"github.com/carillonhq/carillon/notifier/notices"
	"github.com/carillonhq/carillon/notifier/person"
	"github.com/carillonhq/carillon/notifier/reception"
	"github.com/carillonhq/carillon/notifier/route"
	"github.com/carillonhq/carillon/notifier/task"
	"github.com/carillonhq/carillon/notifier/toast"
	"github.com/carillonhq/carillon/notifier/topic"
	"github.com/carillonhq/carillon/store"
)

// world is an installation behind the API: real SQL, a real Redis, running delivery and the
// users of the demonstration.
type world struct {
	*server
	handler       http.Handler
	dir           string // of SQLite
	store         *store.Store
	redis         redis.UniversalClient
	keys          keys.Space
	inbox         *inbox.Inbox
	announcements *announcement.Announcements
	topics        *topic.Topics
	toasts        *toast.Toasts
	notices       *notices.Notices
	asks          *ask.Asks
	tasks         *task.Tasks
	people        *person.People

	slowDeletions *atomic.Bool // deletions begin but do not finish

	apps  *app.Apps
	front notifier.AddedApp // an app with pages at https://shop.example.com
	bob   string            // a token of bob, made by front

	admin, send, read string // texts of keys with these scopes, each with its own name
}

var testAudiences = map[notifier.Audience]string{1: "operator", 2: "user", 3: "customer"}

// newWorld makes a world on SQLite. The functions in change adjust the API's configuration.
func newWorld(t testing.TB, change ...func(*Config)) *world {
	t.Helper()
	return newWorldOn(t, "", redistest.Client(t), change...)
}

// newWorldOn makes a world on PostgreSQL, or on SQLite if the address is empty.
func newWorldOn(t testing.TB, postgres string, rdb redis.UniversalClient, change ...func(*Config)) *world {
	t.Helper()
	w := newStillWorld(t, postgres, rdb, change...)
	w.run(t)
	return w
}

// onEachDatabase runs a test on SQLite, whose address is empty, and on PostgreSQL.
func onEachDatabase(t *testing.T, do func(t *testing.T, address string)) {
	t.Helper()
	t.Run("sqlite", func(t *testing.T) {
		t.Parallel()
		do(t, "")
	})
	t.Run("postgres", func(t *testing.T) {
		t.Parallel()
		do(t, sqltest.URL(t))
	})
}

// unresolved resolves no name.
func unresolved(context.Context, string) ([]netip.Addr, error) { return nil, nil }

// newStillWorld makes a world in which nothing delivers.
func newStillWorld(t testing.TB, postgres string, rdb redis.UniversalClient, change ...func(*Config)) *world {
	t.Helper()
	dir := t.TempDir()
	s, err := store.Open(t.Context(), store.Config{URL: postgres, DataDir: dir, Mail: notifier.When{Off: true}})
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = s.Close() })
	quiet := slog.New(slog.DiscardHandler)
	w := &world{dir: dir, store: s, redis: rdb, keys: redistest.Space(t), slowDeletions: new(atomic.Bool)}
	w.inbox = inbox.New(rdb, w.keys, inbox.Options{SQL: s, Log: quiet})
	w.announcements = announcement.New(rdb, w.keys, s, announcement.Options{Audiences: []notifier.Audience{1, 2, 3}, Every: 20 * time.Millisecond, Log: quiet})
	w.topics = topic.New(rdb, w.keys, s, topic.Options{Log: quiet})
	if err := w.topics.Load(t.Context()); err != nil {
		t.Fatal(err)
	}
	w.toasts = toast.New(rdb, w.keys, toast.Options{Log: quiet})
	w.addApps(t)
	verifier := w.newVerifier(t)
	hub := w.newHub(verifier)
	w.notices = notices.New(notices.Config{
		Store: s, Redis: rdb, Keys: w.keys, Inbox: w.inbox, Router: route.New(s, w.topics), Announcements: w.announcements, Toasts: w.toasts, Log: quiet, Hub: hub,
		Limits: notifier.Limits{ImageHosts: []string{"cdn.example.com"}, Audiences: []notifier.Audience{1, 2, 3}, Toast: 24 * time.Hour, Expiry: w.topics.Expiry},
		Poll:   20 * time.Millisecond, Idle: 50 * time.Millisecond, Types: w.topics, App: verifier.Sender, Sites: verifier.Sites,
	})
	w.asks = ask.New(ask.Config{Store: s, NoticeOf: w.inbox.NoticeOf, Ended: w.notices.Wake, Watch: 20 * time.Millisecond, Log: quiet})
	w.tasks = task.New(task.Config{Store: s, NoticeOf: w.inbox.NoticeOf, Pass: w.notices.PassOn, Follow: w.notices.Follow, Log: quiet})
	receipts, err := newReceipts()
	if err != nil {
		t.Fatal(err)
	}
	hooks, err := hook.New(hook.Config{Store: s, SessionKeys: [][]byte{[]byte(strings.Repeat("k", 32))}, Lookup: unresolved, Wait: func(context.Context, time.Duration) {}})
	if err != nil {
		t.Fatal(err)
	}
	c := Config{
		Hooks: hooks, Receipts: receipts, Store: s, Notices: w.notices, Asks: w.asks, Tasks: w.tasks, Inbox: w.inbox,
		Receptions:    reception.New(reception.Config{Store: s, Read: w.inbox.Read, Rehearse: w.notices.Rehearse, Types: w.topics, Mailing: true, Pushing: true}),
		Announcements: w.announcements, Topics: w.topics, Audit: s, Apps: w.apps,
		Audiences: testAudiences, ImageHosts: []string{"cdn.example.com"}, Log: quiet, Tokens: verifier, Stream: hub,
	}
	for _, f := range change {
		f(&c)
	}
	if c.People == nil {
		w.people = w.newPeople(c)
		c.People = w.people
	}
	if w.people != nil {
		c.Accounts = identity.Accounts{
			People: w.people, Sessions: w.sessions(), Users: s,
			SignIns: session.NewSignIns(session.SignInConfig{Users: s, Redis: rdb, Space: w.keys, Keys: [][]byte{[]byte(strings.Repeat("k", 32))}}),
		}
	}
	c.Who = w.who(c, verifier)
	if w.server, err = newServer(c); err != nil {
		t.Fatal(err)
	}
	w.handler = w.server.middleware(w.server.mux)
	w.addPeople(t)
	w.admin, w.send, w.read = w.key(t, "admin", "admin"), w.key(t, "shop", "send"), w.key(t, "app", "read")
	return w
}

// keyOf returns what a call is made with: a key that may do everything, or a token.
func (w *world) keyOf(c call) string {
	if c.user {
		return w.bob
	}
	return w.admin
}

// run delivers until the test ends.
func (w *world) run(t testing.TB) {
	t.Helper()
	t.Cleanup(w.notices.Close)
	runUntilEnd(t, w.notices.Run)
	runUntilEnd(t, w.asks.Run)
	runUntilEnd(t, w.tasks.Run)
}

// runUntilEnd runs work until the test ends.
func runUntilEnd(t testing.TB, work func(context.Context) error) {
	t.Helper()
	ctx, cancel := context.WithCancel(context.Background())
	ended := make(chan error, 1)
	go func() { ended <- work(ctx) }()
	t.Cleanup(func() {
		cancel()
		if err := <-ended; err != nil {
			t.Error(err)
		}
	})
}

// who finds out who is asking, by tokens and sessions.
func (w *world) who(c Config, verifier *app.Verifier) *identity.Who {
	proxy := &identity.Header{
		Name: "X-Forwarded-User", Display: "X-Forwarded-Name", From: web.Proxies{netip.MustParsePrefix("192.0.2.0/24")}, Audience: 3,
	}
	return identity.New(identity.Config{Tokens: verifier, People: w.people, Sessions: w.sessions(), Header: proxy, Now: c.Now})
}

// sessions are the sessions of the pages on the same databases.
func (w *world) sessions() *session.Sessions {
	return session.New(session.Config{
		SQL: w.store, Redis: w.redis, Space: w.keys, Announcements: w.announcements, Keys: [][]byte{[]byte(strings.Repeat("k", 32))},
	})
}

// newHub makes the streams of an instance, which may be opened with tokens. It checks none by timer.
func (w *world) newHub(verifier *app.Verifier) *live.Hub {
	return live.New(live.Config{
		Redis: w.redis, Keys: w.keys, Badges: notices.Badges{Inbox: w.inbox, Announcements: w.announcements}, Toasts: w.toasts,
		Sessions: app.Streams{Users: w.store, Verifier: verifier}, Audiences: []notifier.Audience{1, 2, 3}, Log: slog.New(slog.DiscardHandler),
		Limits: live.Limits{Check: time.Hour},
	})
}

// addPeople adds the users of the demonstration.
func (w *world) addPeople(t testing.TB) {
	t.Helper()
	for _, u := range []notifier.NewUser{
		{Name: "alice", Audience: 2, Roles: []string{"staff"}},
		{Name: "bob", Audience: 2},
		{Name: "carol", Audience: 2, Roles: []string{"picker"}, Email: "carol@example.com"},
		{Name: "dave", Audience: 2, Roles: []string{"picker"}},
		{Name: "erin", Audience: 3},
	} {
		if _, err := w.store.CreateUser(t.Context(), u); err != nil {
			t.Fatal(err)
		}
	}
}

// key adds a key and returns its text.
func (w *world) key(t testing.TB, name string, scopes ...notifier.KeyScope) string {
	t.Helper()
	token, hash := app.NewAPIKey()
	if _, err := w.store.AddKey(t.Context(), notifier.Actor{}, notifier.APIKey{Name: name, Scopes: scopes}, hash); err != nil {
		t.Fatal(err)
	}
	return token
}

// erasing is the inbox for deletions, which fail while slowDeletions is set.
type erasing struct {
	*inbox.Inbox
	*world
}

func (e erasing) Erase(ctx context.Context, seq int64) error {
	if e.slowDeletions.Load() {
		return errors.New("this takes long")
	}
	return e.inbox.Erase(ctx, seq)
}

// newPeople makes the changes of users as the program has them. Deletions that fail are left to a
// Run that does not run here.
func (w *world) newPeople(c Config) *person.People {
	return person.New(person.Config{
		Store: w.store, Audit: c.Audit, Audiences: c.Audiences, Log: c.Log, Wait: time.Minute, Clear: func(context.Context) {},
		Sessions: w.sessions(), Toasts: w.toasts, Announcements: w.announcements, Inbox: erasing{w.inbox, w}, Topics: w.topics,
	})
}

// reply is an answer with its body as text.
type reply struct {
	*http.Response
	text string
}

// call sends a request to the API. Headers come in pairs; a body that is not a string is
// encoded as JSON.
func (w *world) call(t testing.TB, key, method, path string, body any, headers ...string) reply {
	t.Helper()
	var text string
	switch b := body.(type) {
	case nil:
	case string:
		text = b
	default:
		j, err := json.Marshal(b)
		if err != nil {
			t.Fatal(err)
		}
		text = string(j)
	}
	r := httptest.NewRequestWithContext(t.Context(), method, prefix+path, strings.NewReader(text))
	if key != "" {
		r.Header.Set("Authorization", "Bearer "+key)
	}
	if text != "" {
		r.Header.Set("Content-Type", "application/json")
	}
	for i := 0; i+1 < len(headers); i += 2 {
		r.Header.Set(headers[i], headers[i+1])
	}
	return w.answer(t, r)
}

// answer serves a request, and checks that the document has its status.
func (w *world) answer(t testing.TB, r *http.Request) reply {
	t.Helper()
	rec := httptest.NewRecorder()
	w.handler.ServeHTTP(rec, r)
	w.described(t, r, rec.Code)
	res := rec.Result()
	defer func() { _ = res.Body.Close() }()
	b, err := io.ReadAll(res.Body)
	if err != nil {
		t.Fatal(err)
	}
	return reply{res, string(b)}
}

// described fails the test if the document does not list the status for the call.
func (w *world) described(t testing.TB, r *http.Request, status int) {
	t.Helper()
	_, pattern := w.mux.Handler(r)
	path, found := strings.CutPrefix(pattern, r.Method+" ")
	if !found || !clean(r.URL.EscapedPath()) || w.api.OpenAPI().Paths[path] == nil {
		return // not a call
	}
	if op := w.operation(r.Method, path); op.Responses[strconv.Itoa(status)] == nil {
		t.Errorf("%s answers %d, which is not in the document", op.OperationID, status)
	}
}

// into decodes the body.
func (r reply) into(t testing.TB, v any) {
	t.Helper()
	if err := json.Unmarshal([]byte(r.text), v); err != nil {
		t.Fatalf("%v in %q", err, r.text)
	}
}

// is fails the test if the status differs or an error is not a problem.
func (r reply) is(t testing.TB, status int) reply {
	t.Helper()
	if r.StatusCode != status {
		t.Fatalf("status %d, want %d: %s", r.StatusCode, status, r.text)
	}
	if kind := r.Header.Get("Content-Type"); status >= 400 && kind != "application/problem+json" {
		t.Errorf("an error of type %q: %s", kind, r.text)
	}
	return r
}

// faults returns the locations of the faults that a problem lists.
func (r reply) faults(t testing.TB) []string {
	t.Helper()
	var p struct {
		Errors []struct{ Location, Message string }
	}
	r.into(t, &p)
	var places []string
	for _, e := range p.Errors {
		places = append(places, e.Location)
		if e.Message == "" {
			t.Errorf("%s has no message", e.Location)
		}
	}
	return places
}

func newcomer(name string) notifier.NewUser { return notifier.NewUser{Name: name, Audience: 2} }

// newReceipts makes receipts with keys of their own.
func newReceipts() (*ask.Receipts, error) {
	keys, err := ask.NewReceiptKeys()
	if err != nil {
		return nil, err
	}
	return ask.ParseReceiptKeys(keys)
}
