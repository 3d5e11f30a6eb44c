package handlers_test

import (
	"context"
	"database/sql"
	"fmt"
	"log/slog"
	"net/http"
	"net/http/cookiejar"
	"net/netip"
	"os"
	"path/filepath"
	"strings"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	"github.com/redis/go-redis/v9"
	"github.com/redis/go-redis/v9/maintnotifications"

	"github.com/carillonhq/carillon/internal/faulty"
	"github.com/carillonhq/carillon/internal/identity"
	"github.com/carillonhq/carillon/internal/redistest"
	"github.com/carillonhq/carillon/internal/session"
	"github.com/carillonhq/carillon/notifier"
	"github.com/carillonhq/carillon/notifier/announcement"
	"github.com/carillonhq/carillon/notifier/app"
	"github.com/carillonhq/carillon/notifier/hook"
	boxes "github.com/carillonhq/carillon/notifier/inbox"
	"github.com/carillonhq/carillon/notifier/keys"
	"github.com/carillonhq/carillon/notifier/notices"
	"github.com/carillonhq/carillon/notifier/person"
	"github.com/carillonhq/carillon/notifier/route"
	"github.com/carillonhq/carillon/notifier/toast"
	topics "github.com/carillonhq/carillon/notifier/topic"
	"github.com/carillonhq/carillon/store"
)

func TestMain(m *testing.M) { redistest.Main(m) }

// byStaff is the author of the changes that prepare a test.
var byStaff = notifier.Actor{Ref: notifier.CommandRef("prepare")}

// databases are a SQLite database with alice, bob and carol, who is staff, and a key space in Redis.
type databases struct {
	t            testing.TB
	dir          string
	db           *store.Store
	redis        redis.UniversalClient
	space        keys.Space
	topics       *topics.Topics
	people       *person.People
	apps         *app.Apps
	tokens       *app.Verifier
	notices      *notices.Notices // delivers nothing
	toasts       *toast.Toasts
	sessionStore *session.Sessions
	slips        *session.Slips
	hooks        *hook.Hooks
	accounts     identity.Accounts
	now          atomic.Int64   // time since noon
	jar          http.CookieJar // for the cookies of slips

	keys int // created so far
}

// signing holds the session keys of all tests.
var signing = [][]byte{[]byte(strings.Repeat("k", 32))}

// first creates the initial database of every world.
var first = sync.OnceValues(func() ([]byte, error) {
	dir, err := os.MkdirTemp("", "carillon-pages-")
	if err != nil {
		return nil, err
	}
	defer func() { _ = os.RemoveAll(dir) }()
	ctx := context.Background()
	db, err := store.Open(ctx, store.Config{DataDir: dir, Now: func() time.Time { return noon }})
	if err != nil {
		return nil, err
	}
	for _, u := range []notifier.User{alice, bob, carol} {
		made, err := db.CreateUser(ctx, notifier.NewUser{Name: u.Name, Audience: u.Audience, Roles: u.Roles, Email: map[string]string{"alice": "alice@example.com"}[u.Name]})
		if err != nil || made.Seq != u.Seq {
			return nil, fmt.Errorf("%s is user %d: %w", u.Name, made.Seq, err)
		}
	}
	if err := db.Close(); err != nil {
		return nil, err
	}
	return os.ReadFile(filepath.Join(dir, "carillon.db"))
})

// lossy returns a Redis that the test can disconnect.
func lossy(t testing.TB) (*faulty.Proxy, redis.UniversalClient) {
	t.Helper()
	p := faulty.Listen(t, "unix", redistest.Socket(t))
	rdb := redis.NewClient(&redis.Options{
		Addr: p.Addr(), MaxRetries: -1, DialerRetries: 1, DisableIdentity: true,
		MaintNotificationsConfig: &maintnotifications.Config{Mode: maintnotifications.ModeDisabled},
	})
	t.Cleanup(func() { _ = rdb.Close() })
	return p, rdb
}

// clock returns noon plus the time that has passed.
func (d *databases) clock() time.Time { return noon.Add(time.Duration(d.now.Load())) }

