package store_test

import (
	"sync"
	"sync/atomic"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"github.com/carillonhq/carillon/notifier"
)

func TestReplayedDeadLetterBecomesWorkAndMarksItsNoticeAsChanged(t *testing.T) {
	onBoth(t, func(t *testing.T, db *database) {
		s := db.open(t)
		all := batch(1)
		acceptAll(t, s, all...)
		n := all[0].Notice.ID
		db.clock.move(time.Hour)
		since := db.clock.now()
		for range 2 {
			if _, err := s.Bury(t.Context(), 0, 0, notifier.DeadLetter{NoticeID: n, Entry: "{}", Reason: "no inbox"}); err != nil {
				t.Fatal(err)
			}
		}
		if again := must(s.Since(t.Context(), since, 0, 10))(t); len(again) > 0 {
			t.Errorf("before: %v", again)
		}
		work := notifier.Work{Kind: notifier.WorkRetract, NoticeID: n, From: 3, To: 5, Again: true}
		if err := s.ReplayDeadLetter(t.Context(), notifier.Actor{}, 1, work); err != nil {
			t.Fatal(err)
		}
		wantIs(t, s.ReplayDeadLetter(t.Context(), notifier.Actor{}, 1, work), notifier.ErrNotFound)
		work.ID = 1
		if got := must(s.ClaimWork(t.Context(), notifier.Claim{Owner: 7, Until: since.Add(time.Hour)}, 10))(t); !cmp.Equal(got, []notifier.Work{work}) {
			t.Errorf("work: %+v", got)
		}
		if left := must(s.CountDeadLetters(t.Context()))(t); left != 1 {
			t.Errorf("%d dead letters are left, want 1", left)
		}
		if again := must(s.Since(t.Context(), since, 0, 10))(t); len(again) != 1 || again[0] != n {
			t.Errorf("changed notices: %v, want notice %d", again, n)
		}
	})
}

func TestANoticeIsBuriedByWhoeverHasItsClaimOnly(t *testing.T) {
	onBoth(t, func(t *testing.T, db *database) {
		s := db.open(t)
		all := batch(1)
		acceptAll(t, s, all...)
		for owner := range int64(2) {
			if got := must(s.ClaimNotices(t.Context(), notifier.Claim{Owner: owner + 1, Until: db.clock.at.Add(time.Second)}, 9))(t); len(got) != 1 {
				t.Fatalf("claimed: %+v", got)
			}
			db.clock.move(time.Minute)
		}
		for owner, want := range map[int64]bool{1: false, 2: true} {
			if held := must(s.Bury(t.Context(), owner, 0, notifier.DeadLetter{NoticeID: all[0].Notice.ID}))(t); held != want {
				t.Errorf("the claim of %d is held: %v", owner, held)
			}
		}
		if n := must(s.CountDeadLetters(t.Context()))(t); n != 1 {
			t.Errorf("%d dead letters, want 1", n)
		}
	})
}

func TestDeadLettersAreKeptUntilTheyAreDeleted(t *testing.T) {
	onBoth(t, func(t *testing.T, db *database) {
		s := db.open(t)
		at := time.Date(2026, 2, 1, 0, 0, 0, 5_000_000, time.UTC)
		buried := []notifier.DeadLetter{
			{NoticeID: 7, Entry: `{"notice":"7"}`, Reason: "no inbox", Tries: 5, CreatedAt: at},
			{Entry: "\x00\xff", Reason: "not \x00 to be read"},
			{NoticeID: 7, Entry: "{}", Reason: "again", Tries: 1 << 40},
		}
		for _, d := range buried {
			if _, err := s.Bury(t.Context(), 0, 0, d); err != nil {
				t.Fatal(err)
			}
		}
		want := []notifier.DeadLetter{
			{ID: 3, NoticeID: 7, Entry: "{}", Reason: "again", Tries: 1 << 40, CreatedAt: db.clock.now()},
			{ID: 2, Entry: "��", Reason: "not � to be read", CreatedAt: db.clock.now()},
			{ID: 1, NoticeID: 7, Entry: `{"notice":"7"}`, Reason: "no inbox", Tries: 5, CreatedAt: at},
		}
		for _, page := range []struct {
			before int64
			limit  int
			want   []notifier.DeadLetter
		}{{0, 10, want}, {0, 2, want[:2]}, {2, 2, want[2:]}, {1, 2, nil}, {0, 0, want}} {
			got := must(s.DeadLetters(t.Context(), page.before, page.limit))(t)
			if diff := cmp.Diff(page.want, got); diff != "" {
				t.Errorf("%d before %d (-want +got):\n%s", page.limit, page.before, diff)
			}
		}
		if diff := cmp.Diff(want[0], must(s.DeadLetter(t.Context(), 3))(t)); diff != "" {
			t.Errorf("dead letter 3 (-want +got):\n%s", diff)
		}
		if n := must(s.DeadLettersOf(t.Context(), 7))(t); n != 2 {
			t.Errorf("notice 7 has %d dead letters; want 2", n)
		}
		var deleted atomic.Int64
		var wg sync.WaitGroup
		for range 8 {
			wg.Go(func() {
				err := s.DiscardDeadLetter(t.Context(), notifier.Actor{}, 3)
				if err == nil {
					deleted.Add(1)
					return
				}
				wantIs(t, err, notifier.ErrNotFound)
			})
		}
		wg.Wait()
		_, err := s.DeadLetter(t.Context(), 3)
		wantIs(t, err, notifier.ErrNotFound)
		if n, of := must(s.CountDeadLetters(t.Context()))(t), must(s.DeadLettersOf(t.Context(), 7))(t); n != 2 || of != 1 || deleted.Load() != 1 {
			t.Errorf("%d calls deleted it, %d dead letters are left, %d of notice 7; want 1, 2, 1", deleted.Load(), n, of)
		}
	})
}
