package rule_test

import (
	"context"
	"database/sql"
	"fmt"
	"log/slog"
	"path/filepath"
	"strings"
	"sync"
	"testing"
	"time"

	"go.uber.org/goleak"

	"github.com/carillonhq/carillon/internal/lease"
	"github.com/carillonhq/carillon/internal/redistest"
	"github.com/carillonhq/carillon/internal/sqltest"
	"github.com/carillonhq/carillon/notifier"
	"github.com/carillonhq/carillon/notifier/announcement"
	"github.com/carillonhq/carillon/notifier/inbox"
	"github.com/carillonhq/carillon/notifier/notices"
	"github.com/carillonhq/carillon/notifier/route"
	"github.com/carillonhq/carillon/notifier/rule"
	"github.com/carillonhq/carillon/store"
)

// The connection pool of a closed client keeps dialling a lost server for up to a second, and pgx sends a cancel
// request to a server for whose response it no longer waits.
func TestMain(m *testing.M) {
	goleak.VerifyTestMain(sqltest.Wrap(redistest.Wrap(m)),
		goleak.IgnoreAnyFunction("github.com/redis/go-redis/v9/internal/pool.(*ConnPool).tryDial"),
		goleak.IgnoreAnyFunction("github.com/jackc/pgx/v5/pgconn.(*PgConn).asyncClose.func1"))
}

// business is a business database, empty at first.
type business struct {
	kind    string
	address string
	db      *sql.DB
}

// onEach runs a test with a business database of each kind.
func onEach(t *testing.T, test func(t *testing.T, b *business)) {
	t.Helper()
	for _, kind := range []string{"sqlite", "postgres", "mysql"} {
		t.Run(kind, func(t *testing.T) {
			t.Parallel()
			test(t, newBusiness(t, kind))
		})
	}
}

func newBusiness(t *testing.T, kind string) *business {
	t.Helper()
	b := &business{kind: kind}
	var driver, dsn string
	switch kind {
	case "sqlite":
		driver, dsn = "sqlite", filepath.Join(t.TempDir(), "business.db")
		b.address = "sqlite:" + dsn
	case "mysql":
		b.address = sqltest.MariaDB(t)
		driver, dsn = "mysql", sqltest.MariaDSN(t, b.address)
	default:
		driver, dsn = "pgx", sqltest.URL(t)
		b.address = dsn
	}
	var err error
	if b.db, err = sql.Open(driver, dsn); err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = b.db.Close() })
	b.do(t, `CREATE TABLE stock (place VARCHAR(50) PRIMARY KEY, warehouse BIGINT, units BIGINT)`)
	return b
}

func (b *business) do(t *testing.T, statements ...string) {
	t.Helper()
	for _, s := range statements {
		if _, err := b.db.ExecContext(t.Context(), s); err != nil {
			t.Fatalf("%s: %v", s, err)
		}
	}
}

// put sets the number of units at a place.
func (b *business) put(t *testing.T, place string, warehouse, units int) {
	t.Helper()
	b.do(t, fmt.Sprintf(`DELETE FROM stock WHERE place = '%s'`, place), fmt.Sprintf(`INSERT INTO stock VALUES ('%s', %d, %d)`, place, warehouse, units))
}

// count returns the result of a query for one number.
func (b *business) count(t *testing.T, query string) (n int) {
	t.Helper()
	if err := b.db.QueryRowContext(t.Context(), query).Scan(&n); err != nil {
		t.Fatalf("%s: %v", query, err)
	}
	return n
}

// negative returns a rule that finds places with negative stock, with further settings below it.
func negative(more ...string) string {
	return strings.Join(append([]string{
		"[[rule]]", `name = "negative-stock"`, `every = "5m"`, `source = "BUSINESS"`,
		`query = "SELECT place, warehouse, units FROM stock WHERE units < 0 ORDER BY place"`,
		`type = "rep_notice"`, `scope_column = "warehouse"`, `subject = "place:{{.place}}"`,
		`title = "{{.place}} is at {{.units}}"`,
	}, more...), "\n") + "\n"
}

// rig is an installation with one business database. It accepts notices but does not deliver them: sent notices stay
// in SQL.
type rig struct {
	*rule.Runner
	c     rule.Config
	store *store.Store
	pipe  *notices.Notices
	logs  *lines

	mu  sync.Mutex
	now time.Time
}

