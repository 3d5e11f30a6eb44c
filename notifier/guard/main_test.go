package guard_test

import (
	"context"
	"errors"
	"fmt"
	"io"
	"log/slog"
	"slices"
	"sync"
	"testing"
	"time"

	"github.com/RoaringBitmap/roaring/v2"
	"github.com/redis/go-redis/v9"
	"github.com/redis/go-redis/v9/maintnotifications"
	"go.uber.org/goleak"

	"github.com/carillonhq/carillon/internal/redistest"
	"github.com/carillonhq/carillon/internal/testkit"
	"github.com/carillonhq/carillon/notifier"
	"github.com/carillonhq/carillon/notifier/guard"
	"github.com/carillonhq/carillon/notifier/inbox"
	"github.com/carillonhq/carillon/notifier/keys"
	"github.com/carillonhq/carillon/store"
)

// The pool of a closed client tries to reach a lost server for up to another second, and Close of a cluster client
// does not wait for its reloads in the background.
func TestMain(m *testing.M) {
	goleak.VerifyTestMain(redistest.Wrap(m),
		goleak.IgnoreAnyFunction("github.com/redis/go-redis/v9/internal/pool.(*ConnPool).tryDial"),
		goleak.IgnoreAnyFunction("github.com/redis/go-redis/v9.(*clusterStateHolder).LazyReload.func1"))
}

// site is an installation: a database, a key prefix in some Redis, and any number of instances that use them.
type site struct {
	k     keys.Space
	db    *store.Store
	reach func(onConnect func(context.Context, *redis.Conn) error) redis.UniversalClient
	seqs  []int64
}

func newSite(t testing.TB, users int, reach func(func(context.Context, *redis.Conn) error) redis.UniversalClient) *site {
	t.Helper()
	db, err := store.Open(t.Context(), store.Config{DataDir: t.TempDir()})
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = db.Close() })
	i := 0
	_, err = db.ImportUsers(t.Context(), users, func() (notifier.NewUser, int, error) {
		if i++; i > users {
			return notifier.NewUser{}, i, io.EOF
		}
		return notifier.NewUser{Name: fmt.Sprint("u", i), Audience: 3, Roles: []string{"all"}}, i, nil
	}, nil)
	if err != nil {
		t.Fatal(err)
	}
	s := &site{k: redistest.Space(t), db: db, reach: reach}
	members, err := db.RoleMembers(t.Context(), "all")
	if err != nil {
		t.Fatal(err)
	}
	for _, seq := range members.ToArray() {
		s.seqs = append(s.seqs, int64(seq))
	}
	return s
}

// node connects to a server.
func node(network, addr string) func(func(context.Context, *redis.Conn) error) redis.UniversalClient {
	return func(onConnect func(context.Context, *redis.Conn) error) redis.UniversalClient {
		return redis.NewClient(&redis.Options{
			Network: network, Addr: addr, OnConnect: onConnect, ContextTimeoutEnabled: true, DialerRetries: 1,
			DialTimeout: 2 * time.Second, DisableIdentity: true,
			MaintNotificationsConfig: &maintnotifications.Config{Mode: maintnotifications.ModeDisabled},
		})
	}
}

func onServer(s *redistest.Server) func(func(context.Context, *redis.Conn) error) redis.UniversalClient {
	return node("unix", s.Socket)
}

// instance is one process of a site.
type instance struct {
	*guard.Guard
	site *site
	raw  redis.UniversalClient
	rdb  redis.UniversalClient // behind the gate
	box  *inbox.Inbox          // behind the gate
	sql  *database
	log  *lines

	mu     sync.Mutex
	resent []time.Time
}

// database is a store that can be made to fail.
type database struct {
	*store.Store
	mu     sync.Mutex
	before func(call string) error
}

func (d *database) hook(before func(call string) error) {
	d.mu.Lock()
	defer d.mu.Unlock()
	d.before = before
}

func (d *database) call(name string) error {
	d.mu.Lock()
	before := d.before
	d.mu.Unlock()
	if before == nil {
		return nil
	}
	return before(name)
}

func (d *database) KnownRuns(ctx context.Context) ([]string, error) {
	if err := d.call("known"); err != nil {
		return nil, err
	}
	return d.Store.KnownRuns(ctx)
}

