package inbox_test

import (
	"context"
	"errors"
	"fmt"
	"strings"
	"testing"
	"time"

	"github.com/RoaringBitmap/roaring/v2"
	"github.com/google/go-cmp/cmp"

	"github.com/carillonhq/carillon/internal/redistest"
	"github.com/carillonhq/carillon/notifier"
	"github.com/carillonhq/carillon/notifier/inbox"
)

// lived creates an inbox with a history: rows of all kinds, and removed notices. It is written to SQL.
func (s *site) lived(t tb, h *shelf, seq int64) {
	t.Helper()
	for id := int64(1); id <= 7; id++ {
		n := s.notice(id, fmt.Sprintf("photo:%d", id))
		n.Scope, n.Recipients = "north", 2
		switch id {
		case 2:
			n.ExpiresAt = s.clock.in(time.Hour)
		case 3:
			n.ExpiresAt, n.Target = time.Time{}, notifier.Target{Role: "picker"}
		case 4:
			n.ExpiresAt = s.clock.in(8 * 24 * time.Hour)
		}
		h.keep(n)
		s.deliver(t, seq, n)
		if id == 5 {
			if _, err := s.Open(t.Context(), seq); err != nil {
				t.Fatal(err)
			}
		}
	}
	if _, _, err := s.MarkUnread(t.Context(), seq, key(2)); err != nil {
		t.Fatal(err)
	}
	if _, err := s.Delete(t.Context(), seq, key(6)); err != nil {
		t.Fatal(err)
	}
	if err := s.Retract(t.Context(), 1, key(1), []int64{seq}); err != nil {
		t.Fatal(err)
	}
	s.writeBehind(t, h, seq)
}

func TestAColdInboxIsRestoredExactlyAsSQLSawIt(t *testing.T) {
	onEachRedis(t, func(t *testing.T, s *site) {
		h := s.beside(0)
		s.lived(t, h, 42)
		before, heard := s.sound(t, 42), s.listen(t, 42)
		if len(before.List) != 5 || before.State["unread"] != "2" || len(before.Gone) != 2 || len(before.Dirty) != 0 || len(before.Expiry) != 2 {
			t.Fatalf("the inbox has too little history: %+v", before)
		}
		for _, sweptToo := range []bool{false, true} {
			s.lose(t, 42)
			if sweptToo { // a sweep of a cold inbox only removes its members from the index
				if n, err := s.Expire(t.Context(), map[int64][]string{42: {"", key(2)}}); n != 0 || err != nil {
					t.Fatal(n, err)
				}
				if left := s.stored(t, 42); len(left.Expiry) != 0 || len(left.State) != 0 {
					t.Fatalf("after the sweep: %+v", left)
				}
			}
			badge := s.wake(t, 42)[0]
			same(t, "losing and restoring the inbox", before, s.sound(t, 42))
			if badge.Unread != 2 || decimal(badge.Ver) != before.State["ver"] {
				t.Errorf("badge %+v, want that of %v", badge, before.State)
			}
		}
		if told := heard.heard(t); len(told) != 0 {
			t.Errorf("published %+v although nothing changed", told)
		}
	})
}

