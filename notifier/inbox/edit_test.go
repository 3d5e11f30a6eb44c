package inbox_test

import (
	"context"
	"errors"
	"sync"
	"testing"
	"time"

	"github.com/RoaringBitmap/roaring/v2"

	"github.com/carillonhq/carillon/internal/redistest"
	"github.com/carillonhq/carillon/notifier"
	"github.com/carillonhq/carillon/notifier/inbox"
)

// edited returns the notice in a later revision.
func edited(n *notifier.Notice, revision int64, title string) *notifier.Notice {
	later := *n
	later.Revision, later.Title = revision, title
	return &later
}

func (s *site) edit(t tb, n *notifier.Notice, seqs ...int64) {
	t.Helper()
	if err := s.EditAll(t.Context(), []notifier.Delivery{s.delivery(t, n, seqs...)})[0]; err != nil {
		t.Fatal(err)
	}
}

func TestAnEditChangesOnlyTheContentOfItsRow(t *testing.T) {
	onEachRedis(t, func(t *testing.T, s *site) {
		s.fill(t, 42, 1, 1)
		n := s.notice(2, "photo:2")
		n.ExpiresAt = s.clock.in(time.Hour)
		s.deliver(t, 42, n)
		s.fill(t, 42, 3, 3)
		if _, _, err := s.MarkRead(t.Context(), 42, key(2)); err != nil {
			t.Fatal(err)
		}
		before, heard := s.sound(t, 42), s.listen(t, 42)
		s.clock.pass(time.Second)
		s.edit(t, edited(n, 1, "Edited"), 42, 43)
		at := s.sound(t, 42)
		now := s.clock.now().UnixMilli()
		if at.State["ver"] != decimal(now) || at.Dirty["42"] != now {
			t.Errorf("state %v, dirty %v; want version %d", at.State, at.Dirty, now)
		}
		told := heard.heard(t)
		if len(told) != 1 || told[0].Ver != now || told[0].Unread != 2 || len(told[0].Events) != 1 || told[0].Events[0].ID != 2 || events(told) != "changed like:photo:2" {
			t.Errorf("published %+v", told)
		}
		page, err := s.Look(t.Context(), 42, notifier.Query{})
		if err != nil || titles(page) != "3 Edited 1" || !page.Entries[1].Read || page.Entries[1].Revision != 1 {
			t.Errorf("page %+v, %v", page, err)
		}
		field := key(2) + notifier.ReadSuffix
		before.Hash[field], before.State["ver"] = at.Hash[field], decimal(now)
		before.Dirty["42"] = now
		same(t, "an edit", before, at)

		s.clock.pass(time.Second)
		s.edit(t, edited(n, 1, "Edited otherwise"), 42)
		s.edit(t, n, 42)
		same(t, "an edit in the same or an older revision", at, s.stored(t, 42))
		s.edit(t, edited(n, 10, "Ten"), 42)
		s.edit(t, edited(n, 9, "Nine"), 42)
		if page, err = s.Look(t.Context(), 42, notifier.Query{}); err != nil || titles(page) != "3 Ten 1" {
			t.Errorf("after revision 10: page %q, %v", titles(page), err)
		}
	})
}

func TestAnEditAddsNothingToAnInbox(t *testing.T) {
	onEachRedis(t, func(t *testing.T, s *site) {
		s.fill(t, 42, 1, 3)
		later := s.notice(9, "photo:3") // replaces the row of that key
		s.deliver(t, 42, later)
		if _, err := s.Delete(t.Context(), 42, key(2)); err != nil {
			t.Fatal(err)
		}
		before, cold := s.sound(t, 42), s.stored(t, 43)
		heard := s.listen(t, 42)
		for _, id := range []int64{2, 3, 4} {
			n := edited(s.notice(id, "photo:"+decimal(id)), 1, "Edited")
			s.edit(t, n, 42, 43)
		}
		same(t, "editing a notice that is not in the inbox", before, s.stored(t, 42))
		same(t, "editing an entry of a cold inbox", cold, s.stored(t, 43))
		if told := heard.heard(t); len(told) != 0 {
			t.Errorf("published %+v", told)
		}
		// A late delivery of the old content must not overwrite the new one either.
		n := s.notice(1, "photo:1")
		s.edit(t, edited(n, 1, "Edited"), 42)
		if changed := s.deliver(t, 42, n); changed != 0 {
			t.Errorf("a late delivery changed %d inboxes", changed)
		}
		if e, err := s.Find(t.Context(), 42, key(1), 0); err != nil || e.Title != "Edited" {
			t.Errorf("entry %+v, %v", e, err)
		}
	})
}

