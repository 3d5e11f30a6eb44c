package inbox_test

import (
	"context"
	"errors"
	"testing"

	"github.com/google/go-cmp/cmp"
	"github.com/redis/go-redis/v9"

	"github.com/carillonhq/carillon/internal/redistest"
	"github.com/carillonhq/carillon/internal/testkit"
	"github.com/carillonhq/carillon/notifier"
)

func TestBadgesComeInOrderAndStartColdInboxes(t *testing.T) {
	onEachRedis(t, func(t *testing.T, s *site) {
		seqs := make([]int64, 1100)
		for i := range seqs {
			seqs[i] = int64(1100 - i)
		}
		s.fill(t, 3, 1, 3)
		s.fill(t, 1000, 4, 4)
		badges, err := s.Badges(t.Context(), seqs)
		if err != nil || len(badges) != len(seqs) {
			t.Fatalf("%d badges, %v", len(badges), err)
		}
		unread := map[int64]int64{3: 3, 1000: 1}
		for i, b := range badges {
			if b.Ver < startTime || b.Unread != unread[seqs[i]] || b.Inbox != b.Unread {
				t.Errorf("user %d: %+v, want %d unread", seqs[i], b, unread[seqs[i]])
			}
		}
		again, err := s.Badges(t.Context(), seqs)
		if err != nil || again[0] != badges[0] {
			t.Errorf("a second time: %+v, %v; want %+v", again[0], err, badges[0])
		}
		if none, err := s.Badges(t.Context(), nil); err != nil || len(none) != 0 {
			t.Errorf("without users: %v, %v", none, err)
		}
	})
}

func TestTheStatusOfANoticeToOneUserIsReadFromTheirInbox(t *testing.T) {
	onEachRedis(t, func(t *testing.T, s *site) {
		compare := func(id int64, want notifier.Tally) {
			t.Helper()
			got, err := s.Statuses(t.Context(), []notifier.Single{
				{NoticeID: 99, Seq: 43, Key: "like:photo:7"}, {NoticeID: id, Seq: 42, Key: "like:photo:7"},
			})
			if err != nil || got[1] != want || got[0] != (notifier.Tally{}) {
				t.Errorf("notice %d: %+v, %v; want %+v, and nothing for another notice", id, got, err, want)
			}
		}
		status := func(id, delivered, read int64) {
			t.Helper()
			compare(id, notifier.Tally{Delivered: delivered, Read: read})
		}
		status(7, 0, 0)
		s.deliver(t, 42, s.notice(7, "photo:7"))
		status(7, 1, 0)
		if _, err := s.Open(t.Context(), 42); err != nil {
			t.Fatal(err)
		}
		status(7, 1, 1)
		s.deliver(t, 42, s.notice(77, "photo:7"))
		status(7, 1, 1)
		status(77, 1, 0)
		if _, err := s.Delete(t.Context(), 42, "like:photo:7"); err != nil {
			t.Fatal(err)
		}
		status(77, 1, 0)
		s.deliver(t, 42, s.notice(78, "photo:7"))
		if err := s.Retract(t.Context(), 78, "like:photo:7", []int64{42}); err != nil {
			t.Fatal(err)
		}
		status(78, 1, 0)
		s.deliver(t, 42, s.notice(80, "photo:7"))
		if _, _, err := s.Archive(t.Context(), 42, []string{"like:photo:7"}); err != nil {
			t.Fatal(err)
		}
		status(80, 1, 1)
		// Notices that left before inboxes recorded their state.
		if err := s.rdb.ZAdd(t.Context(), s.k.Gone(42), redis.Z{Score: startTime, Member: 79}).Err(); err != nil {
			t.Fatal(err)
		}
		compare(79, notifier.Tally{Delivered: 1, ReadUnknown: true})
		if none, err := s.Statuses(t.Context(), nil); err != nil || len(none) != 0 {
			t.Errorf("without notices: %v, %v", none, err)
		}
	})
}

func TestManyNoticesAreCountedAtOnceAndInOrder(t *testing.T) {
	onEachRedis(t, func(t *testing.T, s *site) {
		for id, seqs := range map[int64][]int64{5: {1, 2, 3, 65, 129}, 6: {2, 3}, 8: {64, 128}} {
			n := s.notice(id, "")
			n.Recipients = int64(len(seqs))
			if _, err := s.Deliver(t.Context(), n, seqs); err != nil {
				t.Fatal(err)
			}
		}
		for _, seq := range []int64{1, 65, 64} {
			if _, err := s.Open(t.Context(), seq); err != nil {
				t.Fatal(err)
			}
		}
		got, err := s.Counts(t.Context(), []int64{8, 5, 7, 6, 5})
		want := []notifier.Tally{{Delivered: 2, Read: 1}, {Delivered: 5, Read: 2}, {}, {Delivered: 2}, {Delivered: 5, Read: 2}}
		if diff := cmp.Diff(want, got); err != nil || diff != "" {
			t.Errorf("%v (-want +got):\n%s", err, diff)
		}
		if none, err := s.Counts(t.Context(), nil); err != nil || len(none) != 0 {
			t.Errorf("without notices: %v, %v", none, err)
		}
	})
}

func TestWithoutRedisEveryCallReportsUnavailable(t *testing.T) {
	t.Parallel()
	server := redistest.Own(t)
	rdb := redis.NewClient(&redis.Options{Network: "unix", Addr: server.Socket, MaxRetries: -1, DialerRetries: 1})
	t.Cleanup(func() { _ = rdb.Close() })
	s := newSite(t, rdb, 0)
	s.fill(t, 42, 1, 1)
	server.Crash(t)
	for name, call := range map[string]func(ctx context.Context) error{
		"load":    s.Load,
		"deliver": func(ctx context.Context) error { _, err := s.Deliver(ctx, s.notice(2, ""), []int64{1, 2}); return err },
		"open":    func(ctx context.Context) error { _, err := s.Open(ctx, 42); return err },
		"look":    func(ctx context.Context) error { _, err := s.Look(ctx, 42, notifier.Query{}); return err },
		"read":    func(ctx context.Context) error { _, _, err := s.MarkRead(ctx, 42, key(1)); return err },
		"retract": func(ctx context.Context) error { return s.Retract(ctx, 1, key(1), []int64{42}) },
		"expire":  func(ctx context.Context) error { _, err := s.Expire(ctx, map[int64][]string{42: {key(1)}}); return err },
		"badges":  func(ctx context.Context) error { _, err := s.Badges(ctx, []int64{42}); return err },
		"counts":  func(ctx context.Context) error { _, err := s.Counts(ctx, []int64{1}); return err },
		"statuses": func(ctx context.Context) error {
			_, err := s.Statuses(ctx, []notifier.Single{{NoticeID: 1, Seq: 42, Key: key(1)}})
			return err
		},
		"dirty":    func(ctx context.Context) error { _, err := s.Dirty(ctx, 1, 1); return err },
		"snapshot": func(ctx context.Context) error { _, err := s.Inbox.Read(ctx, []int64{42}); return err },
		"clean":    func(ctx context.Context) error { return s.Clean(ctx, 1, []notifier.Dirty{{Seq: 1, Ver: 1}}) },
	} {
		if err := call(t.Context()); !errors.Is(err, notifier.ErrUnavailable) {
			t.Errorf("%s: %v, want unavailable", name, err)
		}
	}
	server.Restart(t)
	testkit.Eventually(t, "Redis, which came back empty, is used", func() bool { // the client waits a second before it reconnects
		page, err := s.Open(t.Context(), 42)
		return err == nil && len(page.Entries) == 0
	})
}
