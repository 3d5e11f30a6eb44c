package notices_test

import (
	"testing"
	"time"

	"github.com/carillonhq/carillon/internal/redistest"
	"github.com/carillonhq/carillon/internal/testkit"
	"github.com/carillonhq/carillon/notifier"
	"github.com/carillonhq/carillon/notifier/notices"
)

// snoozed gives each user a notice, which is snoozed and due.
func (r *rig) snoozed(t *testing.T, n int) (seqs []int64) {
	t.Helper()
	seqs = r.users(t, "all", n)
	p := notices.New(r.config())
	stop := start(t, p)
	d := toRole("all")
	d.Subject = "lift"
	r.state(t, send(t, p, d).ID, notifier.StateSent)
	stop()
	for _, seq := range seqs {
		if _, err := r.inbox.Snooze(t.Context(), seq, "news:lift", time.Now()); err != nil {
			t.Fatal(err)
		}
	}
	return seqs
}

func TestAnotherInstanceWakesWhatAKilledOneHasNot(t *testing.T) {
	t.Parallel()
	r := newRig(t, redistest.Client(t))
	seqs := r.snoozed(t, 450)
	first := r.otherInstance(t)
	testkit.Eventually(t, "the first instance is at work", func() bool { return r.allUnread(t, seqs[:1], 1) })
	if err := first.Process.Kill(); err != nil {
		t.Fatal(err)
	}
	_ = first.Wait()
	start(t, notices.New(r.config()))
	start(t, notices.New(r.config()))
	testkit.Eventually(t, "everything has come back", func() bool { return r.allUnread(t, seqs, 1) })
	r.everyoneHas(t, seqs, 1)
}

func TestInboxesThatFailDoNotDelayOthersThatAreDue(t *testing.T) {
	t.Parallel()
	r := newRig(t, redistest.Client(t))
	seqs := r.snoozed(t, 250)
	for _, seq := range seqs[:210] { // more than a page
		if err := r.rdb.Del(t.Context(), r.keys.Archive(seq)).Err(); err != nil {
			t.Fatal(err)
		}
		if err := r.rdb.Set(t.Context(), r.keys.Archive(seq), "x", 0).Err(); err != nil {
			t.Fatal(err)
		}
	}
	start(t, notices.New(r.config()))
	testkit.Eventually(t, "the others are back", func() bool { return r.allUnread(t, seqs[210:], 1) })
}

func TestASnoozedEntryOfAnEvictedInboxComesBack(t *testing.T) {
	t.Parallel()
	r := newRig(t, redistest.Client(t))
	seqs := r.snoozed(t, 3)
	for _, seq := range seqs {
		if err := r.rdb.Del(t.Context(), r.keys.List(seq), r.keys.Hash(seq), r.keys.State(seq), r.keys.Gone(seq), r.keys.Archive(seq)).Err(); err != nil {
			t.Fatal(err)
		}
	}
	start(t, notices.New(r.config()))
	testkit.Eventually(t, "everything has come back", func() bool { return r.allUnread(t, seqs, 1) })
	r.everyoneHas(t, seqs, 1)
}