func TestEditAllReturnsAnErrorForEachNotice(t *testing.T) {
	t.Parallel()
	s := newSite(t, redistest.Client(t), 0)
	seqs := make([]int64, 700)
	for i := range seqs {
		seqs[i] = int64(i + 1)
	}
	one, two := s.notice(1, "photo:1"), s.notice(2, "photo:2")
	s.deliverAll(t, s.delivery(t, one, seqs...), s.delivery(t, two, seqs[:5]...))
	if err := s.rdb.Set(t.Context(), s.k.Hash(600), "broken", 0).Err(); err != nil {
		t.Fatal(err)
	}
	errs := s.EditAll(t.Context(), []notifier.Delivery{
		s.delivery(t, edited(one, 1, "Edited"), seqs...), s.delivery(t, edited(two, 1, "Edited"), seqs[:5]...),
	})
	if len(errs) != 2 || errs[0] == nil || errs[1] != nil {
		t.Errorf("%v", errs)
	}
	for _, seq := range seqs {
		if e, err := s.Find(t.Context(), seq, key(1), 0); seq != 600 && (err != nil || e.Title != "Edited") {
			t.Fatalf("user %d has %+v, %v", seq, e, err)
		}
	}
	ctx, cancel := context.WithCancel(t.Context())
	cancel()
	if errs := s.EditAll(ctx, []notifier.Delivery{s.delivery(t, one, 1)}); !errors.Is(errs[0], context.Canceled) {
		t.Errorf("with a canceled context: %v", errs)
	}
}

// late is a shelf that runs a hook after reading contents and before returning them.
type late struct {
	*shelf
	then func()
	once sync.Once
}

func (l *late) Contents(ctx context.Context, ids []int64) (map[int64]notifier.Notice, error) {
	known, err := l.shelf.Contents(ctx, ids)
	l.once.Do(l.then)
	return known, err
}

// TestContentReadBeforeAnEditIsNotRestored lets one instance read SQL for a cold inbox, and another
// edit its notice before the inbox is restored.
func TestContentReadBeforeAnEditIsNotRestored(t *testing.T) {
	onEachRedis(t, func(t *testing.T, s *site) {
		for seq, outdated := range map[int64][]int64{42: {42}, 43: {7, 43}, 44: nil} {
			h := s.beside(0)
			n := s.notice(1, "photo:1")
			h.keep(n)
			s.deliver(t, seq, n)
			s.writeBehind(t, h, seq)
			if err := s.Erase(t.Context(), seq); err != nil {
				t.Fatal(err)
			}
			slow := inbox.New(s.rdb, s.k, inbox.Options{Now: s.clock.now, SQL: &late{shelf: h, then: func() {
				later := edited(n, 1, "Edited")
				h.edit(later)
				if err := s.Outdate(t.Context(), outdated); err != nil {
					t.Error(err)
				}
				s.edit(t, later, seq)
			}}})
			if page, err := slow.Look(t.Context(), seq, notifier.Query{}); err != nil || titles(page) != "Edited" {
				t.Errorf("with %v outdated, user %d sees %q, %v", outdated, seq, titles(page), err)
			}
			s.sound(t, seq)
		}
	})
}