func (d *database) AddRun(ctx context.Context, id string, now time.Time) error {
	if err := d.call("add"); err != nil {
		return err
	}
	return d.Store.AddRun(ctx, id, now)
}

func (d *database) SnapshotVers(ctx context.Context, above, after int64, limit int) ([]notifier.Dirty, error) {
	if err := d.call("snapshots"); err != nil {
		return nil, err
	}
	return d.Store.SnapshotVers(ctx, above, after, limit)
}

func (d *database) VersOf(ctx context.Context, seqs []int64) (map[int64]int64, error) {
	if err := d.call("vers"); err != nil {
		return nil, err
	}
	return d.Store.VersOf(ctx, seqs)
}

func (d *database) NoticeCounts(ctx context.Context, partition int, after int64, limit int) ([]notifier.NoticeCount, error) {
	if err := d.call("counts"); err != nil {
		return nil, err
	}
	return d.Store.NoticeCounts(ctx, partition, after, limit)
}

func (d *database) Flushed(ctx context.Context, parts int) (time.Time, error) {
	if err := d.call("flushed"); err != nil {
		return time.Time{}, err
	}
	return d.Store.Flushed(ctx, parts)
}

func (d *database) DeletedSince(ctx context.Context, since time.Time, after int64, limit int) ([]int64, error) {
	if err := d.call("deleted"); err != nil {
		return nil, err
	}
	return d.Store.DeletedSince(ctx, since, after, limit)
}

// instance returns an instance on which nothing runs yet: use Check or run.
func (s *site) instance(t testing.TB, change func(*guard.Config)) *instance {
	t.Helper()
	i := &instance{site: s, raw: s.reach(nil), sql: &database{Store: s.db}, log: &lines{Handler: slog.DiscardHandler}}
	box := inbox.New(i.raw, s.k, inbox.Options{SQL: s.db})
	c := guard.Config{
		Raw: i.raw, Keys: s.k, Store: i.sql, Inboxes: box, Every: 100 * time.Millisecond, Log: slog.New(i.log),
		Resend: func(ctx context.Context, since time.Time) error { return i.resend(ctx, box, since) },
	}
	if change != nil {
		change(&c)
	}
	i.Guard = guard.New(c)
	i.rdb = s.reach(i.OnConnect)
	i.Attach(i.rdb)
	i.box = inbox.New(i.rdb, s.k, inbox.Options{SQL: s.db})
	t.Cleanup(func() { _, _ = i.rdb.Close(), i.raw.Close() })
	return i
}

// running returns an instance that watches Redis and has an open gate.
func (s *site) running(t testing.TB, change func(*guard.Config)) *instance {
	t.Helper()
	i := s.instance(t, change)
	i.run(t)
	i.awaits(t, guard.Open)
	return i
}

func (i *instance) run(t testing.TB) {
	t.Helper()
	ctx, cancel := context.WithCancel(context.WithoutCancel(t.Context()))
	ended := make(chan error, 1)
	go func() { ended <- i.Run(ctx) }()
	t.Cleanup(func() {
		cancel()
		if err := <-ended; err != nil {
			t.Errorf("Run: %v", err)
		}
	})
}

// resend delivers the notices accepted or changed since then to all their recipients again.
func (i *instance) resend(ctx context.Context, box *inbox.Inbox, since time.Time) error {
	if err := i.sql.call("resend"); err != nil {
		return err
	}
	i.mu.Lock()
	i.resent = append(i.resent, since)
	i.mu.Unlock()
	ids, err := i.site.db.Since(ctx, since, 0, 1000)
	if err != nil {
		return err
	}
	all, err := i.site.db.Accepted(ctx, ids)
	if err != nil {
		return err
	}
	for _, a := range all {
		if err := deliver(ctx, box, a); errors.Is(err, notifier.ErrUnavailable) { // delivery would retry the other errors
			return err
		}
	}
	return nil
}

func (i *instance) resends() []time.Time {
	i.mu.Lock()
	defer i.mu.Unlock()
	return slices.Clone(i.resent)
}

func deliver(ctx context.Context, box *inbox.Inbox, a notifier.Acceptance) error {
	var seqs []int64
	for _, seq := range a.To.ToArray() {
		seqs = append(seqs, int64(seq))
	}
	d, err := a.Notice.Delivery(seqs)
	if err != nil {
		return err
	}
	_, errs := box.DeliverAll(ctx, []notifier.Delivery{d})
	return errs[0]
}

