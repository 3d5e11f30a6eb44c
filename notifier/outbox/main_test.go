package outbox_test

import (
	"context"
	"log/slog"
	"strings"
	"sync"
	"testing"
	"time"

	"go.uber.org/goleak"

	"github.com/carillonhq/carillon/api"
	"github.com/carillonhq/carillon/internal/redistest"
	"github.com/carillonhq/carillon/internal/source"
	"github.com/carillonhq/carillon/internal/sqltest"
	"github.com/carillonhq/carillon/notifier"
	"github.com/carillonhq/carillon/notifier/announcement"
	"github.com/carillonhq/carillon/notifier/inbox"
	"github.com/carillonhq/carillon/notifier/notices"
	"github.com/carillonhq/carillon/notifier/outbox"
	"github.com/carillonhq/carillon/notifier/route"
	"github.com/carillonhq/carillon/store"
)

// The connection pool of a closed client keeps dialling a lost server for up to a second, and pgx sends a cancel
// request to a server for whose response it no longer waits.
func TestMain(m *testing.M) {
	goleak.VerifyTestMain(sqltest.Wrap(redistest.Wrap(m)),
		goleak.IgnoreAnyFunction("github.com/redis/go-redis/v9/internal/pool.(*ConnPool).tryDial"),
		goleak.IgnoreAnyFunction("github.com/jackc/pgx/v5/pgconn.(*PgConn).asyncClose.func1"))
}

// rig is an installation that reads outboxes. It accepts notices but does not deliver them: sent notices stay in SQL.
type rig struct {
	c     outbox.Config
	store *store.Store
	pipe  *notices.Notices
	logs  *lines
}

func newRig(t *testing.T, boxes ...outbox.Box) *rig {
	t.Helper()
	s, err := store.Open(t.Context(), store.Config{DataDir: t.TempDir()})
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = s.Close() })
	if _, err := s.CreateUser(t.Context(), notifier.NewUser{Name: "alice", Audience: 1}); err != nil {
		t.Fatal(err)
	}
	rdb, k := redistest.Client(t), redistest.Space(t)
	apps := map[int64]notifier.App{}
	p := notices.New(notices.Config{
		Store: s, Redis: rdb, Keys: k, Inbox: inbox.New(rdb, k, inbox.Options{SQL: s}), Router: route.New(s, nil),
		Announcements: announcement.New(rdb, k, s, announcement.Options{Audiences: []notifier.Audience{1}}), Log: slog.New(slog.DiscardHandler),
		App: func(_ context.Context, id int64) (notifier.App, error) { return apps[id], nil },
	})
	t.Cleanup(p.Close)
	r := &rig{store: s, pipe: p, logs: &lines{}}
	payloads := api.NewPayloads(map[notifier.Audience]string{1: "everybody"})
	r.c = outbox.Config{
		Boxes: boxes, Every: 50 * time.Millisecond, Log: slog.New(r.logs),
		Decode: func(raw []byte, from outbox.From) (outbox.Decoded, error) {
			d, err := payloads.Read(raw, from.Sender, from.App, from.Once)
			return outbox.Decoded(d), err
		},
		Send: func(ctx context.Context, by notifier.Actor, app int64, all []notifier.Request) []notifier.Result {
			if app == 0 {
				return p.SendAll(ctx, by, all)
			}
			return p.SendAllBringing(ctx, by, all, func(ctx context.Context, names []string) error {
				_, err := s.Bring(ctx, app, names)
				return err
			})
		},
		App: func(ctx context.Context, name string) (notifier.App, error) {
			a, err := s.AppNamed(ctx, name)
			apps[a.ID] = a
			return a, err
		},
	}
	return r
}

// boxOf returns the outbox of a shop.
func boxOf(t *testing.T, address string) outbox.Box {
	t.Helper()
	s, err := source.Parse(address)
	if err != nil {
		t.Fatal(err)
	}
	return outbox.Box{Name: "shop", Source: s, Table: "carillon_outbox"}
}

// run reads the outboxes until stop, or the end of the test.
func (r *rig) run(t *testing.T) (o *outbox.Outboxes, stop func()) {
	t.Helper()
	o = outbox.New(r.c)
	ctx, cancel := context.WithCancel(context.WithoutCancel(t.Context()))
	done := make(chan error, 1)
	go func() { done <- o.Run(ctx) }()
	stop = sync.OnceFunc(func() {
		cancel()
		if err := <-done; err != nil {
			t.Error(err)
		}
	})
	t.Cleanup(stop)
	return o, stop
}

// titles returns the titles of all notices from the outbox, oldest first.
func (r *rig) titles(t *testing.T) []string {
	t.Helper()
	titles := []string{}
	for _, n := range r.sent(t) {
		titles = append(titles, n.Title)
	}
	return titles
}

// sent returns all notices from the outbox, oldest first.
func (r *rig) sent(t *testing.T) (all []notifier.Notice) {
	t.Helper()
	for id := int64(1); ; id++ {
		n, err := r.store.Notice(t.Context(), id)
		if err != nil {
			return all
		}
		if n.Sender.Is(notifier.OutboxRef("shop")) {
			all = append(all, n)
		}
	}
}

// lines is a log handler that keeps the messages with their errors.
type lines struct {
	mu  sync.Mutex
	all []string
}

func (l *lines) Enabled(context.Context, slog.Level) bool { return true }

func (l *lines) WithAttrs([]slog.Attr) slog.Handler { return l }

func (l *lines) WithGroup(string) slog.Handler { return l }

func (l *lines) Handle(_ context.Context, r slog.Record) error {
	text := r.Message
	r.Attrs(func(a slog.Attr) bool {
		if a.Key == "err" {
			text += ": " + a.Value.String()
		}
		return true
	})
	l.mu.Lock()
	defer l.mu.Unlock()
	l.all = append(l.all, text)
	return nil
}

// has returns how many lines begin with a text.
func (l *lines) has(begin string) (n int) {
	l.mu.Lock()
	defer l.mu.Unlock()
	for _, line := range l.all {
		if strings.HasPrefix(line, begin) {
			n++
		}
	}
	return n
}

// text returns all lines.
func (l *lines) text() string {
	l.mu.Lock()
	defer l.mu.Unlock()
	return strings.Join(l.all, "\n")
}