// everyCall returns each call that needs an inbox to be in Redis.
func (s *site) everyCall(seq int64) map[string]func(ctx context.Context) error {
	return map[string]func(ctx context.Context) error{
		"deliver": func(ctx context.Context) error {
			_, err := s.Deliver(ctx, s.notice(50, ""), []int64{seq})
			return err
		},
		"open":    func(ctx context.Context) error { _, err := s.Open(ctx, seq); return err },
		"look":    func(ctx context.Context) error { _, err := s.Look(ctx, seq, notifier.Query{}); return err },
		"find":    func(ctx context.Context) error { _, err := s.Find(ctx, seq, key(5), 0); return err },
		"read":    func(ctx context.Context) error { _, _, err := s.MarkRead(ctx, seq, key(7)); return err },
		"unread":  func(ctx context.Context) error { _, _, err := s.MarkUnread(ctx, seq, key(5)); return err },
		"upto":    func(ctx context.Context) error { _, err := s.ReadUpto(ctx, seq, key(7)); return err },
		"delete":  func(ctx context.Context) error { _, err := s.Delete(ctx, seq, key(5)); return err },
		"count":   func(ctx context.Context) error { _, err := s.CountBy(ctx, seq, inbox.ByType); return err },
		"section": func(ctx context.Context) error { _, err := s.SectionBadge(ctx, seq, notifier.Section{}); return err },
		"all of": func(ctx context.Context) error {
			_, err := s.ReadSection(ctx, seq, notifier.Section{Types: []string{"like"}}, "")
			return err
		},
		"open a section": func(ctx context.Context) error {
			_, err := s.OpenSection(ctx, seq, notifier.Section{Types: []string{"like"}})
			return err
		},
		"retract": func(ctx context.Context) error { return s.Retract(ctx, 60, "like:x", []int64{seq}) },
		"badges":  func(ctx context.Context) error { _, err := s.Badges(ctx, []int64{seq}); return err },
		"restore": func(ctx context.Context) error {
			_, err := s.PutBack(ctx, seq, notifier.Entry{Key: key(6), NoticeID: 6, At: 1})
			return err
		},
		"unread of": func(ctx context.Context) error {
			n := s.notice(7, "photo:7")
			who, err := s.UnreadOf(ctx, n, roaring.BitmapOf(uint32(seq)))
			if err == nil && who.IsEmpty() {
				err = errors.New("the notice counts as read")
			}
			return err
		},
		"statuses": func(ctx context.Context) error {
			tally, err := s.Statuses(ctx, []notifier.Single{{NoticeID: 5, Seq: seq, Key: key(5)}})
			if err == nil && tally[0].Delivered != 1 {
				err = errors.New("the notice counts as never delivered")
			}
			return err
		},
	}
}

func TestEveryCallRestoresAColdInbox(t *testing.T) {
	onEachRedis(t, func(t *testing.T, s *site) {
		h := s.beside(0)
		seq := int64(0)
		for name := range s.everyCall(0) {
			seq++
			s.lived(t, h, seq)
			s.lose(t, seq)
			if err := s.everyCall(seq)[name](t.Context()); err != nil {
				t.Errorf("%s: %v", name, err)
			}
			if at := s.sound(t, seq); len(at.List) < 4 || at.State["opened"] == "0" {
				t.Errorf("%s: the inbox holds %v, %v", name, at.List, at.State)
			}
		}
	})
}

func TestColdInboxesStayColdWithoutSQL(t *testing.T) {
	onEachRedis(t, func(t *testing.T, s *site) {
		h := s.beside(0)
		s.lived(t, h, 42)
		s.fill(t, 43, 1, 1)
		s.lose(t, 42)
		cold := s.stored(t, 42)
		for i := range h.failing {
			for name, call := range s.everyCall(42) {
				h.failing = [2]error{}
				h.failing[i] = errors.New("connection refused")
				if err := call(t.Context()); !errors.Is(err, notifier.ErrUnavailable) {
					t.Errorf("%s: %v, want unavailable", name, err)
				}
				same(t, name, cold, s.stored(t, 42))
			}
		}
		if _, err := s.Open(t.Context(), 43); err != nil {
			t.Errorf("a warm inbox: %v", err)
		}
		h.failing = [2]error{}
		if page, err := s.Look(t.Context(), 42, notifier.Query{}); err != nil || titles(page) != "7 5 4 3 2" {
			t.Errorf("once SQL is back: %q, %v", titles(page), err)
		}
	})
}

