package inbox_test

import (
	"errors"
	"slices"
	"testing"
	"time"

	"github.com/carillonhq/carillon/notifier"
	"github.com/carillonhq/carillon/notifier/inbox"
)

// archiveSite gives the site a shelf and user 42 five unread notices.
func (s *site) archiveSite(t *testing.T, limit int) *shelf {
	t.Helper()
	h := s.beside(limit)
	for id := int64(1); id <= 5; id++ {
		n := s.notice(id, key(id)[len("like:"):])
		n.Recipients = 2
		h.keep(n)
		s.deliver(t, 42, n)
	}
	return h
}

func (s *site) archive(t *testing.T, ids ...int64) notifier.Moved {
	t.Helper()
	m, _, err := s.Archive(t.Context(), 42, keysOf(ids))
	if err != nil {
		t.Fatal(err)
	}
	s.clock.pass(time.Millisecond)
	return m
}

func keysOf(ids []int64) (keys []string) {
	for _, id := range ids {
		keys = append(keys, key(id))
	}
	return keys
}

// shown returns the titles in the inbox and in the archive.
func (s *site) shown(t *testing.T) (inboxRows, archived string) {
	t.Helper()
	var lists [2]string
	for i, q := range []notifier.Query{{}, {Archived: true}} {
		page, err := s.Look(t.Context(), 42, q)
		if err != nil {
			t.Fatal(err)
		}
		lists[i] = titles(page)
	}
	return lists[0], lists[1]
}

func TestAnArchivedEntryIsReadCountsForNothingAndComesBackToItsPlace(t *testing.T) {
	onEachRedis(t, func(t *testing.T, s *site) {
		s.archiveSite(t, 0)
		heard := s.listen(t, 42)
		m := s.archive(t, 4, 2, 9, 2)
		if !slices.Equal(m.Keys, []string{key(4), key(2)}) || !slices.Equal(m.Unread, m.Keys) {
			t.Errorf("moved %+v", m)
		}
		if got := events(heard.heard(t)); got != "removed "+key(4)+", removed "+key(2) {
			t.Errorf("published %q", got)
		}
		if rows, put := s.shown(t); rows != "5 3 1" || put != "4 2" {
			t.Errorf("inbox %q, archive %q", rows, put)
		}
		at := s.sound(t, 42)
		if at.State["unread"] != "3" || at.Counts["4:r"] != "1" || len(at.Gone) != 0 {
			t.Errorf("state %v, counts %v, gone %v", at.State, at.Counts, at.Gone)
		}
		if _, _, err := s.Archive(t.Context(), 42, []string{key(4), key(9)}); !errors.Is(err, notifier.ErrNotFound) {
			t.Errorf("archiving what is not in the inbox: %v, want not found", err)
		}
		same(t, "archiving it again", at, s.sound(t, 42))
		back, badge, err := s.Unarchive(t.Context(), 42, []string{key(2), key(9), key(4)})
		if err != nil || badge.Unread != 5 || !slices.Equal(back.Keys, []string{key(4), key(2)}) || !slices.Equal(back.Unread, back.Keys) {
			t.Errorf("back came %+v, badge %+v, %v", back, badge, err)
		}
		if rows, put := s.shown(t); rows != "5 4 3 2 1" || put != "" {
			t.Errorf("inbox %q, archive %q", rows, put)
		}
		s.sound(t, 42)
	})
}

func TestAnArchivedEntryIsNotInTheCapAndNotDeliveredAgain(t *testing.T) {
	onEachRedis(t, func(t *testing.T, s *site) {
		h := s.archiveSite(t, 5)
		s.archive(t, 1, 5)
		for _, id := range []int64{1, 5} {
			if got := s.deliver(t, 42, s.notice(id, key(id)[len("like:"):])); got != 0 {
				t.Errorf("archived notice %d was delivered again", id)
			}
		}
		for _, id := range []int64{6, 7} {
			n := s.notice(id, key(id)[len("like:"):])
			h.keep(n)
			s.deliver(t, 42, n)
		}
		if rows, put := s.shown(t); rows != "7 6 4 3 2" || put != "5 1" {
			t.Errorf("inbox %q, archive %q", rows, put)
		}
		if _, _, err := s.Unarchive(t.Context(), 42, []string{key(1)}); !errors.Is(err, notifier.ErrConflict) {
			t.Errorf("unarchiving into a full inbox: %v, want a conflict", err)
		}
		newer := s.notice(8, key(5)[len("like:"):])
		h.keep(newer)
		s.deliver(t, 42, newer)
		if rows, put := s.shown(t); rows != "8 7 6 4 3" || put != "1" {
			t.Errorf("after a newer notice with the key: inbox %q, archive %q", rows, put)
		}
		if left := s.sound(t, 42).Left["5"]; !left.Read {
			t.Errorf("the replaced notice left as %+v", left)
		}
	})
}

