package inbox_test

import (
	"context"
	"fmt"
	"strings"
	"sync/atomic"
	"testing"
	"time"

	"github.com/redis/go-redis/v9"
	"go.uber.org/goleak"
	"pgregory.net/rapid"

	"github.com/carillonhq/carillon/internal/redistest"
	"github.com/carillonhq/carillon/notifier"
	"github.com/carillonhq/carillon/notifier/inbox"
	"github.com/carillonhq/carillon/notifier/keys"
)

func TestMain(m *testing.M) { goleak.VerifyTestMain(redistest.Wrap(m)) }

// tb is a test, a benchmark, or a run of a rapid property.
type tb interface {
	rapid.TB
	Context() context.Context
	Cleanup(f func())
}

// clock is a clock that only the tests move.
type clock struct{ ms atomic.Int64 }

const startTime = 1_700_000_000_000

func (c *clock) now() time.Time               { return time.UnixMilli(c.ms.Load()) }
func (c *clock) pass(d time.Duration)         { c.ms.Add(d.Milliseconds()) }
func (c *clock) in(d time.Duration) time.Time { return c.now().Add(d) }

// site is the inboxes of one key space on one kind of Redis.
type site struct {
	*inbox.Inbox
	rdb   redis.UniversalClient
	k     keys.Space
	clock *clock
}

func newSite(t testing.TB, rdb redis.UniversalClient, limit int) *site {
	t.Helper()
	s := &site{rdb: rdb, k: redistest.Space(t), clock: &clock{}}
	s.clock.ms.Store(startTime)
	s.Inbox = inbox.New(rdb, s.k, inbox.Options{Cap: limit, Now: s.clock.now})
	return s
}

// onEachRedis runs a test on a strict server and on miniredis.
func onEachRedis(t *testing.T, promise func(t *testing.T, s *site)) {
	t.Helper()
	redistest.OnEach(t, func(t *testing.T, rdb redis.UniversalClient) { t.Helper(); promise(t, newSite(t, rdb, 0)) })
}

// notice returns a notice of type `like` to one user. Without a subject its key is
// `like:notice_id:N`.
func (s *site) notice(id int64, subject string) *notifier.Notice {
	return &notifier.Notice{
		ID: id, CreatedAt: s.clock.now(), ExpiresAt: s.clock.in(90 * 24 * time.Hour), Recipients: 1,
		Draft: notifier.Draft{
			Type: "like", Subject: subject, Title: fmt.Sprintf("Notice %d", id), Body: "line 1\nline 2 \u2028 \"<&", Link: "/photos/1",
			Target: notifier.Target{Users: []string{"alice"}},
		},
	}
}

// aged makes a notice old, so that its delivery makes a dirty mark.
func aged(n *notifier.Notice) *notifier.Notice {
	n.CreatedAt = n.CreatedAt.Add(-time.Hour)
	return n
}

// deliver delivers to one user, and advances the clock by a millisecond.
func (s *site) deliver(t tb, seq int64, n *notifier.Notice) int {
	t.Helper()
	changed, err := s.Deliver(t.Context(), n, []int64{seq})
	if err != nil {
		t.Fatal(err)
	}
	s.clock.pass(time.Millisecond)
	return changed
}

// fill delivers notices first..last with subjects photo:1, photo:2, …
func (s *site) fill(t tb, seq, first, last int64) {
	t.Helper()
	for id := first; id <= last; id++ {
		if got := s.deliver(t, seq, s.notice(id, fmt.Sprintf("photo:%d", id))); got != 1 {
			t.Fatalf("delivering notice %d changed %d inboxes, want 1", id, got)
		}
	}
}

func key(id int64) string { return fmt.Sprintf("like:photo:%d", id) }

// one returns the only entry of a Take.
func one(entries []notifier.Entry, badge notifier.Badge, err error) (notifier.Entry, notifier.Badge, error) {
	if len(entries) != 1 {
		return notifier.Entry{}, badge, err
	}
	return entries[0], badge, err
}

func badgeAlone(_ []string, badge notifier.Badge, err error) (notifier.Badge, error) {
	return badge, err
}

// titles lists the titles of a page, such as `Notice 3*, Notice 2`; a star stands for New.
func titles(p notifier.Page) string {
	parts := make([]string, len(p.Entries))
	for i, e := range p.Entries {
		parts[i] = strings.TrimPrefix(e.Title, "Notice ")
		if e.New {
			parts[i] += "*"
		}
	}
	return strings.Join(parts, " ")
}

// counted returns how many users received a notice, and how many have read it.
func (s *site) counted(ctx context.Context, noticeID int64) (delivered, read int64, err error) {
	counts, err := s.Counts(ctx, []int64{noticeID})
	if err != nil {
		return 0, 0, err
	}
	return counts[0].Delivered, counts[0].Read, nil
}
