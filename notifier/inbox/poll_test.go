package inbox_test

import (
	"context"
	"errors"
	"fmt"
	"math"
	"sync/atomic"
	"testing"

	"github.com/redis/go-redis/v9"

	"github.com/carillonhq/carillon/internal/redistest"
	"github.com/carillonhq/carillon/notifier"
	"github.com/carillonhq/carillon/notifier/inbox"
)

// polled lists the notice ids of a poll, such as `3 2`.
func polled(p notifier.Poll) string { return titles(notifier.Page{Entries: p.Entries}) }

func TestAPollReturnsNewEntriesAndChangesNothing(t *testing.T) {
	onEachRedis(t, func(t *testing.T, s *site) {
		empty, err := s.Poll(t.Context(), 43, notifier.PollQuery{Since: 7})
		if err != nil || len(empty.Entries) != 0 || empty.Newest != 7 || empty.Ver == 0 || empty.Next != 0 {
			t.Errorf("an empty inbox: %+v, %v", empty, err)
		}
		s.fill(t, 42, 1, 5)
		if _, _, err := s.MarkRead(t.Context(), 42, key(4)); err != nil {
			t.Fatal(err)
		}
		before, heard := s.sound(t, 42), s.listen(t, 42)
		at := func(id int64) int64 { return startTime + id } // the inbox itself started at startTime
		for _, c := range []struct {
			q     notifier.PollQuery
			shows string
			next  int64
		}{
			{notifier.PollQuery{}, "5 4 3 2 1", 0},
			{notifier.PollQuery{Since: -5, After: -5, Limit: -5}, "5 4 3 2 1", 0},
			{notifier.PollQuery{Since: at(3)}, "5 4", 0},
			{notifier.PollQuery{Since: at(3) - 1}, "5 4 3", 0},
			{notifier.PollQuery{Since: at(5)}, "", 0},
			{notifier.PollQuery{Since: at(5) + 1_000_000}, "", 0},
			{notifier.PollQuery{Limit: 2}, "5 4", at(4)},
			{notifier.PollQuery{Limit: 2, After: at(4)}, "3 2", at(2)},
			{notifier.PollQuery{Limit: 2, After: at(2)}, "1", 0},
			{notifier.PollQuery{Limit: 2, After: at(4), Since: at(1)}, "3 2", 0},
			{notifier.PollQuery{After: 1}, "", 0},
			{notifier.PollQuery{After: 1 << 60, Limit: 1 << 40}, "5 4 3 2 1", 0},
			{notifier.PollQuery{Since: notifier.MaxAt}, "", 0},
			{notifier.PollQuery{Since: notifier.MaxAt + 2}, "", 0}, // Lua numbers are doubles
			{notifier.PollQuery{Since: math.MaxInt64}, "", 0},
		} {
			p, err := s.Poll(t.Context(), 42, c.q)
			newest := min(max(at(5), c.q.Since), notifier.MaxAt)
			if err != nil || polled(p) != c.shows || p.Next != c.next || p.Unread != 4 || p.Newest != newest || p.Ver != at(5)+1 {
				t.Errorf("%+v: %q, next %d, newest %d, ver %d, %v; want %q, %d, %d", c.q, polled(p), p.Next, p.Newest, p.Ver, err, c.shows, c.next, newest)
			}
		}
		if p, err := s.Poll(t.Context(), 42, notifier.PollQuery{}); err != nil || !p.Entries[1].Read || p.Entries[0].Read || p.Entries[0].New {
			t.Errorf("%+v, %v", p, err)
		}
		same(t, "polling", before, s.stored(t, 42))
		if told := heard.heard(t); len(told) != 0 {
			t.Errorf("published %+v", told)
		}
	})
}

func TestAPollOfOneScopeMissesNothing(t *testing.T) {
	onEachRedis(t, func(t *testing.T, s *site) {
		for id := int64(1); id <= 9; id++ {
			n := s.notice(id, fmt.Sprint("photo:", id))
			n.Scope = []string{"west", "east", ""}[id%3]
			s.deliver(t, 42, n)
		}
		for _, c := range []struct {
			scope string
			limit int
			pages []string
		}{
			{"west", 0, []string{"9 6 3"}},
			{"west", 3, []string{"9 6 3"}},
			{"west", 2, []string{"9 6", "3"}},
			{"east", 1, []string{"7", "4", "1"}},
			{"north", 1, []string{""}},
			{"", 8, []string{"9 8 7 6 5 4 3 2", "1"}},
		} {
			q := notifier.PollQuery{Scope: c.scope, Limit: c.limit}
			for i, want := range c.pages {
				p, err := s.Poll(t.Context(), 42, q)
				last := i == len(c.pages)-1
				if err != nil || polled(p) != want || (p.Next == 0) != last || p.Newest != startTime+9 || p.Unread != 9 {
					t.Errorf("page %d of %+v: %q, %+v, %v; want %q", i, c, polled(p), p, err, want)
				}
				q.After = p.Next
			}
		}
	})
}