func newRig(t *testing.T, b *business, rules string) *rig {
	t.Helper()
	s, err := store.Open(t.Context(), store.Config{DataDir: t.TempDir()})
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = s.Close() })
	rdb, k := redistest.Client(t), redistest.Space(t)
	p := notices.New(notices.Config{
		Store: s, Redis: rdb, Keys: k, Inbox: inbox.New(rdb, k, inbox.Options{SQL: s}), Router: route.New(s, nil),
		Announcements: announcement.New(rdb, k, s, announcement.Options{Audiences: []notifier.Audience{1}}), Log: slog.New(slog.DiscardHandler),
	})
	t.Cleanup(p.Close)
	r := &rig{store: s, pipe: p, logs: &lines{}, now: time.Now().Truncate(time.Millisecond)}
	r.c = rule.Config{
		Rules: parse(t, b, rules), Store: s, Sender: p, Log: slog.New(r.logs), Now: r.clock,
		Leases: lease.On(rdb, k),
	}
	r.Runner = rule.New(r.c)
	return r
}

// parse reads rules that have no faults.
func parse(t *testing.T, b *business, rules string) *rule.Set {
	t.Helper()
	set, err := rule.Parse([]byte(rules), sourceOf(b))
	if err != nil {
		t.Fatal(err)
	}
	return set
}

func sourceOf(b *business) func(string) (string, bool) {
	return func(name string) (string, bool) {
		if name == "CARILLON_RULE_SOURCE_BUSINESS" {
			return b.address, true
		}
		return "", false
	}
}

// with returns another instance with a changed configuration.
func (r *rig) with(change func(c *rule.Config)) *rule.Runner {
	c := r.c
	change(&c)
	return rule.New(c)
}

func (r *rig) clock() time.Time {
	r.mu.Lock()
	defer r.mu.Unlock()
	return r.now
}

func (r *rig) later(d time.Duration) {
	r.mu.Lock()
	defer r.mu.Unlock()
	r.now = r.now.Add(d)
}

// perform runs the rule one second later and returns the recorded run.
func (r *rig) perform(t *testing.T, on *rule.Runner) notifier.RuleRun {
	t.Helper()
	r.later(time.Second)
	if err := on.Perform(t.Context(), "negative-stock"); err != nil {
		t.Fatal(err)
	}
	return r.last(t)
}

// last returns the rule's last recorded run.
func (r *rig) last(t *testing.T) notifier.RuleRun {
	t.Helper()
	runs, err := r.store.Runs(t.Context())
	if err != nil {
		t.Fatal(err)
	}
	for _, run := range runs {
		if run.Rule == "negative-stock" {
			return run
		}
	}
	return notifier.RuleRun{}
}

// titles returns the titles of the notices about a place that are not retracted, oldest first.
func (r *rig) titles(t *testing.T, place string) []string {
	t.Helper()
	found, err := r.store.NoticesBySubject(t.Context(), "place:"+place, []int64{0}, 0, 100)
	if err != nil {
		t.Fatal(err)
	}
	titles := []string{}
	for _, n := range found {
		titles = append(titles, n.Title)
	}
	return titles
}

// sender is a sender whose failures the test sets.
type sender struct {
	rule.Sender
	send    func(all []notifier.Request) []notifier.Result
	retract func(id int64) error
}

func (s sender) SendAll(ctx context.Context, by notifier.Actor, all []notifier.Request) []notifier.Result {
	if s.send != nil {
		return s.send(all)
	}
	return s.Sender.SendAll(ctx, by, all)
}

func (s sender) Retract(ctx context.Context, by notifier.Actor, id int64) error {
	if s.retract != nil {
		return s.retract(id)
	}
	return s.Sender.Retract(ctx, by, id)
}

// lines is a log handler that keeps the messages and errors.
type lines struct {
	mu  sync.Mutex
	all []string
}

func (l *lines) Enabled(context.Context, slog.Level) bool { return true }

func (l *lines) WithAttrs([]slog.Attr) slog.Handler { return l }

func (l *lines) WithGroup(string) slog.Handler { return l }

func (l *lines) Handle(_ context.Context, r slog.Record) error {
	l.mu.Lock()
	defer l.mu.Unlock()
	l.all = append(l.all, r.Message)
	return nil
}

func (l *lines) seen() []string {
	l.mu.Lock()
	defer l.mu.Unlock()
	return append([]string{}, l.all...)
}
