package soak

import (
	"context"
	"net/url"
	"testing"
	"time"

	"github.com/redis/go-redis/v9"

	"github.com/carillonhq/carillon/internal/faulty"
	"github.com/carillonhq/carillon/internal/sqltest"
	"github.com/carillonhq/carillon/internal/testkit"
)

// breakable is a site whose Redis and SQL, and the connections to them, can be made to fail.
type breakable struct {
	*site
	redis      *redisServer
	toRedis    *faulty.Proxy
	toSQL      *faulty.Proxy // nil: SQLite
	sqlAddress string        // address of PostgreSQL, from OwnURL
}

func newBreakable(t *testing.T, postgres bool, redisArgs ...string) *breakable {
	t.Helper()
	b := &breakable{redis: newRedis(t, redisArgs...)}
	b.toRedis = faulty.Listen(t, "unix", b.redis.socket)
	h := how{redisURL: b.toRedis.URL("redis"), redis: redis.NewClient(&redis.Options{Addr: b.redis.socket})}
	if postgres {
		b.sqlAddress = sqltest.OwnURL(t)
		u, err := url.Parse(b.sqlAddress)
		if err != nil {
			t.Fatal(err)
		}
		// The socket is named after a port on which no server listens.
		b.toSQL = faulty.Listen(t, "unix", u.Query().Get("host")+"/.s.PGSQL.5432")
		h.directSQL = b.sqlAddress
		u.Host, u.RawQuery = b.toSQL.Addr(), "sslmode=disable"
		h.sqlURL = u.String()
	}
	b.site = newSite(t, h)
	return b
}

// fault is a failure that is caused while users are active.
type fault struct {
	name     string
	postgres bool     // the fault concerns SQL, and needs PostgreSQL
	redis    []string // arguments of redis-server
	early    func(t *testing.T, b *breakable)
	begin    func(t *testing.T, b *breakable)
	end      func(t *testing.T, b *breakable)
	refuses  bool // meanwhile senders are rejected
	silent   bool // meanwhile requests get no response
}

var withFile = []string{"--appendonly", "yes", "--appendfsync", "everysec"}

func nothing(*testing.T, *breakable) {}

var faults = []fault{
	{
		name: "redis is killed and comes back with its file", redis: withFile,
		begin: func(_ *testing.T, b *breakable) { b.redis.kill() },
		end:   func(_ *testing.T, b *breakable) { b.redis.start() },
	},
	{
		name:  "redis is killed and comes back with an older file",
		early: func(t *testing.T, b *breakable) { b.redis.do(t.Context(), "SAVE") },
		begin: func(_ *testing.T, b *breakable) { b.redis.kill() },
		end:   func(_ *testing.T, b *breakable) { b.redis.start() },
	},
	{
		name:  "redis is killed and comes back empty",
		begin: func(_ *testing.T, b *breakable) { b.redis.kill() },
		end:   func(_ *testing.T, b *breakable) { b.redis.start() },
	},
	{
		name:  "redis is flushed",
		begin: func(t *testing.T, b *breakable) { b.redis.do(t.Context(), "FLUSHALL") },
		end:   nothing,
	},
	{
		name:  "redis is full",
		begin: func(t *testing.T, b *breakable) { b.redis.do(t.Context(), "CONFIG", "SET", "maxmemory", "1mb") },
		end:   func(t *testing.T, b *breakable) { b.redis.do(t.Context(), "CONFIG", "SET", "maxmemory", "0") },
	},
	{
		name:  "the connection to redis is slow",
		begin: func(_ *testing.T, b *breakable) { b.toRedis.Delay(40 * time.Millisecond) },
		end:   func(_ *testing.T, b *breakable) { b.toRedis.Delay(0) },
	},
	{
		name: "connections to redis are cut",
		begin: func(t *testing.T, b *breakable) {
			for range 5 {
				b.toRedis.Cut()
				b.wait(t, 2)
			}
		},
		end: nothing,
	},
	{
		name:  "redis refuses connections",
		begin: func(_ *testing.T, b *breakable) { b.toRedis.Refuse(true) },
		end:   func(_ *testing.T, b *breakable) { b.toRedis.Refuse(false) },
	},
	{
		name:  "the connection to redis is a black hole",
		begin: func(_ *testing.T, b *breakable) { b.toRedis.Hole(true) },
		end:   func(_ *testing.T, b *breakable) { b.toRedis.Hole(false) },
	},
	{
		name: "postgresql is stopped", postgres: true, refuses: true,
		begin: func(t *testing.T, b *breakable) { sqltest.Cut(t, b.sqlAddress) },
		end:   func(t *testing.T, b *breakable) { sqltest.Mend(t, b.sqlAddress) },
	},
	{
		name: "connections to postgresql are cut", postgres: true,
		begin: func(t *testing.T, b *breakable) {
			for range 5 {
				b.toSQL.Cut()
				b.wait(t, 2)
			}
		},
		end: nothing,
	},
	{
		name: "the connection to postgresql is slow", postgres: true,
		begin: func(_ *testing.T, b *breakable) { b.toSQL.Delay(40 * time.Millisecond) },
		end:   func(_ *testing.T, b *breakable) { b.toSQL.Delay(0) },
	},
	{
		name: "the connection to postgresql is a black hole", postgres: true, silent: true,
		begin: func(t *testing.T, b *breakable) {
			b.toSQL.Hole(true)
			testkit.Eventually(t, "an instance notices that SQL does not answer", func() bool { return !b.ready(t, 0) })
		},
		end: func(_ *testing.T, b *breakable) { b.toSQL.Hole(false) },
	},
}

