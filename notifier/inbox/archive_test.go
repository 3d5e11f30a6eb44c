package inbox_test

import (
	"errors"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"github.com/carillonhq/carillon/internal/redistest"
	"github.com/carillonhq/carillon/notifier"
	"github.com/carillonhq/carillon/notifier/inbox"
)

// archived returns a site in which user 42 has 45 notices, the newest 12 unread, all of them in SQL, and an Archive
// of it.
func archived(t *testing.T) (*site, *shelf, *inbox.Archive) {
	t.Helper()
	s := newSite(t, redistest.Client(t), 0)
	h := s.beside(0)
	for id := int64(1); id <= 45; id++ {
		n := s.notice(id, key(id)[len("like:"):])
		h.keep(n)
		s.deliver(t, 42, n)
		if id == 33 {
			if _, err := s.Open(t.Context(), 42); err != nil {
				t.Fatal(err)
			}
		}
	}
	s.writeBehind(t, h, 42)
	return s, h, &inbox.Archive{SQL: h, Now: s.clock.now}
}

func TestTheArchiveShowsTheSamePagesAsTheInbox(t *testing.T) {
	t.Parallel()
	s, _, archive := archived(t)
	opened := int64(startTime)
	for _, q := range []notifier.Query{
		{},
		{Unread: true},
		{Limit: 10},
		{Limit: 45},
		{Limit: 46},
		{Limit: 5000},
		{Unread: true, Limit: 12},
		{Unread: true, Limit: 5},
		{Before: startTime + 20},
		{Before: 1},
		{Before: 1 << 60},
		{Opened: opened},
		{Before: startTime + 30, Opened: opened, Limit: 3},
	} {
		want, err := s.Look(t.Context(), 42, q)
		if err != nil {
			t.Fatal(err)
		}
		got, err := archive.Look(t.Context(), 42, q)
		if diff := cmp.Diff(want, got); err != nil || diff != "" {
			t.Errorf("%+v, %v (-inbox +archive):\n%s", q, err, diff)
		}
	}
	want := s.wake(t, 42)[0]
	if got, err := archive.Badge(t.Context(), 42); err != nil || got != want || got.Inbox != 12 {
		t.Errorf("badge %+v, %v; want %+v", got, err, want)
	}
}

func TestTheArchiveOmitsNoticesRetractedOrExpiredSince(t *testing.T) {
	t.Parallel()
	s, h, archive := archived(t)
	h.retract(45, notifier.StateRetracting)
	h.retract(44, notifier.StateRetracted)
	h.retract(2, notifier.StateRetracted)
	h.mu.Lock()
	delete(h.notices, 43)
	h.mu.Unlock()
	page, err := archive.Look(t.Context(), 42, notifier.Query{Limit: 3})
	if err != nil || titles(page) != "42 41 40" || page.Unread != 9 {
		t.Errorf("page %q, %d unread, %v", titles(page), page.Unread, err)
	}
	if badge, err := archive.Badge(t.Context(), 42); err != nil || badge.Unread != 9 || badge.Inbox != 9 {
		t.Errorf("badge %+v, %v", badge, err)
	}
	s.clock.ms.Store(page.Entries[0].ExpiresAt.UnixMilli()) // the older ones have expired by then, too
	page, err = archive.Look(t.Context(), 42, notifier.Query{})
	if err != nil || titles(page) != "" {
		t.Errorf("at the moment of its expiry: %q, %v", titles(page), err)
	}
	s.clock.pass(91 * 24 * time.Hour)
	page, err = archive.Look(t.Context(), 42, notifier.Query{})
	if err != nil || len(page.Entries) != 0 || page.Unread != 0 || page.Older != 0 {
		t.Errorf("after everything has expired: %+v, %v", page, err)
	}
}

func TestTheArchiveIsEmptyForUnknownUsersAndReturnsErrorsOfSQL(t *testing.T) {
	t.Parallel()
	_, h, archive := archived(t)
	for _, seq := range []int64{43, 0, -1} {
		page, err := archive.Look(t.Context(), seq, notifier.Query{})
		if err != nil || len(page.Entries) != 0 || page.Ver != 0 {
			t.Errorf("user %d: %+v, %v", seq, page, err)
		}
	}
	h.save([]notifier.Snapshot{{Seq: 50, Ver: 9, Damaged: true}})
	if _, err := archive.Look(t.Context(), 50, notifier.Query{}); !errors.Is(err, notifier.ErrUnavailable) {
		t.Errorf("damaged snapshot: %v", err)
	}
	if _, err := archive.Badge(t.Context(), 50); !errors.Is(err, notifier.ErrUnavailable) {
		t.Errorf("damaged snapshot: %v", err)
	}
	for i := range h.failing {
		h.failing = [2]error{}
		h.failing[i] = notifier.ErrUnavailable
		if _, err := archive.Look(t.Context(), 42, notifier.Query{}); !errors.Is(err, notifier.ErrUnavailable) {
			t.Errorf("without SQL: %v", err)
		}
		if _, err := archive.Badge(t.Context(), 42); !errors.Is(err, notifier.ErrUnavailable) {
			t.Errorf("without SQL: %v", err)
		}
	}
}
