package announcement_test

import (
	"errors"
	"strings"
	"testing"

	"github.com/carillonhq/carillon/internal/redistest"
	"github.com/carillonhq/carillon/notifier"
	"github.com/carillonhq/carillon/notifier/announcement"
)

var noOptions announcement.Options

func isNotFound(err error) bool { return errors.Is(err, notifier.ErrNotFound) }

func TestAnyLossIsRepairedWithinOneCall(t *testing.T) {
	onEachRedis(t, func(t *testing.T, s *site) {
		one, two := s.publish(t, draft("One")), s.publish(t, draft("Two"))
		s.read(t, 1, one)
		s.read(t, 2, two)
		if n, err := s.Flush(t.Context()); err != nil || n != 2 {
			t.Fatalf("flushed %d, %v", n, err)
		}
		all := []string{
			s.k.AVer(customer), s.k.Open(customer), s.k.Windows(customer), s.k.Scheduled(customer),
			s.k.Bits(customer, one), s.k.Bits(customer, two), s.k.Marked(customer),
		}
		before := s.badge(t, 1)
		for _, lost := range append([][]string{all}, each(all)...) {
			for name, call := range map[string]func() int64{
				"badges": func() int64 { return s.badge(t, 1).Unread },
				"list": func() int64 {
					p, err := s.List(t.Context(), reader(1))
					if err != nil || p.Unread+p.Read != 2 {
						t.Errorf("list %+v, %v", p, err)
					}
					return p.Unread
				},
				"mark": func() int64 { return s.read(t, 1, one).Unread },
			} {
				if err := s.rdb.Del(t.Context(), lost...).Err(); err != nil {
					t.Fatal(err)
				}
				if got := call(); got != 1 {
					t.Errorf("%s without %v: %d unread, want 1", name, lost, got)
				}
			}
		}
		s.unread(t, 2, 1)
		s.unread(t, 3, 2)
		if after := s.badge(t, 1); after.AVer <= before.AVer {
			t.Errorf("the version went from %d to %d", before.AVer, after.AVer)
		}
	})
}

func each(all []string) (one [][]string) {
	for _, key := range all {
		one = append(one, []string{key})
	}
	return one
}

func TestOldIndexIsReadAgainWithinOneCall(t *testing.T) {
	onEachRedis(t, func(t *testing.T, s *site) {
		s.publish(t, draft("One"))
		other := s.another(noOptions)
		calls := map[string]func(id int64) error{
			"badges": func(int64) error {
				b, err := other.Badges(t.Context(), []notifier.Reader{reader(1)})
				if err == nil && b[0].Unread != s.badge(t, 1).Unread {
					err = errors.New("another number")
				}
				return err
			},
			"find":   func(id int64) error { _, err := other.Find(t.Context(), reader(1), id); return err },
			"mark":   func(id int64) error { _, err := other.MarkRead(t.Context(), reader(1), id); return err },
			"unmark": func(id int64) error { _, err := other.MarkUnread(t.Context(), reader(1), id); return err },
		}
		for name, call := range calls {
			id := s.publish(t, draft("News"))
			if err := call(id); err != nil {
				t.Errorf("%s of an announcement that has just opened: %v", name, err)
			}
			s.sql.retract(id)
			s.sync(t)
			if err := call(id); name != "badges" && !isNotFound(err) {
				t.Errorf("%s of an announcement that has just closed: %v", name, err)
			}
		}
	})
}

func TestExistingBitmapIsNotOverwritten(t *testing.T) {
	onEachRedis(t, func(t *testing.T, s *site) {
		other := s.another(noOptions)
		id := s.sql.announce(draft("One"))
		s.sql.before = func(call string) error {
			if call == "reads" { // another instance is faster, and a reader marks it at once
				s.sql.before = func(string) error { return nil }
				if err := other.Sync(t.Context()); err != nil {
					return err
				}
				_, err := other.MarkRead(t.Context(), reader(1), id)
				return err
			}
			return nil
		}
		s.sync(t)
		s.unread(t, 1, 0)
	})
}

