package announcement_test

import (
	"slices"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/carillonhq/carillon/notifier"
	"github.com/carillonhq/carillon/notifier/announcement"
)

// resetReads marks an announcement as unread for all users and updates the index.
func (s *site) resetReads(t tb, id int64) {
	t.Helper()
	s.sql.resetReads(id, func(*notifier.Announcement) {})
	s.sync(t)
}

func TestEditCanMarkAsUnreadForEverybody(t *testing.T) {
	onAllRedis(t, func(t *testing.T, s *site) {
		one, other := s.publish(t, draft("One", customer, user)), s.publish(t, draft("Other"))
		for _, seq := range []int64{1, 2} {
			s.read(t, seq, one)
			s.read(t, seq, other)
		}
		asUser := notifier.Reader{Seq: 3, Audience: user}
		if _, err := s.MarkRead(t.Context(), asUser, one); err != nil {
			t.Fatal(err)
		}
		s.flushed(t)
		before, heard := s.badge(t, 1), s.turns(t, customer)
		s.resetReads(t, one)
		for _, seq := range []int64{1, 2} {
			s.unread(t, seq, 1)
		}
		if b, err := s.Badges(t.Context(), []notifier.Reader{asUser}); err != nil || b[0].Unread != 1 {
			t.Errorf("in the other audience: %+v, %v", b, err)
		}
		if now := s.badge(t, 1); now.AVer <= before.AVer {
			t.Errorf("the version went from %d to %d: clients will ignore the number", before.AVer, now.AVer)
		}
		words := heard.heard(t)
		if len(words) != 1 || !strings.Contains(words[0], `,"changed":true,"unread":true}`) {
			t.Errorf("published %q", words)
		}
		s.sync(t)
		if words = heard.heard(t); len(words) != 0 {
			t.Errorf("a repeat published %q", words)
		}
		s.wantSaved(t, one)
		s.wantSaved(t, other, 1, 2)
		s.read(t, 2, one)
		s.flushed(t)
		s.wantSaved(t, one, 2)
	})
}

// The flush reads the bits before the edit and saves them after it.
func TestFlushUnderWayRestoresNoReads(t *testing.T) {
	for name, hears := range map[string]bool{"saved before the index follows": false, "saved after the index followed": true} {
		t.Run(name, func(t *testing.T) {
			onAllRedis(t, func(t *testing.T, s *site) {
				id := s.publish(t, draft("One"))
				s.read(t, 1, id)
				s.sql.before = func(call string) error {
					if call != "save" {
						return nil
					}
					s.sql.before = func(string) error { return nil }
					s.sql.resetReads(id, func(*notifier.Announcement) {})
					if hears {
						return s.another(noOptions).Sync(t.Context())
					}
					return nil
				}
				s.flushed(t)
				s.wantSaved(t, id)
				s.sync(t)
				s.unread(t, 1, 1)
				s.read(t, 2, id)
				s.flushed(t)
				s.wantSaved(t, id, 2)
				if err := s.rdb.Del(t.Context(), s.customerKeys()...).Err(); err != nil {
					t.Fatal(err)
				}
				s.unread(t, 1, 1)
				s.unread(t, 2, 0)
			})
		})
	}
}

func TestRedisRestoredFromBeforeTheEditRestoresNoReads(t *testing.T) {
	onAllRedis(t, func(t *testing.T, s *site) {
		id := s.publish(t, draft("One"))
		s.read(t, 1, id)
		s.flushed(t)
		s.read(t, 2, id) // not flushed
		old := s.photo(t)
		s.resetReads(t, id)
		s.read(t, 3, id)
		s.flushed(t)
		for name, next := range map[string]func(){"flush": func() { s.flushed(t) }, "sync": func() { s.sync(t); s.flushed(t) }} {
			s.comeBack(t, old)
			next()
			s.sync(t)
			for seq, want := range map[int64]int64{1: 1, 2: 1, 3: 0} {
				if got := s.badge(t, seq).Unread; got != want {
					t.Errorf("%s first: customer %d has %d unread, want %d", name, seq, got, want)
				}
			}
			s.wantSaved(t, id, 3)
		}
	})
}

func TestClosedAnnouncementIsUnreadWhenItReopens(t *testing.T) {
	onAllRedis(t, func(t *testing.T, s *site) {
		away, off := s.publish(t, draft("Away", customer, user)), s.publish(t, draft("Put off"))
		for _, seq := range []int64{1, 2} {
			s.read(t, seq, away)
			s.read(t, seq, off)
		}
		s.sql.edit(away, func(n *notifier.Announcement) { address(n, user) })
		s.sql.edit(off, func(n *notifier.Announcement) { n.StartsAt = time.Now().Add(time.Minute) })
		s.sync(t)
		s.resetReads(t, away)
		s.resetReads(t, off)
		reads, err := s.Reads(t.Context(), []notifier.Counting{
			{PartKey: notifier.PartKey{ID: away, Audience: customer}, From: 3}, {PartKey: notifier.PartKey{ID: off, Audience: customer}, From: 3},
		})
		if err != nil || !slices.Equal(reads, []int64{-1, 0}) {
			t.Errorf("read by %v, %v", reads, err)
		}
		s.sql.edit(away, func(n *notifier.Announcement) { address(n, user, customer) })
		s.sql.edit(off, func(n *notifier.Announcement) { n.StartsAt = time.Now().Add(-time.Minute) })
		s.sync(t)
		s.unread(t, 1, 2)
		s.read(t, 1, away)
		s.unread(t, 1, 1)
	})
}