// TestAPollSearchesAScopeBeyondAThousandRows has more rows than one reply may hold.
func TestAPollSearchesAScopeBeyondAThousandRows(t *testing.T) {
	t.Parallel()
	s := newSite(t, redistest.Client(t), 0)
	s.Inbox = inbox.New(s.rdb, s.k, inbox.Options{Cap: 3000, Now: s.clock.now})
	for id := int64(1); id <= 2100; id++ {
		n := s.notice(id, fmt.Sprint("photo:", id))
		if id == 1 || id == 2 || id == 1050 {
			n.Scope = "rare"
		}
		s.deliver(t, 42, n)
	}
	q := notifier.PollQuery{Scope: "rare", Limit: 2}
	first, err := s.Poll(t.Context(), 42, q)
	if err != nil || polled(first) != "1050 2" || first.Newest != startTime+2100 {
		t.Errorf("first page: %q, %+v, %v", polled(first), first, err)
	}
	q.After = first.Next
	if p, err := s.Poll(t.Context(), 42, q); err != nil || polled(p) != "1" || p.Next != 0 {
		t.Errorf("second page: %q, %+v, %v", polled(p), p, err)
	}
}

func TestEntriesDeliveredBetweenTwoPagesAreInTheNextPoll(t *testing.T) {
	onEachRedis(t, func(t *testing.T, s *site) {
		s.fill(t, 42, 1, 3)
		first, err := s.Poll(t.Context(), 42, notifier.PollQuery{Limit: 2})
		if err != nil {
			t.Fatal(err)
		}
		s.fill(t, 42, 4, 4)
		s.deliver(t, 42, s.notice(5, "photo:1")) // a new notice with the same key moves to the top
		second, err := s.Poll(t.Context(), 42, notifier.PollQuery{Limit: 2, After: first.Next})
		if err != nil || polled(second) != "" || second.Next != 0 {
			t.Errorf("the second page: %q, %+v, %v", polled(second), second, err)
		}
		if next, err := s.Poll(t.Context(), 42, notifier.PollQuery{Since: first.Newest}); err != nil || polled(next) != "5 4" {
			t.Errorf("the next poll: %q, %v", polled(next), err)
		}
	})
}

func TestADamagedRowDoesNotHideOthersFromAPoll(t *testing.T) {
	t.Parallel()
	s := newSite(t, redistest.Client(t), 0)
	s.fill(t, 42, 1, 3)
	field := key(3) + notifier.UnreadSuffix
	for _, value := range []string{"", "no such row", "3 x 0 {}"} {
		if err := s.rdb.HSet(t.Context(), s.k.Hash(42), field, value).Err(); err != nil {
			t.Fatal(err)
		}
		p, err := s.Poll(t.Context(), 42, notifier.PollQuery{Since: startTime + 1})
		if err != nil || polled(p) != "2" || p.Next != 0 {
			t.Errorf("%q: %q, %+v, %v", value, polled(p), p, err)
		}
	}
}

func TestPollingAColdInboxRestoresIt(t *testing.T) {
	onEachRedis(t, func(t *testing.T, s *site) {
		h := s.beside(0)
		s.lived(t, h, 42)
		want, err := s.Poll(t.Context(), 42, notifier.PollQuery{})
		if err != nil || len(want.Entries) != 5 {
			t.Fatal(want, err)
		}
		s.lose(t, 42)
		got, err := s.Poll(t.Context(), 42, notifier.PollQuery{})
		if err != nil || polled(got) != polled(want) || got.Newest != want.Newest || got.Unread != want.Unread || got.Ver != want.Ver {
			t.Errorf("%+v, %v; want %+v", got, err, want)
		}
		h.nobody[44] = true
		if _, err := s.Poll(t.Context(), 44, notifier.PollQuery{}); !errors.Is(err, notifier.ErrNotFound) {
			t.Errorf("unknown user: %v", err)
		}
	})
}

// trips counts the round trips to Redis.
type trips struct {
	redis.Hook
	n atomic.Int64
}

func (c *trips) DialHook(next redis.DialHook) redis.DialHook { return next }

func (c *trips) ProcessHook(next redis.ProcessHook) redis.ProcessHook {
	return func(ctx context.Context, cmd redis.Cmder) error {
		if cmd.Name() != "hello" { // sent on new connections
			c.n.Add(1)
		}
		return next(ctx, cmd)
	}
}

func (c *trips) ProcessPipelineHook(next redis.ProcessPipelineHook) redis.ProcessPipelineHook {
	return func(ctx context.Context, cmds []redis.Cmder) error {
		c.n.Add(1)
		return next(ctx, cmds)
	}
}

func TestPollReadKeysAndReadSubjectTakeOneRoundTrip(t *testing.T) {
	t.Parallel()
	s := newSite(t, redistest.Client(t), 0)
	s.fill(t, 42, 1, 60)
	if err := s.Load(t.Context()); err != nil {
		t.Fatal(err)
	}
	var sent trips
	s.rdb.AddHook(&sent)
	for name, call := range map[string]func(ctx context.Context) error{
		"Poll": func(ctx context.Context) error {
			_, err := s.Poll(ctx, 42, notifier.PollQuery{Scope: "none", Limit: 5})
			return err
		},
		"ReadKeys": func(ctx context.Context) error {
			_, err := s.ReadKeys(ctx, 42, []string{key(1), key(30), key(60)})
			return err
		},
		"ReadSubject": func(ctx context.Context) error {
			_, err := s.ReadSubject(ctx, 42, "photo:7", 0)
			return err
		},
	} {
		sent.n.Store(0)
		if err := call(t.Context()); err != nil || sent.n.Load() != 1 {
			t.Errorf("%s took %d round trips, %v", name, sent.n.Load(), err)
		}
	}
}