func TestACanceledCallDoesNotReportSQLAsUnavailable(t *testing.T) {
	t.Parallel()
	s := newSite(t, redistest.Client(t), 0)
	h := s.beside(0)
	h.failing[0] = context.Canceled
	if _, err := s.Open(t.Context(), 42); !errors.Is(err, context.Canceled) || errors.Is(err, notifier.ErrUnavailable) {
		t.Errorf("%v, want canceled", err)
	}
}

func TestRetractedExpiredAndUnknownNoticesAreNotRestored(t *testing.T) {
	onEachRedis(t, func(t *testing.T, s *site) {
		h := s.beside(0)
		s.fill(t, 42, 1, 6)
		for id := int64(1); id <= 7; id++ {
			h.keep(s.notice(id, fmt.Sprintf("photo:%d", id)))
		}
		soon := s.notice(7, "photo:7")
		soon.ExpiresAt = s.clock.in(time.Minute)
		s.deliver(t, 42, soon) // SQL has extended its expiry since, but the row has the old one
		if _, _, err := s.MarkRead(t.Context(), 42, key(6)); err != nil {
			t.Fatal(err)
		}
		s.writeBehind(t, h, 42)
		ver, heard := s.stored(t, 42).State["ver"], s.listen(t, 42)
		s.lose(t, 42)
		h.retract(2, notifier.StateRetracting)
		h.retract(3, notifier.StateRetracted)
		over := s.notice(4, "photo:4")
		over.ExpiresAt = s.clock.in(time.Minute)
		h.keep(over)
		delete(h.notices, 5)
		s.clock.pass(time.Minute)
		badge, now := s.wake(t, 42)[0], s.clock.now().UnixMilli()
		at := s.sound(t, 42)
		if got := strings.Join(at.List, " "); got != "like:photo:6:has_read:1 like:photo:1:has_read:0" {
			t.Errorf("rows %s", got)
		}
		if d := cmp.Diff(map[string]int64{"2": now, "3": now, "4": now, "5": now, "7": now}, at.Gone); d != "" {
			t.Errorf("gone (-want +got):\n%s", d)
		}
		unread := notifier.Left{Unread: true}
		if d := cmp.Diff(map[string]notifier.Left{
			"2": {Unread: true, Retracted: true}, "3": {Unread: true, Retracted: true}, "4": unread, "5": unread, "7": unread,
		}, at.Left); d != "" {
			t.Errorf("how they left (-want +got):\n%s", d)
		}
		if badge.Unread != 1 || badge.Ver != now || badge.Ver <= number(t, ver) || at.Dirty["42"] != now {
			t.Errorf("badge %+v after %s, dirty %v", badge, ver, at.Dirty)
		}
		told := heard.heard(t)
		if len(told) != 1 || told[0].Ver != badge.Ver || told[0].Unread != 1 ||
			events(told) != "removed like:photo:7, removed like:photo:5, removed like:photo:4, removed like:photo:3, removed like:photo:2" {
			t.Errorf("published %+v", told)
		}
		s.wake(t, 42)
		same(t, "a second time", at, s.stored(t, 42))
	})
}

func TestTheVersionRisesEvenIfTheSnapshotIsFromTheFuture(t *testing.T) {
	onEachRedis(t, func(t *testing.T, s *site) {
		h := s.beside(0)
		shared := []notifier.GoneNotice{{NoticeID: 5, Score: startTime}, {NoticeID: 6, Score: startTime}} // the second one must not be overwritten
		h.save([]notifier.Snapshot{{Seq: 42, Ver: startTime + 500, Gone: shared[:1], Rows: []notifier.SnapshotRow{{Field: "like:x:has_read:0", NoticeID: 1, At: 1}}}})
		if badge := s.wake(t, 42)[0]; badge.Ver != startTime+501 || badge.Unread != 0 {
			t.Errorf("badge %+v, want ver %d", badge, startTime+501)
		}
		if shared[1].NoticeID != 6 || len(s.stored(t, 42).Gone) != 2 {
			t.Errorf("gone: %v in SQL, %v in Redis", shared, s.stored(t, 42).Gone)
		}
	})
}