func TestAnArchivedEntryGoesAfterThirtyDaysAndWithItsNotice(t *testing.T) {
	onEachRedis(t, func(t *testing.T, s *site) {
		h := s.archiveSite(t, 0)
		s.archive(t, 1, 2, 3)
		h.retract(2, notifier.StateRetracted)
		n := h.notices[3]
		n.Revision, n.Title = 1, "Notice 3b"
		h.edit(&n)
		if _, put := s.shown(t); put != "3b 1" {
			t.Errorf("archive %q", put)
		}
		if err := s.Retract(t.Context(), 2, key(2), []int64{42}); err != nil {
			t.Fatal(err)
		}
		if _, _, err := s.Unarchive(t.Context(), 42, []string{key(2)}); !errors.Is(err, notifier.ErrNotFound) {
			t.Errorf("unarchiving a retracted notice: %v, want not found", err)
		}
		s.clock.pass(notifier.ArchivedFor - 2*time.Millisecond)
		s.archive(t, 4) // its 30 days begin now
		if _, put := s.shown(t); put != "4" {
			t.Errorf("after 30 days: archive %q", put)
		}
		if _, _, err := s.Unarchive(t.Context(), 42, []string{key(1)}); !errors.Is(err, notifier.ErrNotFound) {
			t.Errorf("unarchiving after 30 days: %v, want not found", err)
		}
		s.archive(t, 5)
		if at := s.sound(t, 42); len(at.Archive) != 2 {
			t.Errorf("still stored after 30 days: %v", at.Archive)
		}
	})
}

func TestEntriesDeletedFromTheArchiveComeBackThere(t *testing.T) {
	onEachRedis(t, func(t *testing.T, s *site) {
		h := s.archiveSite(t, 0)
		s.archive(t, 1, 2, 3)
		heard := s.listen(t, 42)
		taken, _, err := s.Take(t.Context(), 42, keysOf([]int64{2, 5, 9, 1, 2})...)
		if err != nil || len(taken) != 3 || taken[1].Key != key(1) || taken[2].NoticeID != 2 || taken[2].At == 0 {
			t.Errorf("took %+v, %v", taken, err)
		}
		if got := events(heard.heard(t)); got != "removed "+key(5)+", removed "+key(2)+", removed "+key(1) {
			t.Errorf("published %q", got)
		}
		if rows, put := s.shown(t); rows != "4" || put != "3" {
			t.Errorf("inbox %q, archive %q", rows, put)
		}
		if at := s.sound(t, 42); !at.Left["1"].Read || at.Archive[key(1)] != "" {
			t.Errorf("gone %v, archive %v", at.Left, at.Archive)
		}
		for _, id := range []int64{1, 2} {
			if got := s.deliver(t, 42, s.notice(id, key(id)[len("like:"):])); got != 0 {
				t.Errorf("notice %d came back", id)
			}
		}
		if err := s.Retract(t.Context(), 1, key(1), []int64{42}); err != nil {
			t.Fatal(err)
		}
		for _, again := range []error{nil, notifier.ErrNotFound} {
			if _, err := s.another(h, 0).Restore(t.Context(), 42, keysOf([]int64{1, 2, 9})...); !errors.Is(err, again) {
				t.Errorf("restoring: %v, want %v", err, again)
			}
			if rows, put := s.shown(t); rows != "4" || put != "3 2" {
				t.Errorf("after Undo: inbox %q, archive %q", rows, put)
			}
			s.sound(t, 42)
		}
		if _, err := s.Delete(t.Context(), 42, keysOf([]int64{2, 3})...); err != nil {
			t.Fatal(err)
		}
		if at := s.sound(t, 42); at.State["archived"] != "" {
			t.Errorf("the state of an empty archive: %v", at.State)
		}
		n := s.notice(6, key(3)[len("like:"):])
		h.keep(n)
		s.deliver(t, 42, n)
		if _, err := s.Restore(t.Context(), 42, key(3)); !errors.Is(err, notifier.ErrConflict) {
			t.Errorf("restoring what a newer notice has replaced: %v, want a conflict", err)
		}
		if _, err := s.Restore(t.Context(), 42, key(2)); err != nil || s.sound(t, 42).State["archived"] != "1" {
			t.Errorf("restoring the only one: %v, state %v", err, s.stored(t, 42).State)
		}
		s.writeBehind(t, h, 42)
		s.lose(t, 42)
		if rows, put := s.shown(t); rows != "6 4" || put != "2" {
			t.Errorf("after a loss: inbox %q, archive %q", rows, put)
		}
	})
}

