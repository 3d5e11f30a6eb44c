package announcement_test

import (
	"context"
	"flag"
	"log/slog"
	"slices"
	"strconv"
	"testing"
	"time"

	"github.com/redis/go-redis/v9"
	"go.uber.org/goleak"
	"pgregory.net/rapid"

	"github.com/carillonhq/carillon/internal/redistest"
	"github.com/carillonhq/carillon/notifier"
	"github.com/carillonhq/carillon/notifier/announcement"
	"github.com/carillonhq/carillon/notifier/keys"
)

// The pool of a closed client tries to reach a lost server for up to another second.
func TestMain(m *testing.M) {
	// Each check runs some 30 steps, half a second on miniredis under the race detector. Use
	// -rapid.checks=1000 for more.
	if err := flag.Set("rapid.checks", "30"); err != nil {
		panic(err)
	}
	goleak.VerifyTestMain(redistest.Wrap(m),
		goleak.IgnoreAnyFunction("github.com/redis/go-redis/v9/internal/pool.(*ConnPool).tryDial"))
}

// tb is a test, a benchmark or a run of a property.
type tb interface {
	rapid.TB
	Context() context.Context
	Cleanup(f func())
}

const (
	operator notifier.Audience = 1
	user     notifier.Audience = 2
	customer notifier.Audience = 3
)

var audiences = []notifier.Audience{operator, user, customer}

// site is the announcements of one key prefix on one kind of Redis, with a fake SQL.
type site struct {
	*announcement.Announcements
	rdb redis.UniversalClient
	k   keys.Space
	sql *sql
}

// newSite returns a site with the users 1 to 9, all customers.
func newSite(t testing.TB, rdb redis.UniversalClient) *site {
	t.Helper()
	s := &site{rdb: rdb, k: redistest.Space(t), sql: newSQL()}
	for range 9 {
		s.sql.join(customer)
	}
	s.Announcements = s.another(announcement.Options{})
	return s
}

// another returns another instance on the same Redis and SQL.
func (s *site) another(o announcement.Options) *announcement.Announcements {
	o.Audiences = audiences
	if o.Log == nil {
		o.Log = slog.New(slog.DiscardHandler)
	}
	return announcement.New(s.rdb, s.k, s.sql, o)
}

// onEachRedis runs a test on a strict server and on miniredis.
func onEachRedis(t *testing.T, promise func(t *testing.T, s *site)) {
	t.Helper()
	redistest.OnEach(t, func(t *testing.T, rdb redis.UniversalClient) { t.Helper(); promise(t, newSite(t, rdb)) })
}

// onAllRedis is onEachRedis with a cluster. The tests of marks, flushes, moves and edits run on it.
func onAllRedis(t *testing.T, promise func(t *testing.T, s *site)) {
	t.Helper()
	redistest.OnAll(t, func(t *testing.T, rdb redis.UniversalClient) { t.Helper(); promise(t, newSite(t, rdb)) })
}

// draft returns an announcement to customers that is open from an hour ago to an hour from now.
func draft(title string, to ...notifier.Audience) *notifier.Announcement {
	if len(to) == 0 {
		to = []notifier.Audience{customer}
	}
	now := time.Now().Truncate(time.Millisecond)
	return &notifier.Announcement{Notice: notifier.Notice{
		State: notifier.StateSent, CreatedAt: now,
		Draft: notifier.Draft{
			Type: notifier.TypeAnnouncement, Title: title, Body: "line 1\nline 2 \u2028 \"<&", Link: "/news/1",
			Target: notifier.Target{Audiences: to},
			Window: notifier.Window{StartsAt: now.Add(-time.Hour), EndsAt: now.Add(time.Hour)},
		},
	}}
}

// publish stores an announcement and updates the indexes.
func (s *site) publish(t tb, n *notifier.Announcement) int64 {
	t.Helper()
	id := s.sql.announce(n)
	s.sync(t)
	return id
}

func (s *site) sync(t tb) {
	t.Helper()
	if err := s.Sync(t.Context()); err != nil {
		t.Fatal(err)
	}
}

func reader(seq int64) notifier.Reader { return notifier.Reader{Seq: seq, Audience: customer} }

// badge returns the badge of one customer.
func (s *site) badge(t tb, seq int64) notifier.Badge {
	t.Helper()
	badges, err := s.Badges(t.Context(), []notifier.Reader{reader(seq)})
	if err != nil {
		t.Fatal(err)
	}
	return badges[0]
}

func (s *site) unread(t tb, seq, want int64) {
	t.Helper()
	if b := s.badge(t, seq); b.Unread != want || b.Announcements != want || b.AVer == 0 || b.Inbox != 0 || b.Ver != 0 {
		t.Errorf("customer %d has the badge %+v, want %d unread", seq, b, want)
	}
}

func (s *site) read(t tb, seq, id int64) notifier.Badge {
	t.Helper()
	b, err := s.MarkRead(t.Context(), reader(seq), id)
	if err != nil {
		t.Fatal(err)
	}
	return b
}

// stored is everything that Redis stores for an audience.
type stored struct {
	AVer                           string
	Open, Scheduled, Marked, Dirty map[string]string
	Windows                        map[string]string
	Bits                           map[int64][]int64 // id → the seqs whose bit is set
}

func (s *site) stored(t tb, a notifier.Audience) stored {
	t.Helper()
	ctx := t.Context()
	set := func(key string) map[string]string {
		all := map[string]string{}
		for _, z := range s.rdb.ZRangeWithScores(ctx, key, 0, -1).Val() {
			all[z.Member.(string)] = strconv.FormatFloat(z.Score, 'f', 0, 64)
		}
		return all
	}
	at := stored{
		AVer: s.rdb.Get(ctx, s.k.AVer(a)).Val(), Open: set(s.k.Open(a)), Scheduled: set(s.k.Scheduled(a)),
		Marked: set(s.k.Marked(a)), Dirty: set(s.k.DirtyBits(a)), Windows: s.rdb.HGetAll(ctx, s.k.Windows(a)).Val(),
		Bits: map[int64][]int64{},
	}
	delete(at.Dirty, "0") // the latest change in SQL
	for _, key := range []string{s.k.AVer(a), s.k.Open(a), s.k.Scheduled(a), s.k.Windows(a), s.k.Marked(a), s.k.DirtyBits(a)} {
		s.foreverOrGone(t, key)
	}
	for id := int64(1); id <= s.sql.lastID(); id++ {
		text, err := s.rdb.Get(ctx, s.k.Bits(a, id)).Result()
		if err != nil {
			continue
		}
		s.foreverOrGone(t, s.k.Bits(a, id))
		at.Bits[id] = []int64{}
		for i := range int64(len(text)) * 8 {
			if text[i/8]>>(7-i%8)&1 == 1 {
				at.Bits[id] = append(at.Bits[id], i)
			}
		}
	}
	return at
}

// foreverOrGone checks that no announcement key has a TTL: keys are removed and never expire.
func (s *site) foreverOrGone(t tb, key string) {
	t.Helper()
	if ttl := s.rdb.PTTL(t.Context(), key).Val(); ttl >= 0 {
		t.Errorf("%s expires in %v", key, ttl)
	}
}

// titles returns the titles of a list, as `B*, A`; a star means unread.
func titles(p notifier.OpenAnnouncements) (all []string) {
	for _, i := range p.Items {
		star := "*"
		if i.Read {
			star = ""
		}
		all = append(all, i.Title+star)
	}
	return slices.Clip(all)
}