func TestNoticesInGoneAreNotRestoredFromAnOlderSnapshot(t *testing.T) {
	onEachRedis(t, func(t *testing.T, s *site) {
		h := s.beside(0)
		s.lived(t, h, 42)
		if _, err := s.Delete(t.Context(), 42, key(5)); err != nil {
			t.Fatal(err)
		}
		before := s.stored(t, 42)
		s.rdb.Del(t.Context(), s.k.State(42))
		s.clock.pass(time.Second)
		s.wake(t, 42)
		at := s.sound(t, 42)
		if d := cmp.Diff(before.List, at.List); d != "" {
			t.Errorf("rows (-before +after):\n%s", d)
		}
		if d := cmp.Diff(before.Gone, at.Gone); d != "" || at.Dirty["42"] != s.clock.now().UnixMilli() {
			t.Errorf("dirty %v; gone (-before +after):\n%s", at.Dirty, d)
		}
	})
}

func TestTwoInstancesRestoreAnInboxOnce(t *testing.T) {
	onEachRedis(t, func(t *testing.T, s *site) {
		h := s.beside(0)
		s.lived(t, h, 42)
		s.lose(t, 42)
		other := s.another(h, 0)
		var after stored
		h.meeting = func() { // after this instance has read SQL, the other overtakes it
			if _, err := other.Delete(t.Context(), 42, key(5)); err != nil {
				t.Error(err)
			}
			if _, err := other.Deliver(t.Context(), s.notice(8, "photo:8"), []int64{42}); err != nil {
				t.Error(err)
			}
			after = s.stored(t, 42)
		}
		badge := s.wake(t, 42)[0]
		same(t, "the slower instance", after, s.sound(t, 42))
		if len(after.List) != 5 || badge.Unread != 3 || decimal(badge.Ver) != after.State["ver"] {
			t.Errorf("badge %+v of %+v", badge, after)
		}
	})
}

func TestABatchQueriesSQLOnce(t *testing.T) {
	onEachRedis(t, func(t *testing.T, s *site) {
		h := s.beside(0)
		asks := func(what string, snapshots, contents, versions int, call func() error) {
			t.Helper()
			h.asked = [3]int{}
			if err := call(); err != nil || h.asked != [3]int{snapshots, contents, versions} {
				t.Errorf("%s: SQL was queried %v times, want %d, %d and %d; %v", what, h.asked, snapshots, contents, versions, err)
			}
		}
		seqs := make([]int64, 700)
		for i := range seqs {
			seqs[i] = int64(i + 1)
		}
		deliver := func(id int64) func() error {
			n := s.notice(id, fmt.Sprintf("photo:%d", id))
			h.keep(n)
			return func() error { _, err := s.Deliver(t.Context(), n, seqs); s.clock.pass(time.Millisecond); return err }
		}
		asks("users without a snapshot", 0, 0, 4, deliver(1)) // two lanes with two pipelines each
		asks("warm users", 0, 0, 0, deliver(2))
		s.writeBehind(t, h, seqs...)
		s.lose(t, seqs...)
		delete(h.snapshots, 300)
		asks("cold users", 4, 4, 4, deliver(3))
		s.lose(t, seqs...)
		asks("their badges", 2, 2, 0, func() error { _, err := s.Badges(t.Context(), seqs); return err })
		asks("their badges a second time", 0, 0, 0, func() error { _, err := s.Badges(t.Context(), seqs); return err })
		asks("a page and a row", 0, 0, 0, func() error { _, err := s.Open(t.Context(), 7); return err })
		for i, b := range s.wake(t, seqs...) {
			want := int64(2)
			if seqs[i] == 300 || seqs[i] == 7 { // without a snapshot; opened
				want = 0
			}
			if b.Unread != want {
				t.Errorf("user %d has %d unread, want %d", seqs[i], b.Unread, want)
			}
		}
	})
}

