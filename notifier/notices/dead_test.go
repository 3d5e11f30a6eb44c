package notices_test

import (
	"context"
	"errors"
	"slices"
	"strings"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"github.com/carillonhq/carillon/internal/redistest"
	"github.com/carillonhq/carillon/internal/testkit"
	"github.com/carillonhq/carillon/notifier"
	"github.com/carillonhq/carillon/notifier/notices"
	"github.com/carillonhq/carillon/store"
)

func (r *rig) letters(t *testing.T) []notifier.DeadLetter {
	t.Helper()
	letters, err := r.store.DeadLetters(t.Context(), 0, 100)
	if err != nil {
		t.Fatal(err)
	}
	return letters
}

func (r *rig) dead(t *testing.T) int { return len(r.letters(t)) }

func (r *rig) replayAll(t *testing.T, p *notices.Notices) {
	t.Helper()
	for _, letter := range r.letters(t) {
		if err := p.Replay(t.Context(), notifier.Actor{}, letter.ID); err != nil {
			t.Fatal(err)
		}
	}
}

func TestPermanentFailureBecomesADeadLetterThatCanBeReplayed(t *testing.T) {
	t.Parallel()
	for name, chunk := range map[string]int{"whole": 500, "range by range": 20} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			r := newRig(t, redistest.Client(t))
			seqs := r.users(t, "all", 100)
			if err := r.rdb.Set(t.Context(), r.keys.State(seqs[10]), "broken", 0).Err(); err != nil {
				t.Fatal(err)
			}
			c := r.config()
			c.Chunk = chunk
			p := running(t, c)
			n := send(t, p, toRole("all"))
			testkit.Eventually(t, "the work is a dead letter", func() bool { return r.dead(t) == 1 })
			r.state(t, n.ID, notifier.StateSent)
			others := append(append([]int64{}, seqs[:10]...), seqs[11:]...)
			r.everyoneHas(t, others, 1)
			letters, err := r.store.DeadLetters(t.Context(), 0, 10)
			if err != nil || len(letters) != 1 || letters[0].NoticeID != n.ID || letters[0].Tries == 0 || !strings.Contains(letters[0].Reason, "WRONGTYPE") {
				t.Errorf("dead letters: %+v, %v", letters, err)
			}
			if err := r.rdb.Del(t.Context(), r.keys.State(seqs[10])).Err(); err != nil {
				t.Fatal(err)
			}
			if err := p.Replay(t.Context(), notifier.Actor{}, letters[0].ID); err != nil {
				t.Fatal(err)
			}
			testkit.Eventually(t, "the last recipient has it too", func() bool { return r.allUnread(t, seqs, 1) })
			r.everyoneHas(t, seqs, 1)
			if count, err := r.store.CountDeadLetters(t.Context()); err != nil || count != 0 {
				t.Errorf("%d dead letters left, %v", count, err)
			}
			if err := p.Replay(t.Context(), notifier.Actor{}, letters[0].ID); !errors.Is(err, notifier.ErrNotFound) {
				t.Errorf("the second time: %v", err)
			}
		})
	}
}

// robbed is a store in which the first job that is buried has lost its claim to another instance, which then gives it back.
type robbed struct {
	*store.Store
	once sync.Once
}

func (s *robbed) Bury(ctx context.Context, owner, work int64, d notifier.DeadLetter) (held bool, err error) {
	other := notifier.Claim{Owner: owner + 1, Until: time.Now().Add(time.Hour)}
	s.once.Do(func() {
		if err = s.GiveBack(ctx, owner, []int64{d.NoticeID}, nil); err == nil {
			_, err = s.ClaimNotices(ctx, other, 1)
		}
	})
	if err == nil {
		held, err = s.Store.Bury(ctx, owner, work, d)
	}
	if err == nil {
		err = s.GiveBack(ctx, other.Owner, []int64{d.NoticeID}, nil)
	}
	return held, err
}

// refusing is an inbox that refuses as many deliveries as make a dead letter.
type refusing struct {
	notices.Inbox
	n atomic.Int64
}

func (f *refusing) DeliverAll(ctx context.Context, all []notifier.Delivery) ([]notifier.Arrival, []error) {
	if f.n.Add(1) <= 5 {
		return nil, slices.Repeat([]error{errors.New("refused")}, len(all))
	}
	return f.Inbox.DeliverAll(ctx, all)
}

func TestAJobThatHasLostItsClaimBuriesNothing(t *testing.T) {
	t.Parallel()
	r := newRig(t, redistest.Client(t))
	seqs := r.users(t, "all", 3)
	c := r.config()
	c.Store, c.Inbox = &robbed{Store: r.store}, &refusing{Inbox: r.inbox}
	n := send(t, running(t, c), toRole("all"))
	r.state(t, n.ID, notifier.StateSent)
	r.everyoneHas(t, seqs, 1)
	if dead := r.dead(t); dead > 0 {
		t.Errorf("%d dead letters", dead)
	}
}

