package soak

import (
	"cmp"
	"context"
	"database/sql"
	"fmt"
	"net/http"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"sync/atomic"
	"testing"

	"github.com/alexedwards/argon2id"
	"github.com/redis/go-redis/v9"

	"github.com/carillonhq/carillon/notifier/keys"
	"github.com/carillonhq/carillon/store"
)

const (
	prefix   = "soak:"
	password = "correct horse battery"
	staff    = "alice"

	readers   = 12  // u1 to u12 receive, read and delete their own notices, and watch their badges
	fewSize   = 5   // members of the role few: the first readers
	crowdSize = 650 // members of the role crowd: more than one range of the intake; readers are among them
)

// how describes the parts of a site.
type how struct {
	redisURL  string                // for the instances: may lead through a proxy
	redis     redis.UniversalClient // for the test: a direct connection without faults
	sqlURL    string                // for the instances; empty: SQLite
	directSQL string                // for the test; empty: as for the instances
	instances int                   // 0 means two
	program   string                // of the instances; empty: the one under test
	flags     []string              // for the instances, in addition
}

// site is a number of instances on one Redis and one SQL database, and the test's record of them.
type site struct {
	t       *testing.T
	program string
	flags   []string
	slots   []atomic.Pointer[instance]

	keys keys.Space
	rdb  redis.UniversalClient
	db   *store.Store // nil until openStore, while only an older program may migrate
	raw  *sql.DB      // the same database, for queries that store lacks

	seqs  map[string]int64 // of all users
	roles map[string][]string
	book  *ledger

	openStore func()
}

func newSite(t *testing.T, h how) *site {
	t.Helper()
	dir := t.TempDir()
	s := &site{t: t, program: cmp.Or(h.program, program), keys: keys.New(prefix), seqs: map[string]int64{}, roles: map[string][]string{}, book: newLedger()}
	s.flags = []string{
		"--data-dir", dir, "--redis-prefix", prefix, "--redis-url", h.redisURL, "--inbox-cap", "10000",
	}
	s.flags = append(s.flags, h.flags...)
	if h.sqlURL != "" {
		s.flags = append(s.flags, "--database-url", h.sqlURL)
	}
	s.rdb = h.redis
	t.Cleanup(func() { _ = s.rdb.Close() })
	s.people(dir)
	if h.directSQL == "" {
		h.directSQL = h.sqlURL
	}
	s.readSeqs(dir, h.directSQL)
	s.openStore = func() { s.open(dir, h.directSQL) }
	if h.program == "" {
		s.openStore()
	}
	s.slots = make([]atomic.Pointer[instance], cmp.Or(h.instances, 2))
	for slot := range s.slots {
		s.start(slot)
	}
	return s
}

// open opens SQL for the test, which migrates it.
func (s *site) open(dir, url string) {
	s.t.Helper()
	db, err := store.Open(s.t.Context(), store.Config{URL: url, DataDir: dir})
	if err != nil {
		s.t.Fatal(err)
	}
	s.t.Cleanup(func() { _ = db.Close() })
	s.db = db
}

// readSeqs reads the number of each user.
func (s *site) readSeqs(dir, url string) {
	s.t.Helper()
	driver, name := "pgx", url
	if url == "" {
		driver, name = "sqlite", "file:"+filepath.Join(dir, "carillon.db")+"?mode=ro&_pragma=busy_timeout(15000)"
	}
	var err error
	if s.raw, err = sql.Open(driver, name); err != nil {
		s.t.Fatal(err)
	}
	s.t.Cleanup(func() { _ = s.raw.Close() })
	rows, err := s.raw.QueryContext(s.t.Context(), `SELECT name, seq FROM users`)
	if err != nil {
		s.t.Fatal(err)
	}
	defer rows.Close()
	for rows.Next() {
		var name string
		var seq int64
		if err := rows.Scan(&name, &seq); err != nil {
			s.t.Fatal(err)
		}
		s.seqs[name] = seq
	}
	if err := rows.Err(); err != nil {
		s.t.Fatal(err)
	}
}

// people adds all users: alice, who sends, and the crowd.
func (s *site) people(dir string) {
	s.t.Helper()
	// The hash is cheap to check, because the cost of passwords is not under test.
	hash, err := argon2id.CreateHash(password, &argon2id.Params{Memory: 1024, Iterations: 1, Parallelism: 1, SaltLength: 16, KeyLength: 32})
	if err != nil {
		s.t.Fatal(err)
	}
	var b strings.Builder
	fmt.Fprintf(&b, "name,password_hash,roles\n%s,\"%s\",staff\n", staff, hash)
	for n := 1; n <= crowdSize; n++ {
		name, roles := reader(n), "crowd"
		s.roles["crowd"] = append(s.roles["crowd"], name)
		if n <= fewSize {
			roles += ";few"
			s.roles["few"] = append(s.roles["few"], name)
		}
		fmt.Fprintf(&b, "%s,\"%s\",%s\n", name, hash, roles)
	}
	file := filepath.Join(dir, "people.csv")
	if err := os.WriteFile(file, []byte(b.String()), 0o600); err != nil {
		s.t.Fatal(err)
	}
	s.carillon("user", "import", file)
}

func reader(n int) string { return fmt.Sprintf("u%d", n) }

// carillon runs a command to its end and returns its output.
func (s *site) carillon(args ...string) string {
	s.t.Helper()
	ctx, cancel := context.WithTimeout(s.t.Context(), patience)
	defer cancel()
	var errs strings.Builder
	cmd := exec.CommandContext(ctx, s.program, append(args, s.flags...)...)
	cmd.Stderr = &errs
	out, err := cmd.Output()
	if err != nil {
		s.t.Fatalf("carillon %s: %v\n%s", strings.Join(args, " "), err, errs.String())
	}
	return string(out)
}

// start starts a new instance in a slot.
func (s *site) start(slot int) { s.t.Helper(); s.slots[slot].Store(start(s.t, s.program, s.flags...)) }

// ready reports whether the instance in a slot is ready, which means that its pages work.
func (s *site) ready(t *testing.T, slot int) bool {
	t.Helper()
	r, err := http.NewRequestWithContext(t.Context(), http.MethodGet, s.slots[slot].Load().url+"/readyz", http.NoBody)
	if err != nil {
		t.Fatal(err)
	}
	res, err := http.DefaultClient.Do(r)
	if err != nil {
		return false
	}
	defer func() { _ = res.Body.Close() }()
	return res.StatusCode == http.StatusOK
}

func (s *site) readerSeqs() (seqs []int64) {
	for n := 1; n <= readers; n++ {
		seqs = append(seqs, s.seqs[reader(n)])
	}
	return seqs
}