func TestManyLargeInboxesAreRestoredInPortions(t *testing.T) {
	onEachRedis(t, func(t *testing.T, s *site) {
		h := s.beside(3000)
		const rows = 2500
		var list []notifier.Snapshot
		var seqs []int64
		for seq := int64(1); seq <= 8; seq++ {
			one := notifier.Snapshot{Seq: seq, Ver: startTime - 1, Unread: 77, Opened: 5}
			for id := int64(rows); id > 0; id-- {
				field, expires := fmt.Sprint("like:photo:", id, ":has_read:", id%2), int64(0)
				if id%3 > 0 {
					expires = startTime + id%3*week
				}
				one.Rows = append(one.Rows, notifier.SnapshotRow{Field: field, NoticeID: id, At: startTime - week/2 + id, Expires: expires})
			}
			for id := int64(1); id <= 500; id++ {
				one.Gone = append(one.Gone, notifier.GoneNotice{NoticeID: rows + id, Score: float64(startTime+id) + 0.5})
			}
			list, seqs = append(list, one), append(seqs, seq)
		}
		for id := int64(1); id <= rows; id++ {
			h.keep(s.notice(id, fmt.Sprintf("photo:%d", id)))
		}
		h.save(list)
		s.wake(t, seqs...)
		if h.asked != [3]int{1, 2, 0} {
			t.Errorf("SQL was queried %v times, want 1 and 2", h.asked)
		}
		for i := range list {
			list[i].Unread = rows / 2 // counted again
		}
		if d := cmp.Diff(list, s.read(t, seqs...)); d != "" {
			t.Errorf("(-SQL +redis):\n%s", d[:min(len(d), 2000)])
		}
	})
}

func TestARestoredRowShowsTheSameContent(t *testing.T) {
	onEachRedis(t, func(t *testing.T, s *site) {
		h := s.beside(0)
		s.lived(t, h, 42)
		before, err := s.Look(t.Context(), 42, notifier.Query{})
		if err != nil {
			t.Fatal(err)
		}
		s.lose(t, 42)
		after, err := s.Look(t.Context(), 42, notifier.Query{})
		if d := cmp.Diff(before, after); err != nil || d != "" {
			t.Errorf("%v (-before +after):\n%s", err, d)
		}
	})
}

func TestRedeliveryAfterARestoreChangesNothing(t *testing.T) {
	onEachRedis(t, func(t *testing.T, s *site) {
		h := s.beside(0)
		s.lived(t, h, 42)
		before := s.stored(t, 42)
		s.lose(t, 42)
		for id := int64(1); id <= 7; id++ {
			if got := s.deliver(t, 42, s.notice(id, fmt.Sprintf("photo:%d", id))); got != 0 {
				t.Errorf("notice %d changed %d inboxes", id, got)
			}
		}
		same(t, "delivering all again", before, s.stored(t, 42))
	})
}

// Without Snapshots, a cold inbox starts empty.
func TestWithoutSnapshotsAColdInboxStartsEmpty(t *testing.T) {
	onEachRedis(t, func(t *testing.T, s *site) {
		s.lived(t, newShelf(), 42)
		s.lose(t, 42)
		s.Inbox = inbox.New(s.rdb, s.k, inbox.Options{Now: s.clock.now})
		if _, err := s.Find(t.Context(), 42, key(5), 0); !errors.Is(err, notifier.ErrNotFound) {
			t.Errorf("Find: %v", err)
		}
		if at := s.stored(t, 42); len(at.State) != 0 {
			t.Errorf("Find started the inbox: %v", at.State)
		}
		page, err := s.Open(t.Context(), 42)
		if err != nil || len(page.Entries) != 0 || page.Ver != s.clock.now().UnixMilli() {
			t.Errorf("page %+v, %v", page, err)
		}
	})
}
