package notices_test

import (
	"errors"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"github.com/carillonhq/carillon/internal/redistest"
	"github.com/carillonhq/carillon/internal/testkit"
	"github.com/carillonhq/carillon/notifier"
	"github.com/carillonhq/carillon/notifier/delivery"
	"github.com/carillonhq/carillon/notifier/notices"
)

// withoutRelay returns a config with which no entry is added twice: the relay has no time to look,
// and no reason to, because the stream exists before the first read.
func (r *rig) withoutRelay(t *testing.T) notices.Config {
	t.Helper()
	if err := r.rdb.XGroupCreateMkStream(t.Context(), r.keys.Intake(), delivery.Group, "0").Err(); err != nil {
		t.Fatal(err)
	}
	c := r.config()
	c.Poll = time.Hour
	return c
}

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
		if err := p.Replay(t.Context(), letter.ID); err != nil {
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
			c := r.withoutRelay(t)
			c.Chunk = chunk
			p := running(t, c)
			n := send(t, p, toRole("all"))
			testkit.Eventually(t, "the entry is a dead letter", func() bool { return r.dead(t) == 1 })
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
			if err := p.Replay(t.Context(), letters[0].ID); err != nil {
				t.Fatal(err)
			}
			testkit.Eventually(t, "the last recipient has it too", func() bool { return r.allUnread(t, seqs, 1) })
			r.everyoneHas(t, seqs, 1)
			if count, err := r.store.CountDeadLetters(t.Context()); err != nil || count != 0 {
				t.Errorf("%d dead letters left, %v", count, err)
			}
			if err := p.Replay(t.Context(), letters[0].ID); !errors.Is(err, notifier.ErrNotFound) {
				t.Errorf("the second time: %v", err)
			}
		})
	}
}

func TestFailingRetractionIsFinishedByReplay(t *testing.T) {
	t.Parallel()
	r := newRig(t, redistest.Client(t))
	seqs := r.users(t, "all", 30)
	c := r.withoutRelay(t)
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
	testkit.Eventually(t, "the entry is a dead letter", func() bool { return r.dead(t) == 1 })
	r.state(t, n.ID, notifier.StateRetracted)
	if err := r.rdb.Rename(t.Context(), "kept"+r.keys.State(seqs[15]), r.keys.State(seqs[15])).Err(); err != nil {
		t.Fatal(err)
	}
	r.replayAll(t, p)
	testkit.Eventually(t, "nobody has it", func() bool { return r.allUnread(t, seqs, 0) })
	r.everyoneHas(t, seqs, 0)
}

func TestUnreadableEntryBecomesADeadLetterAtOnce(t *testing.T) {
	t.Parallel()
	r := newRig(t, redistest.Client(t))
	seqs := r.users(t, "all", 2)
	p := running(t, r.config())
	n := send(t, p, toRole("all"))
	for _, fields := range [][]string{{"notice", "x"}, {"notice", "1", "wings", "2"}} {
		r.rdb.XAdd(t.Context(), xadd(r.keys.Intake(), fields))
	}
	testkit.Eventually(t, "both are dead letters", func() bool { return r.dead(t) == 2 })
	for _, letter := range r.letters(t) {
		err := p.Replay(t.Context(), letter.ID)
		if letter.NoticeID == 0 && !errors.Is(err, notifier.ErrConflict) || letter.NoticeID == n.ID && err != nil {
			t.Errorf("replay of %+v: %v", letter, err)
		}
	}
	for _, letter := range r.letters(t) {
		if err := p.Discard(t.Context(), letter.ID); err != nil {
			t.Error(err)
		}
		if err := p.Discard(t.Context(), letter.ID); !errors.Is(err, notifier.ErrNotFound) {
			t.Errorf("the second time: %v", err)
		}
	}
	testkit.Eventually(t, "the intake is empty", func() bool { return r.backlog(t) == 0 })
	r.everyoneHas(t, seqs, 1)
}

// Letters that are stored outlive the version that buried them.
func TestStoredDeadLettersAreReplayedAsTheyAre(t *testing.T) {
	t.Parallel()
	r := newRig(t, redistest.Client(t))
	p := notices.New(r.config())
	for letter, want := range map[string]map[string]any{
		`{"notice":7}`: {"notice": "7", "again": "1"},
		`{"notice":7,"from":3,"to":5,"again":true}`:          {"notice": "7", "from": "3", "to": "5", "again": "1"},
		`{"notice":7,"had":true}`:                            {"notice": "7", "again": "1", "had": "1"}, // of an edit: who had the notice does not get it again
		`{"notice":7,"from":3,"to":5,"retract":true}`:        {"notice": "7", "from": "3", "to": "5", "again": "1", "retract": "1"},
		`{"from":17,"to":1700000000000,"again":true}`:        {"notice": "0", "from": "17", "to": "1700000000000", "again": "1"},
		`{"notice":7,"raw":{"notice":"7","colour":"red"}}`:   {"notice": "7", "again": "1"},
		`{"notice":7,"from":3,"raw":{"notice":"7","to":""}}`: {"notice": "7", "again": "1"},
	} {
		if err := r.store.Bury(t.Context(), notifier.DeadLetter{NoticeID: 7, Entry: letter, Reason: "test", CreatedAt: time.Now()}); err != nil {
			t.Fatal(err)
		}
		r.replayAll(t, p)
		entries, err := r.rdb.XRevRangeN(t.Context(), r.keys.Intake(), "+", "-", 1).Result()
		if err != nil || len(entries) != 1 {
			t.Fatal(entries, err)
		}
		if diff := cmp.Diff(want, entries[0].Values); diff != "" {
			t.Errorf("%s (-want +got):\n%s", letter, diff)
		}
	}
}
