package notices_test

import (
	"errors"
	"testing"

	"github.com/carillonhq/carillon/internal/redistest"
	"github.com/carillonhq/carillon/internal/testkit"
	"github.com/carillonhq/carillon/notifier"
	"github.com/carillonhq/carillon/notifier/notices"
)

func retract(t *testing.T, p *notices.Notices, id int64) {
	t.Helper()
	if err := p.Retract(t.Context(), notifier.Actor{}, id); err != nil {
		t.Fatalf("Retract: %v", err)
	}
}

func TestSmallNoticeIsGoneWhenRetractReturns(t *testing.T) {
	t.Parallel()
	r := newRig(t, redistest.Client(t))
	seqs := r.users(t, "all", 3)
	p := running(t, r.config())
	n := send(t, p, toRole("all"))
	keep := send(t, p, toRole("all"))
	for range 2 { // the second call is no error and changes nothing
		retract(t, p, n.ID)
		r.everyoneHas(t, seqs, 1)
	}
	if got, err := p.Progress(t.Context(), n.ID); err != nil || got.State != notifier.StateRetracted {
		t.Errorf("it is %s, %v", got.State, err)
	}
	if page, err := r.inbox.Open(t.Context(), seqs[0]); err != nil || page.Entries[0].NoticeID != keep.ID {
		t.Errorf("left: %+v, %v", page.Entries, err)
	}
	if err := p.Retract(t.Context(), notifier.Actor{}, 99); !errors.Is(err, notifier.ErrNotFound) {
		t.Errorf("an unknown notice: %v", err)
	}
}

func TestRetractDuringSendingLeavesNoRecipientWithTheNotice(t *testing.T) {
	t.Parallel()
	r := newRig(t, redistest.Client(t))
	seqs := r.users(t, "all", 5000)
	c := r.config()
	c.Chunk = 100
	p := notices.New(c)
	c.Announcements = newAnnouncements(r.rdb, r.keys, r.store)
	other := notices.New(c)
	start(t, p)
	start(t, other)
	n := send(t, p, toRole("all"))
	testkit.Eventually(t, "the notice is being sent", func() bool {
		d, _, err := r.counted(t.Context(), n.ID)
		return err == nil && d >= 100
	})
	retract(t, other, n.ID)
	r.state(t, n.ID, notifier.StateRetracted)
	r.everyoneHas(t, seqs, 0)
	d, _, err := r.counted(t.Context(), n.ID)
	if err != nil || d >= 5000 {
		t.Errorf("sending continued to all %d, %v", d, err)
	}
	// A worker that was suspended all the time.
	n.Recipients = 5000
	r.deliverTo(t, n, seqs)
	r.everyoneHas(t, seqs, 0)
}

func TestNoticeRetractedBeforeRoutingReachesNobody(t *testing.T) {
	t.Parallel()
	r := newRig(t, redistest.Client(t))
	seqs := r.users(t, "all", 3)
	c := r.config()
	c.Wait = 0 // it is not running yet
	p := notices.New(c)
	n := notifier.Notice{Draft: toRole("all")}
	r.accept(t, &n)
	retract(t, p, n.ID)
	start(t, p)
	r.state(t, n.ID, notifier.StateRetracted)
	r.everyoneHas(t, seqs, 0)
	if to, err := r.store.Recipients(t.Context(), n.ID); err != nil || !to.IsEmpty() {
		t.Errorf("its recipients are %v, %v", to, err)
	}
}