// notify accepts a notice to users and delivers it through the gate.
func (i *instance) notify(t testing.TB, subject string, seqs ...int64) {
	t.Helper()
	to := roaring.New()
	for _, seq := range seqs {
		to.Add(uint32(seq))
	}
	a := notifier.Acceptance{To: to, Notice: &notifier.Notice{
		Draft: notifier.Draft{Target: notifier.Target{Role: "all"}, Type: "news", Subject: subject, Title: "News", Sender: notifier.CommandRef("test")},
		State: notifier.StateAccepted, Revision: 1, CreatedAt: time.Now(), ExpiresAt: time.Now().Add(time.Hour),
	}}
	if err := i.site.db.AcceptAll(t.Context(), notifier.Deed{}, []*notifier.Acceptance{&a}); err != nil || a.Err != nil {
		t.Fatal(err, a.Err)
	}
	if err := deliver(t.Context(), i.box, a); err != nil {
		t.Fatalf("deliver %s: %v", subject, err)
	}
}

// flush writes all changes to SQL, as package behind does.
func (i *instance) flush(t testing.TB) {
	t.Helper()
	ctx, now := t.Context(), time.Now()
	for p := range keys.Partitions {
		if _, _, err := i.box.Ripen(ctx, p, now.Add(time.Hour), 1_000_000); err != nil {
			t.Fatal(err)
		}
		marks, err := i.box.Dirty(ctx, p, 1_000_000)
		if err != nil {
			t.Fatal(err)
		}
		if len(marks) == 0 {
			continue
		}
		seqs := make([]int64, len(marks))
		for n, m := range marks {
			seqs[n] = m.Seq
		}
		all, err := i.box.Read(ctx, seqs)
		if err == nil {
			err = i.site.db.SaveSnapshots(ctx, all)
		}
		if err == nil {
			err = i.box.Clean(ctx, p, marks)
		}
		if err != nil {
			t.Fatal(err)
		}
	}
	i.flushedUntil(t, now)
}

func (i *instance) flushedUntil(t testing.TB, at time.Time) {
	t.Helper()
	parts := map[int]time.Time{}
	for p := range 8 {
		parts[p] = at
	}
	if err := i.site.db.SetFlushed(t.Context(), parts); err != nil {
		t.Fatal(err)
	}
}

func key(subject string) string { return "news:" + subject }

// rows returns the keys of an inbox, newest first, with a + after read entries.
func (i *instance) rows(t testing.TB, seq int64) []string {
	t.Helper()
	page, err := i.box.Look(t.Context(), seq, notifier.Query{})
	if err != nil {
		t.Fatalf("look at the inbox of user %d: %v", seq, err)
	}
	var all []string
	for _, e := range page.Entries {
		word := e.Key[len("news:"):]
		if e.Read {
			word += "+"
		}
		all = append(all, word)
	}
	return all
}

func (i *instance) wantRows(t testing.TB, seq int64, want ...string) {
	t.Helper()
	if got := i.rows(t, seq); !slices.Equal(got, want) {
		t.Errorf("user %d has %v, want %v", seq, got, want)
	}
}

// awaits waits for a state by listening to Changed.
func (i *instance) awaits(t testing.TB, want guard.State) {
	t.Helper()
	for {
		changed := i.Changed()
		state := i.State()
		if state == want {
			return
		}
		testkit.Closed(t, fmt.Sprintf("the state is %s and becomes %s: %q", state, want, i.log.all()), changed)
	}
}

// lines collects log messages.
type lines struct {
	slog.Handler
	mu   sync.Mutex
	seen []string
}

func (l *lines) Enabled(context.Context, slog.Level) bool { return true }

func (l *lines) Handle(_ context.Context, r slog.Record) error {
	l.mu.Lock()
	defer l.mu.Unlock()
	text := r.Message
	r.Attrs(func(a slog.Attr) bool { text += " " + a.String(); return true })
	l.seen = append(l.seen, text)
	return nil
}

func (l *lines) all() []string {
	l.mu.Lock()
	defer l.mu.Unlock()
	return slices.Clone(l.seen)
}