// newDatabases creates databases for this test only.
func newDatabases(t testing.TB, rdb redis.UniversalClient) *databases {
	t.Helper()
	d := &databases{t: t, dir: t.TempDir(), redis: rdb, space: redistest.Space(t)}
	content, err := first()
	if err != nil {
		t.Fatal(err)
	}
	if err := os.WriteFile(d.file(), content, 0o600); err != nil {
		t.Fatal(err)
	}
	quiet := slog.New(slog.DiscardHandler)
	if d.db, err = store.Open(t.Context(), store.Config{DataDir: d.dir, Now: d.clock}); err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = d.db.Close() })
	d.topics = topics.New(d.redis, d.space, d.db, topics.Options{Now: d.clock, Log: quiet})
	if err := d.topics.Load(t.Context()); err != nil {
		t.Fatal(err)
	}
	announcements := announcement.New(d.redis, d.space, d.db, announcement.Options{Audiences: []notifier.Audience{1, 2, 3}, Log: quiet})
	d.toasts = toast.New(d.redis, d.space, toast.Options{Log: quiet})
	d.sessionStore = session.New(session.Config{SQL: d.db, Redis: d.redis, Space: d.space, Announcements: announcements, Keys: signing, Log: quiet})
	d.notices = notices.New(notices.Config{Store: d.db, Redis: d.redis, Keys: d.space, Router: route.New(d.db, d.topics), Now: d.clock, Log: quiet})
	d.people = person.New(person.Config{
		Store: d.db, Audit: d.db, Topics: d.topics, Announcements: announcements, Toasts: d.toasts,
		Inbox:    boxes.New(d.redis, d.space, boxes.Options{SQL: d.db, Log: quiet}),
		Sessions: d.sessionStore, Clear: func(context.Context) {},
	})
	d.accounts = identity.Accounts{
		People: d.people, Sessions: d.sessionStore, Users: d.db,
		SignIns: session.NewSignIns(session.SignInConfig{Users: d.db, Redis: d.redis, Space: d.space, Keys: signing, Log: quiet}),
	}
	audiences := map[notifier.Audience]string{1: "operator", 2: "user", 3: "customer"}
	if d.tokens, err = app.NewVerifier(app.VerifierConfig{Store: d.db, Audiences: audiences, SessionKeys: signing, Now: d.clock}); err != nil {
		t.Fatal(err)
	}
	d.apps, err = app.New(app.Config{Store: d.db, Audiences: audiences, ImageHosts: []string{"cdn.example.com", "old.example.com"}, SessionKeys: signing, NewAPIKey: d.newKey, Changed: d.tokens.Changed})
	if err != nil {
		t.Fatal(err)
	}
	if d.hooks, err = hook.New(hook.Config{Store: d.db, SessionKeys: signing, Lookup: unresolved, Wait: func(context.Context, time.Duration) {}}); err != nil {
		t.Fatal(err)
	}
	d.slips = session.NewSlips(signing, false, d.clock)
	if d.jar, err = cookiejar.New(nil); err != nil {
		t.Fatal(err)
	}
	return d
}

// unresolved resolves no name.
func unresolved(context.Context, string) ([]netip.Addr, error) { return nil, nil }

func (d *databases) file() string { return filepath.Join(d.dir, "carillon.db") }

// query returns rows of text for a statement that the store does not have.
func (d *databases) query(statement string, args ...any) []string {
	d.t.Helper()
	raw, err := sql.Open("sqlite", d.file())
	if err != nil {
		d.t.Fatal(err)
	}
	defer func() { _ = raw.Close() }()
	rows, err := raw.QueryContext(d.t.Context(), statement, args...)
	if err != nil {
		d.t.Fatal(err)
	}
	defer func() { _ = rows.Close() }()
	var found []string
	for rows.Next() {
		var text string
		if err := rows.Scan(&text); err != nil {
			d.t.Fatal(err)
		}
		found = append(found, text)
	}
	if err := rows.Err(); err != nil {
		d.t.Fatal(err)
	}
	return found
}

// exec changes what no method of the store can change.
func (d *databases) exec(statement string) {
	d.t.Helper()
	raw, err := sql.Open("sqlite", d.file())
	if err != nil {
		d.t.Fatal(err)
	}
	defer func() { _ = raw.Close() }()
	if _, err := raw.ExecContext(d.t.Context(), statement); err != nil {
		d.t.Fatal(err)
	}
}

// done lists the audit log as actor, action, object and detail, without byStaff's entries.
func (d *databases) done() []string {
	d.t.Helper()
	const name = `CASE %[1]s_kind WHEN 'user' THEN COALESCE((SELECT name FROM users WHERE seq = %[1]s_id), %[1]s_id) WHEN '' THEN '' ELSE %[1]s_kind || ' ' || %[1]s_id END`
	return d.query(fmt.Sprintf(`SELECT rtrim(`+name+` || ' ' || action || ' ', ' ') || rtrim(' ' || `, "actor") + fmt.Sprintf(name+` || ' ' || detail) FROM audit_log
		WHERE actor_kind <> 'command' ORDER BY id`, "object"))
}

// closeSQL closes the database for the rest of the test.
func (d *databases) closeSQL() {
	d.t.Helper()
	if err := d.db.Close(); err != nil {
		d.t.Fatal(err)
	}
}