func TestEachRecipientSeesTheirOwnReasonEvenAfterARestore(t *testing.T) {
	onEachRedis(t, func(t *testing.T, s *site) {
		h := s.beside(0)
		n := s.notice(1, "photo:1")
		n.Target = notifier.Target{Topic: notifier.Topic{Type: "stock", Scope: "west"}}
		n.Reasons = []notifier.Why{
			{Reason: "topic:stock:west", To: roaring.BitmapOf(42)}, {Reason: "role:picker", To: roaring.BitmapOf(43, 44)}, {Reason: "role:staff"},
		}
		want := map[int64]string{42: "topic:stock:west", 43: "role:picker", 44: "role:picker", 45: "role:staff"}
		h.keep(n)
		all, err := n.Deliveries([]int64{42, 43, 44, 45})
		if err != nil {
			t.Fatal(err)
		}
		s.deliverAll(t, all...)
		archive := inbox.Archive{SQL: h, Now: s.clock.now}
		reasons := func(when string) {
			t.Helper()
			for seq, reason := range want {
				if e, err := s.Find(t.Context(), seq, key(1), 0); err != nil || e.Reason != reason {
					t.Errorf("%s: reason of user %d is %q, %v; want %q", when, seq, e.Reason, err, reason)
				}
			}
		}
		reasons("delivered")
		s.writeBehind(t, h, 42, 43, 44, 45)
		for seq, reason := range want {
			if page, err := archive.Look(t.Context(), seq, notifier.Query{}); err != nil || len(page.Entries) != 1 || page.Entries[0].Reason != reason {
				t.Errorf("in the archive: user %d sees %+v, %v; want %q", seq, page.Entries, err, reason)
			}
		}
		s.lose(t, 42, 43, 44, 45)
		s.wake(t, 42, 43, 44, 45)
		reasons("restored")
		n = edited(n, 1, "Edited")
		h.edit(n)
		if all, err = n.Deliveries([]int64{42, 43, 44, 45}); err != nil {
			t.Fatal(err)
		}
		for _, err := range s.EditAll(t.Context(), all) {
			if err != nil {
				t.Error(err)
			}
		}
		reasons("edited")
		s.lose(t, 42, 43, 44, 45)
		reasons("edited and restored")
	})
}

// TestAnUndoneDeleteShowsTheLatestContent undoes a delete with the content from before an edit. The
// row was not in the inbox when the notice was edited.
func TestAnUndoneDeleteShowsTheLatestContent(t *testing.T) {
	onEachRedis(t, func(t *testing.T, s *site) {
		h := s.beside(0)
		n := s.notice(1, "photo:1")
		h.keep(n)
		s.deliver(t, 42, n)
		e, _, err := one(s.Take(t.Context(), 42, key(1)))
		if err != nil {
			t.Fatal(err)
		}
		h.edit(edited(n, 1, "Edited"))
		badge, err := s.PutBack(t.Context(), 42, e)
		if err != nil {
			t.Fatal(err)
		}
		page, err := s.Look(t.Context(), 42, notifier.Query{})
		if err != nil || titles(page) != "Edited" || page.Ver != badge.Ver || badge.Unread != 1 {
			t.Errorf("page %+v, badge %+v, %v", page, badge, err)
		}
		if e, _, err = one(s.Take(t.Context(), 42, key(1))); err != nil {
			t.Fatal(err)
		}
		h.failing[1] = notifier.ErrUnavailable
		if _, err := s.PutBack(t.Context(), 42, e); err != nil {
			t.Errorf("while SQL is unavailable: %v", err)
		}
	})
}

func TestReadAllMarksRowsOfEndedQuestionsAsReadOnce(t *testing.T) {
	onEachRedis(t, func(t *testing.T, s *site) {
		n, other := s.notice(1, "photo:1"), s.notice(2, "photo:2")
		s.deliver(t, 42, n)
		s.deliver(t, 42, other)
		ended, open := s.delivery(t, n, 42, 43), s.delivery(t, other, 42)
		ended.Read = true
		stale := ended
		stale.NoticeID = 9 // another notice has the row by now
		for i, all := range [][]notifier.Delivery{{open, stale}, {ended, open}, {ended}} {
			for _, err := range s.ReadAll(t.Context(), all) {
				if err != nil {
					t.Fatal(err)
				}
			}
			page, err := s.Look(t.Context(), 42, notifier.Query{})
			if want := []int64{2, 1, 1}[i]; err != nil || page.Unread != want || page.Entries[1].Read != (i > 0) || page.Entries[0].Read {
				t.Errorf("call %d: %d unread, want %d; %v", i, page.Unread, want, err)
			}
		}
	})
}