func TestFaultsLoseNoAcceptedNoticeAndKeepBadgesRight(t *testing.T) {
	for _, f := range faults {
		t.Run(f.name, func(t *testing.T) {
			t.Parallel()
			f.test(t)
		})
	}
}

func (f *fault) test(t *testing.T) {
	b := newBreakable(t, f.postgres, f.redis...)
	watchers := b.watch()
	senders := b.send()
	for range *rounds {
		reads := b.read()
		b.wait(t, 10)
		if f.early != nil {
			f.early(t, b)
			b.wait(t, 10)
		}
		reads.stop()
		before := b.settled(t)
		f.begin(t, b)
		switch {
		case f.refuses:
			was := b.book.truth().refused
			testkit.Eventually(t, "senders are refused", func() bool { return b.book.truth().refused > was })
		case !f.silent:
			b.wait(t, 10)
		}
		f.end(t, b)
		b.wait(t, 10)
		senders.stop()
		b.holds(t, watchers...)
		b.stayed(t, before)
		senders = b.send()
	}
	senders.stop()
}

// settled waits until SQL contains the last change of every reader's inbox, and returns the inboxes.
func (s *site) settled(t *testing.T) map[string]*shelf {
	t.Helper()
	shelves, err := s.shelves(t.Context())
	if err != nil {
		t.Fatal(err)
	}
	s.within(t, agree, func(ctx context.Context) (bad []string) {
		found, err := s.db.Snapshots(ctx, s.readerSeqs())
		if err != nil {
			return []string{err.Error()}
		}
		for n := 1; n <= readers; n++ {
			name := reader(n)
			if saved := found[s.seqs[name]]; saved.Ver < shelves[name].ver() {
				bad = append(bad, name+" is not saved")
			}
		}
		return bad
	})
	return shelves
}

// stayed fails the test if a row that was read in before is unread now.
func (s *site) stayed(t *testing.T, before map[string]*shelf) {
	t.Helper()
	after, err := s.shelves(t.Context())
	if err != nil {
		t.Fatal(err)
	}
	for n := 1; n <= readers; n++ {
		name := reader(n)
		for field, id := range before[name].read() {
			if now, ok := after[name].unreadRows()[field]; ok && now == id {
				t.Errorf("%s had read notice %s at %s, and it is unread again", name, id, field)
			}
		}
	}
}