// Between the loss and the end of the repair, no reader may get a number that omits reads: the message of the
// reopening would add to it.
func TestAfterALossNoReaderGetsAPartialNumber(t *testing.T) {
	t.Parallel()
	server := redistest.Own(t)
	s := newSite(t, server.Client(t))
	one := s.publish(t, draft("One"))
	s.publish(t, draft("Two"))
	s.read(t, 1, one)
	if _, err := s.Flush(t.Context()); err != nil {
		t.Fatal(err)
	}
	heard := s.turns(t, customer)
	if err := s.rdb.FlushAll(t.Context()).Err(); err != nil {
		t.Fatal(err)
	}
	s.sql.after = func(call string) error {
		if call == "reads" && s.rdb.Exists(t.Context(), s.k.AVer(customer)).Val() == 1 {
			t.Error("the index exists before its bitmaps")
		}
		return nil
	}
	s.unread(t, 1, 1)
	words := heard.heard(t)
	if len(words) != 1 {
		t.Fatalf("published %q, want one turn", words)
	}
	told := turn(t, words[0])
	if told.Before < told.AVer || len(told.Events) != 0 {
		t.Errorf("published %q: no number may be updated from its old value", words[0])
	}
}

func TestEveryCallReportsThatRedisIsAway(t *testing.T) {
	t.Parallel()
	server := redistest.Own(t)
	s := newSite(t, impatient(t, server))
	id := s.publish(t, draft("One"))
	server.Crash(t)
	for name, call := range map[string]func() error{
		"load":   func() error { return s.Load(t.Context()) },
		"sync":   func() error { return s.Sync(t.Context()) },
		"badges": func() error { _, err := s.Badges(t.Context(), []notifier.Reader{reader(1), reader(2)}); return err },
		"badge":  func() error { _, err := s.Badges(t.Context(), []notifier.Reader{reader(1)}); return err },
		"list":   func() error { _, err := s.List(t.Context(), reader(1)); return err },
		"find":   func() error { _, err := s.Find(t.Context(), reader(1), id); return err },
		"mark":   func() error { _, err := s.MarkRead(t.Context(), reader(1), id); return err },
		"all":    func() error { _, _, err := s.ReadAll(t.Context(), reader(1)); return err },
		"reads": func() error {
			_, err := s.Reads(t.Context(), counting(id))
			return err
		},
		"flush":  func() error { _, err := s.Flush(t.Context()); return err },
		"finish": func() error { _, _, err := s.Finish(t.Context()); return err },
	} {
		if err := call(); !errors.Is(err, notifier.ErrUnavailable) {
			t.Errorf("%s: %v", name, err)
		}
	}
	server.Restart(t)
	s.unread(t, 1, 1)
}

func TestOpenAnnouncementsAreCountedAndMarkedWithoutSQL(t *testing.T) {
	onEachRedis(t, func(t *testing.T, s *site) {
		id := s.publish(t, draft("One"))
		s.sql.before = func(string) error { return errAway }
		s.unread(t, 1, 1)
		s.read(t, 1, id)
		s.unread(t, 1, 0)
		if err := s.Sync(t.Context()); !errors.Is(err, errAway) {
			t.Errorf("sync: %v", err)
		}
		if n, err := s.Flush(t.Context()); !errors.Is(err, errAway) || n != 0 || !strings.Contains(err.Error(), "audience ") {
			t.Errorf("flush: %d, %v", n, err)
		}
		if at := s.stored(t, customer); len(at.Dirty) != 1 {
			t.Errorf("marks %v, want them kept", at.Dirty)
		}
		s.sql.before = func(string) error { return nil }
		if n, err := s.Flush(t.Context()); err != nil || n != 1 {
			t.Errorf("flush: %d, %v", n, err)
		}
	})
}

func TestFullRedisIsStillRead(t *testing.T) {
	t.Parallel()
	server := redistest.Own(t)
	s := newSite(t, server.Client(t))
	id := s.publish(t, draft("One"))
	s.read(t, 1, id)
	for name, value := range map[string]string{"maxmemory-policy": "noeviction", "maxmemory": "1mb"} {
		if err := s.rdb.ConfigSet(t.Context(), name, value).Err(); err != nil {
			t.Fatal(err)
		}
	}
	other := s.another(noOptions) // has not read the index yet
	p, err := other.List(t.Context(), reader(2))
	if err != nil || p.Unread != 1 || len(p.Items) != 1 {
		t.Errorf("the list is %+v, %v", p, err)
	}
	if b, err := other.Badges(t.Context(), []notifier.Reader{reader(1)}); err != nil || b[0].Unread != 0 {
		t.Errorf("the badge is %+v, %v", b, err)
	}
	if _, err := other.MarkRead(t.Context(), reader(2), id); !errors.Is(err, notifier.ErrUnavailable) {
		t.Errorf("marking returns %v, want unavailable", err)
	}
}