func TestFinalCountIncludesOnlyReadsSinceTheEdit(t *testing.T) {
	onAllRedis(t, func(t *testing.T, s *site) {
		seen, unseen := s.publish(t, draft("Seen")), s.publish(t, draft("Unseen"))
		for _, seq := range []int64{1, 2, 3} {
			s.read(t, seq, seen)
			s.read(t, seq, unseen)
		}
		s.resetReads(t, seen)
		s.read(t, 1, seen)
		// The other announcement leaves the audience in the same edit, so its bitmap is never
		// emptied.
		s.sql.resetReads(unseen, func(n *notifier.Announcement) { address(n, user) })
		s.sql.retract(seen)
		s.sync(t)
		if _, all, err := s.Finish(t.Context()); err != nil || !all {
			t.Fatalf("finish: %v, %v", all, err)
		}
		s.finished(t, seen, customer, 1)
		s.finished(t, unseen, customer, 0)
		if at := s.stored(t, customer); len(at.Dirty) != 0 {
			t.Errorf("left behind: %v", at.Dirty)
		}
	})
}

func TestForgetRemovesTheRevisionOfTheEdit(t *testing.T) {
	onAllRedis(t, func(t *testing.T, s *site) {
		id := s.publish(t, draft("One"))
		s.resetReads(t, id)
		s.sql.retract(id)
		s.sql.remove(id)
		s.sync(t)
		if err := s.Forget(t.Context(), []notifier.PartKey{{ID: id, Audience: customer}}); err != nil {
			t.Fatal(err)
		}
		if at := s.stored(t, customer); len(at.Dirty)+len(at.Bits) != 0 {
			t.Errorf("left behind: %+v", at)
		}
	})
}

// SQL was restored from a backup that was made before the edit.
func TestReadsStayIfSQLLosesTheEdit(t *testing.T) {
	onAllRedis(t, func(t *testing.T, s *site) {
		id := s.publish(t, draft("One"))
		s.resetReads(t, id)
		s.read(t, 1, id)
		s.sql.edit(id, func(n *notifier.Announcement) { n.ReadsFrom = 0 })
		s.sync(t)
		s.unread(t, 1, 0)
		s.flushed(t)
		s.wantSaved(t, id, 1)
	})
}

// The restored bitmap already counts since the edit, so nothing is emptied; readers still
// hold the old count and must receive a new version.
func TestEditIsPublishedIfTheBitmapWasLostBeforeTheSync(t *testing.T) {
	onAllRedis(t, func(t *testing.T, s *site) {
		id := s.publish(t, draft("One"))
		s.read(t, 1, id)
		before, heard := s.badge(t, 1), s.turns(t, customer)
		s.sql.resetReads(id, func(*notifier.Announcement) {})
		if err := s.rdb.Del(t.Context(), s.k.Bits(customer, id)).Err(); err != nil {
			t.Fatal(err)
		}
		s.sync(t)
		if now := s.badge(t, 1); now.Unread != 1 || now.AVer <= before.AVer {
			t.Errorf("badge %+v after %+v", now, before)
		}
		if told := heard.told(t); told != "changed 1 9" {
			t.Errorf("told %q", told)
		}
	})
}

func TestReadsDuringTheEditEndInOneState(t *testing.T) {
	onAllRedis(t, func(t *testing.T, s *site) {
		id := s.publish(t, draft("One"))
		boards := []*announcement.Announcements{s.Announcements, s.another(noOptions)}
		var readers sync.WaitGroup
		for seq := int64(1); seq <= 9; seq++ {
			readers.Go(func() {
				if _, err := boards[seq%2].MarkRead(t.Context(), reader(seq), id); err != nil {
					t.Error(err)
				}
			})
		}
		readers.Go(func() { s.sql.resetReads(id, func(*notifier.Announcement) {}) })
		readers.Go(func() {
			if err := boards[1].Sync(t.Context()); err != nil {
				t.Error(err)
			}
		})
		readers.Wait()
		s.sync(t)
		s.flushed(t)
		var read []int64
		for seq := int64(1); seq <= 9; seq++ {
			list, err := s.List(t.Context(), reader(seq))
			if err != nil {
				t.Fatal(err)
			}
			if s.badge(t, seq).Unread != list.Unread {
				t.Errorf("customer %d: the badge and the list differ", seq)
			}
			if list.Unread == 0 {
				read = append(read, seq)
			}
		}
		if saved := s.sql.saved(id, customer); !slices.Equal(saved, read) {
			t.Errorf("SQL has %v, pages show %v", saved, read)
		}
	})
}