func TestTheArchiveIsRestoredFromSQLShownWithoutRedisAndErased(t *testing.T) {
	onEachRedis(t, func(t *testing.T, s *site) {
		h := s.archiveSite(t, 0)
		s.archive(t, 5, 2)
		s.writeBehind(t, h, 42)
		stored := &inbox.Archive{SQL: h, Now: s.clock.now}
		page, err := stored.Look(t.Context(), 42, notifier.Query{Archived: true})
		if err != nil || titles(page) != "5 2" || page.Unread != 3 {
			t.Errorf("from SQL: %q, %d unread, %v", titles(page), page.Unread, err)
		}
		if found, err := s.Check(t.Context(), []int64{42}); err != nil || len(found) != 0 {
			t.Errorf("drift %v, %v", found, err)
		}
		s.lose(t, 42)
		if rows, put := s.shown(t); rows != "4 3 1" || put != "5 2" {
			t.Errorf("after a loss: inbox %q, archive %q", rows, put)
		}
		if err := s.Erase(t.Context(), 42); err != nil {
			t.Fatal(err)
		}
		s.nothing(t, 42)
	})
}

func TestAnArchivedGroupShowsItsLatestRemainingNotice(t *testing.T) {
	onEachRedis(t, func(t *testing.T, s *site) {
		h := s.beside(30)
		for i, name := range []string{"Alice", "Bob", "Carol"} {
			n := s.commentBy(int64(i+1), name)
			h.keep(n)
			s.deliver(t, 7, n)
		}
		key := s.commentBy(1, "").Key()
		if _, _, err := s.Archive(t.Context(), 7, []string{key}); err != nil {
			t.Fatal(err)
		}
		says := func(when, want string) {
			t.Helper()
			page, err := s.Look(t.Context(), 7, notifier.Query{Archived: true})
			got := ""
			if err == nil && len(page.Entries) == 1 {
				got = page.Entries[0].Title
			}
			if got != want {
				t.Errorf("%s the archive has %q, %v; want %q", when, got, err, want)
			}
		}
		retract := func(id int64) {
			t.Helper()
			h.retract(id, notifier.StateRetracting)
			if err := s.Retract(t.Context(), id, key, []int64{7}); err != nil {
				t.Fatal(err)
			}
		}
		retract(3)
		says("after a retraction", "Bob and 1 other like your photo")
		if _, err := s.Delete(t.Context(), 7, key); err != nil {
			t.Fatal(err)
		}
		says("after a deletion", "")
		if _, err := s.Restore(t.Context(), 7, key); err != nil {
			t.Fatal(err)
		}
		says("after its undo", "Bob and 1 other like your photo")
		s.writeBehind(t, h, 7)
		s.lose(t, 7)
		s.wake(t, 7)
		says("restored from SQL", "Bob and 1 other like your photo")
		s.deliver(t, 7, s.commentBy(3, "Carol")) // a repetition
		if _, _, err := s.Unarchive(t.Context(), 7, []string{key}); err != nil {
			t.Fatal(err)
		}
		if e := s.only(t); e.Title != "Bob and 1 other like your photo" || e.NoticeID != 2 {
			t.Errorf("the inbox has notice %d, %q", e.NoticeID, e.Title)
		}
		s.sound(t, 7)
		if _, _, err := s.Archive(t.Context(), 7, []string{key}); err != nil {
			t.Fatal(err)
		}
		retract(2)
		says("after another one", "Alice likes your photo")
		retract(1)
		says("after the last one", "")
		if _, _, err := s.Unarchive(t.Context(), 7, []string{key}); !errors.Is(err, notifier.ErrNotFound) {
			t.Errorf("unarchiving a group without notices: %v", err)
		}
	})
}
