package notices_test

import (
	"context"
	"flag"
	"fmt"
	"io"
	"log/slog"
	"os"
	"testing"
	"time"

	"github.com/redis/go-redis/v9"
	"go.uber.org/goleak"

	"github.com/carillonhq/carillon/internal/redistest"
	"github.com/carillonhq/carillon/internal/sqltest"
	"github.com/carillonhq/carillon/notifier"
	"github.com/carillonhq/carillon/notifier/announcement"
	"github.com/carillonhq/carillon/notifier/inbox"
	"github.com/carillonhq/carillon/notifier/keys"
	"github.com/carillonhq/carillon/notifier/notices"
	"github.com/carillonhq/carillon/notifier/route"
	"github.com/carillonhq/carillon/store"
)

// The pool of a closed client tries to reach a lost server for up to another second.
func TestMain(m *testing.M) {
	if os.Getenv(instanceDir) != "" {
		serveInstance()
		return
	}
	// Each check takes some 40 ms. Use -rapid.checks=1000 for more.
	if err := flag.Set("rapid.checks", "25"); err != nil {
		panic(err)
	}
	goleak.VerifyTestMain(sqltest.Wrap(redistest.Wrap(m)),
		goleak.IgnoreAnyFunction("github.com/redis/go-redis/v9/internal/pool.(*ConnPool).tryDial"))
}

// rig is an installation: a database, a key prefix in Redis, and any number of Notices that use them.
type rig struct {
	dir   string
	store *store.Store
	rdb   redis.UniversalClient
	keys  keys.Space
	inbox *inbox.Inbox
	board *announcement.Announcements
}

func newRig(t *testing.T, rdb redis.UniversalClient) *rig {
	t.Helper()
	return newRigOn(t, rdb, "")
}

// newRigOn is newRig on PostgreSQL, or on SQLite if the address is empty.
func newRigOn(t *testing.T, rdb redis.UniversalClient, postgres string) *rig {
	t.Helper()
	dir := t.TempDir()
	s, err := store.Open(t.Context(), store.Config{URL: postgres, DataDir: dir})
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = s.Close() })
	k := redistest.Space(t)
	return &rig{dir, s, rdb, k, inbox.New(rdb, k, inbox.Options{SQL: s}), newAnnouncements(rdb, k, s)}
}

func newAnnouncements(rdb redis.UniversalClient, k keys.Space, s *store.Store) *announcement.Announcements {
	return announcement.New(rdb, k, s, announcement.Options{
		Audiences: []notifier.Audience{1, 2, 3}, Every: 20 * time.Millisecond, Log: slog.New(slog.DiscardHandler),
	})
}

// config returns the configuration of an instance with short times.
func (r *rig) config() notices.Config {
	return notices.Config{
		Store: r.store, Redis: r.rdb, Keys: r.keys, Inbox: r.inbox, Router: route.New(r.store, nil), Announcements: newAnnouncements(r.rdb, r.keys, r.store),
		Log: slog.New(slog.DiscardHandler), Poll: 20 * time.Millisecond, Wait: 20 * time.Second, Claim: 200 * time.Millisecond, Idle: 50 * time.Millisecond,
	}
}

// users adds n users u1, u2 … with a role and returns their seqs.
func (r *rig) users(t testing.TB, role string, n int) []int64 {
	t.Helper()
	i := 0
	_, err := r.store.ImportUsers(t.Context(), n, func() (notifier.NewUser, int, error) {
		if i++; i > n {
			return notifier.NewUser{}, i, io.EOF
		}
		return notifier.NewUser{Name: fmt.Sprint("u", i), Audience: 3, Roles: []string{role}}, i, nil
	}, nil)
	if err != nil {
		t.Fatal(err)
	}
	members, err := r.store.RoleMembers(t.Context(), role)
	if err != nil {
		t.Fatal(err)
	}
	seqs := make([]int64, 0, n)
	for _, seq := range members.ToArray() {
		seqs = append(seqs, int64(seq))
	}
	return seqs
}

func toRole(role string) notifier.Draft {
	return notifier.Draft{
		Target: notifier.Target{Role: role}, Type: "news", Title: "The lift works again", Body: "Thanks for walking.", Sender: notifier.CommandRef("test"),
	}
}

func toUsers(names ...string) notifier.Draft {
	d := toRole("")
	d.Target = notifier.Target{Users: names}
	return d
}

// running returns Notices that run until the test ends.
func running(t *testing.T, c notices.Config) *notices.Notices {
	t.Helper()
	p := notices.New(c)
	start(t, p)
	return p
}

// start runs p until stop is called or the test ends.
func start(t *testing.T, p *notices.Notices) (stop func()) {
	t.Helper()
	ctx, cancel := context.WithCancel(context.Background())
	ended := make(chan error, 1)
	go func() { ended <- p.Run(ctx) }()
	stopped := false
	stop = func() {
		t.Helper()
		if stopped {
			return
		}
		stopped = true
		cancel()
		if err := <-ended; err != nil {
			t.Errorf("Run: %v", err)
		}
		p.Close()
	}
	t.Cleanup(stop)
	return stop
}

func send(t *testing.T, p *notices.Notices, d notifier.Draft) notifier.Notice {
	t.Helper()
	n, err := sendOnce(t, p, d, nil)
	if err != nil {
		t.Fatalf("Send: %v", err)
	}
	return n
}

// sendOnce confirms a draft and sends it.
func sendOnce(t testing.TB, p *notices.Notices, d notifier.Draft, once *notifier.Once) (notifier.Notice, error) {
	t.Helper()
	c, err := p.Confirm(t.Context(), d)
	if err != nil {
		return notifier.Notice{}, err
	}
	return p.Send(t.Context(), notifier.Actor{}, c, once)
}

func count(t *testing.T, p *notices.Notices, d notifier.Draft) (int64, error) {
	t.Helper()
	c, err := p.Confirm(t.Context(), d)
	return c.Recipients, err
}

// accept stores a notice in the state that a sender leaves if it dies at once: the recipients are not determined, and
// no instance has claimed the notice.
func (r *rig) accept(t testing.TB, n *notifier.Notice) {
	t.Helper()
	a := notifier.Acceptance{Notice: n}
	if err := r.store.AcceptAll(t.Context(), notifier.Deed{}, []*notifier.Acceptance{&a}); err != nil || a.Err != nil {
		t.Fatal(err, a.Err)
	}
}
