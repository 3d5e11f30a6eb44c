package guard_test

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"strconv"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/redis/go-redis/v9"

	"github.com/carillonhq/carillon/internal/redistest"
	"github.com/carillonhq/carillon/notifier"
	"github.com/carillonhq/carillon/notifier/guard"
	"github.com/carillonhq/carillon/notifier/keys"
)

// deleteUsers deletes the given users of the site as `user delete` does.
func (i *instance) deleteUsers(t testing.TB, users ...int) (seqs []int64) {
	t.Helper()
	for _, n := range users {
		seq := i.site.seqs[n]
		if err := i.box.Erase(t.Context(), seq); err != nil {
			t.Fatal(err)
		}
		u, _, err := i.site.db.BeginDeletion(t.Context(), fmt.Sprint("u", n+1))
		if err != nil || u.Seq != seq {
			t.Fatalf("deleted %+v, want user %d: %v", u, seq, err)
		}
		if err := errors.Join(i.site.db.Forget(t.Context(), u, nil, nil), i.site.db.EndDeletion(t.Context(), seq)); err != nil {
			t.Fatal(err)
		}
		if err := i.box.Erase(t.Context(), seq); err != nil {
			t.Fatal(err)
		}
		seqs = append(seqs, seq)
	}
	return seqs
}

// wantNothingOf searches all keys and values for the given users and for a word sent only to them.
func (i *instance) wantNothingOf(t *testing.T, word string, seqs ...int64) {
	t.Helper()
	var mu sync.Mutex // masters are read concurrently
	seen := 0
	prefix, _, _ := strings.Cut(i.site.k.Flushed(0), "flushed")
	look := func(ctx context.Context, c *redis.Client) error {
		all := c.Scan(ctx, 0, prefix+"*", 1000).Iterator()
		for all.Next(ctx) {
			values := valuesOf(ctx, c, all.Val())
			mu.Lock()
			seen += len(values)
			for _, seq := range seqs {
				if strings.HasSuffix(all.Val(), fmt.Sprint(":user_id:", seq)) {
					t.Errorf("user %d is deleted, but there is %s", seq, all.Val())
				}
				theirs := func(v string) bool { return strings.HasPrefix(v+"|", strconv.FormatInt(seq, 10)+"|") }
				if at := slices.IndexFunc(values, theirs); at >= 0 && c.Type(ctx, all.Val()).Val() == "zset" {
					t.Errorf("user %d is deleted, but %s has %q", seq, all.Val(), values[at])
				}
			}
			if at := slices.IndexFunc(values, func(v string) bool { return strings.Contains(v, word) }); at >= 0 {
				t.Errorf("%s has %q", all.Val(), values[at])
			}
			mu.Unlock()
		}
		return all.Err()
	}
	var err error
	switch rdb := i.raw.(type) {
	case *redis.ClusterClient:
		err = rdb.ForEachMaster(t.Context(), look)
	case *redis.Client:
		err = look(t.Context(), rdb)
	}
	if err != nil || seen < 100 {
		t.Fatalf("only %d values were searched: %v", seen, err)
	}
}

func valuesOf(ctx context.Context, c *redis.Client, key string) (values []string) {
	switch c.Type(ctx, key).Val() {
	case "zset":
		return c.ZRange(ctx, key, 0, -1).Val()
	case "list":
		return c.LRange(ctx, key, 0, -1).Val()
	case "hash":
		for field, value := range c.HGetAll(ctx, key).Val() {
			values = append(values, field, value)
		}
		return values
	default:
		return []string{c.Get(ctx, key).Val()}
	}
}

func TestDeletedUsersDoNotComeBackWithAnOlderRedis(t *testing.T) {
	t.Parallel()
	for _, l := range losses {
		t.Run(l.name, func(t *testing.T) {
			t.Parallel()
			reach, remember, lose := l.make(t)
			s := newSite(t, 150, reach)
			i := s.running(t, nil)
			i.notify(t, "a", s.seqs...)
			i.notify(t, "secret", s.seqs[5], s.seqs[133])
			i.flush(t)
			remember()
			i.notify(t, "b", s.seqs...)
			gone := i.deleteUsers(t, 5, 133, 149)
			i.flush(t)
			i.notify(t, "c", s.seqs...)
			i.wantNothingOf(t, "secret", gone...)
			changed := i.Changed()
			lose()
			<-changed
			i.awaits(t, guard.Open)
			for _, seq := range s.seqs {
				if !slices.Contains(gone, seq) {
					i.wantRows(t, seq, "c", "b", "a")
				}
			}
			i.wantNothingOf(t, "secret", gone...)
			i.notify(t, "d", s.seqs...) // notices still on their way to the deleted users
			i.wantNothingOf(t, "secret", gone...)
			if t.Failed() {
				t.Logf("%q", i.log.all())
			}
		})
	}
}

// After the last user is deleted, no inbox in SQL could be newer than Redis.
func TestLastUserDoesNotComeBackEither(t *testing.T) {
	t.Parallel()
	server := redistest.Own(t)
	s := newSite(t, 1, onServer(server))
	i := s.running(t, nil)
	i.notify(t, "a", s.seqs...)
	i.flush(t)
	file := server.Save(t)
	gone := i.deleteUsers(t, 0)
	changed := i.Changed()
	server.Crash(t)
	server.RestartFrom(t, file)
	<-changed
	i.awaits(t, guard.Open)
	k := s.k
	if n := i.raw.Exists(t.Context(), k.State(gone[0]), k.List(gone[0]), k.Hash(gone[0]), k.Gone(gone[0])).Val(); n != 0 {
		t.Errorf("%d keys of the deleted user are left", n)
	}
}