func TestFailingRetractionIsFinishedByReplay(t *testing.T) {
	t.Parallel()
	r := newRig(t, redistest.Client(t))
	seqs := r.users(t, "all", 30)
	c := r.config()
	c.Chunk = 10
	p := running(t, c)
	n := send(t, p, toRole("all"))
	if err := r.rdb.Rename(t.Context(), r.keys.State(seqs[15]), "kept"+r.keys.State(seqs[15])).Err(); err != nil {
		t.Fatal(err)
	}
	if err := r.rdb.Set(t.Context(), r.keys.State(seqs[15]), "broken", 0).Err(); err != nil {
		t.Fatal(err)
	}
	retract(t, p, n.ID)
	testkit.Eventually(t, "the work is a dead letter", func() bool { return r.dead(t) == 1 })
	r.state(t, n.ID, notifier.StateRetracted)
	if err := r.rdb.Rename(t.Context(), "kept"+r.keys.State(seqs[15]), r.keys.State(seqs[15])).Err(); err != nil {
		t.Fatal(err)
	}
	r.replayAll(t, p)
	testkit.Eventually(t, "nobody has it", func() bool { return r.allUnread(t, seqs, 0) })
	r.everyoneHas(t, seqs, 0)
}

func TestDeadLetterThatNamesNoNoticeIsNotReplayed(t *testing.T) {
	t.Parallel()
	r := newRig(t, redistest.Client(t))
	p := notices.New(r.config())
	for _, entry := range []string{`{"raw":{"notice":"x"}}`, `{"from":7}`, `{`} {
		if _, err := r.store.Bury(t.Context(), 0, 0, notifier.DeadLetter{Entry: entry, Reason: "unreadable"}); err != nil {
			t.Fatal(err)
		}
	}
	for _, letter := range r.letters(t) {
		if err := p.Replay(t.Context(), notifier.Actor{}, letter.ID); !errors.Is(err, notifier.ErrConflict) {
			t.Errorf("replay of %+v: %v", letter, err)
		}
		if err := p.Discard(t.Context(), notifier.Actor{}, letter.ID); err != nil {
			t.Error(err)
		}
		if err := p.Discard(t.Context(), notifier.Actor{}, letter.ID); !errors.Is(err, notifier.ErrNotFound) {
			t.Errorf("the second time: %v", err)
		}
	}
	if r.dead(t) != 0 || r.backlog(t) != 0 {
		t.Error("something is left")
	}
}

// Stored dead letters outlive the version that wrote them.
func TestStoredDeadLettersAreReplayedAsTheyAre(t *testing.T) {
	t.Parallel()
	r := newRig(t, redistest.Client(t))
	p := notices.New(r.config())
	deliver, since := notifier.Work{Kind: notifier.WorkDeliver, NoticeID: 7, Again: true}, time.UnixMilli(1_700_000_000_000).UTC()
	had, piece, taken := deliver, deliver, deliver
	had.Had = true // of an edit: users who had the notice do not get it again
	piece.From, piece.To = 3, 5
	taken.Kind, taken.From, taken.To = notifier.WorkRetract, 3, 5
	for letter, want := range map[string]notifier.Work{
		`{"notice":7}`: deliver,
		`{"notice":7,"from":3,"to":5,"again":true}`:          piece,
		`{"notice":7,"had":true}`:                            had,
		`{"notice":7,"from":3,"to":5,"retract":true}`:        taken,
		`{"from":17,"to":1700000000000,"again":true}`:        {Kind: notifier.WorkResend, From: 17, Since: since},
		`{"notice":7,"raw":{"notice":"7","colour":"red"}}`:   deliver,
		`{"notice":7,"from":3,"raw":{"notice":"7","to":""}}`: deliver,
	} {
		if _, err := r.store.Bury(t.Context(), 0, 0, notifier.DeadLetter{NoticeID: 7, Entry: letter, Reason: "test", CreatedAt: time.Now()}); err != nil {
			t.Fatal(err)
		}
		r.replayAll(t, p)
		got, err := r.store.ClaimWork(t.Context(), notifier.Claim{Owner: 1, Until: time.Now().Add(time.Hour)}, 10)
		if err != nil || len(got) != 1 {
			t.Fatal(got, err)
		}
		got[0].ID, got[0].Since = 0, got[0].Since.UTC()
		if diff := cmp.Diff(want, got[0]); diff != "" {
			t.Errorf("%s (-want +got):\n%s", letter, diff)
		}
	}
}