// deletedSince makes a Redis come back with the inboxes of deleted users and with the given marks.
func deletedSince(t *testing.T, users int, deleted []int, setMarks func(*instance)) (s *site, gone []int64) {
	t.Helper()
	server := redistest.Own(t)
	s = newSite(t, users, onServer(server))
	i := s.instance(t, nil)
	if err := i.Check(t.Context()); err != nil {
		t.Fatal(err)
	}
	i.notify(t, "a", s.seqs...)
	i.flush(t)
	setMarks(i)
	file := server.Save(t)
	gone = i.deleteUsers(t, deleted...)
	server.Crash(t)
	server.RestartFrom(t, file)
	return s, gone
}

func noMarks(t *testing.T) func(*instance) {
	return func(i *instance) {
		for p := range keys.Partitions {
			i.raw.Del(t.Context(), i.site.k.Flushed(p))
		}
	}
}

func TestWithoutMarksAllDeletedUsersAreErased(t *testing.T) {
	t.Parallel()
	s, gone := deletedSince(t, 130, []int{3, 70}, noMarks(t))
	later := s.instance(t, func(c *guard.Config) { c.Now = func() time.Time { return time.Now().Add(time.Hour) } })
	if err := later.Check(t.Context()); err != nil {
		t.Fatal(err)
	}
	later.wantNothingOf(t, "secret", gone...)
	later.wantRows(t, s.seqs[4], "a")
}

func TestUserDeletedByASlowClockIsErased(t *testing.T) {
	t.Parallel()
	s, gone := deletedSince(t, 130, []int{3, 70}, func(i *instance) { i.setMarks(t, time.Now().Add(50*time.Second)) })
	next := s.instance(t, nil)
	if err := next.Check(t.Context()); err != nil {
		t.Fatal(err)
	}
	next.wantNothingOf(t, "secret", gone...)
}

func TestOldestMarkDeterminesWhoIsErased(t *testing.T) {
	t.Parallel()
	s, gone := deletedSince(t, 130, []int{3, 70}, func(i *instance) {
		i.raw.Set(t.Context(), i.site.k.Flushed(0), time.Now().Add(30*time.Minute).UnixMilli(), 0) // of a partition that was copied later
	})
	later := s.instance(t, func(c *guard.Config) { c.Now = func() time.Time { return time.Now().Add(time.Hour) } })
	if err := later.Check(t.Context()); err != nil {
		t.Fatal(err)
	}
	later.wantNothingOf(t, "secret", gone...)
}

func TestManyPagesOfDeletedUsersAreErased(t *testing.T) {
	t.Parallel()
	var deleted []int
	for n := range 520 {
		deleted = append(deleted, n)
	}
	s, gone := deletedSince(t, 600, deleted, func(*instance) {})
	next := s.instance(t, nil)
	if err := next.Check(t.Context()); err != nil {
		t.Fatal(err)
	}
	next.wantNothingOf(t, "secret", gone...)
	next.wantRows(t, s.seqs[599], "a")
}

// erasing is an Inboxes that refuses to erase one inbox, or all after the first few.
type erasing struct {
	guard.Inboxes
	refuse func(seq int64) error
}

func (e erasing) Erase(ctx context.Context, seq int64) error {
	if err := e.refuse(seq); err != nil {
		return err
	}
	return e.Inboxes.Erase(ctx, seq)
}

func TestHealerThatDiesWhileErasingIsReplaced(t *testing.T) {
	t.Parallel()
	for name, setMarks := range map[string]func(*instance){"marks": func(*instance) {}, "no marks": noMarks(t)} {
		s, gone := deletedSince(t, 130, []int{3, 70, 71}, setMarks)
		left := 2
		first := s.instance(t, func(c *guard.Config) {
			leased(s)(c)
			c.Inboxes = erasing{c.Inboxes, func(int64) error {
				if left--; left < 0 {
					return errDied
				}
				return nil
			}}
		})
		if err := first.Check(t.Context()); !errors.Is(err, notifier.ErrUnavailable) || first.State() == guard.Open {
			t.Errorf("%s, the first: %s, %v", name, first.State(), err)
		}
		second := s.instance(t, leased(s))
		if err := second.Check(t.Context()); err != nil {
			t.Fatal(err)
		}
		second.wantNothingOf(t, "secret", gone...)
		second.wantRows(t, s.seqs[4], "a")
	}
}

func TestAnInboxThatCannotBeErasedDoesNotDelayOthers(t *testing.T) {
	t.Parallel()
	s, gone := deletedSince(t, 130, []int{3, 70, 71}, func(*instance) {})
	next := s.instance(t, func(c *guard.Config) {
		c.Inboxes = erasing{c.Inboxes, func(seq int64) error {
			if seq == s.seqs[70] {
				return errRefused
			}
			return nil
		}}
	})
	if err := next.Check(t.Context()); err != nil {
		t.Fatal(err)
	}
	next.wantNothingOf(t, "secret", gone[0], gone[2])
	said := next.log.all()
	if !slices.ContainsFunc(said, func(line string) bool { return strings.HasPrefix(line, "could not erase the inbox of a deleted user") }) {
		t.Errorf("logged %q", said)
	}
}
