package notices_test

import (
	"sync/atomic"
	"testing"
	"time"

	"github.com/carillonhq/carillon/internal/redistest"
	"github.com/carillonhq/carillon/internal/testkit"
	"github.com/carillonhq/carillon/notifier"
	"github.com/carillonhq/carillon/notifier/notices"
)

// TestEditDuringAResendReachesEveryRecipient edits a notice after the resend has read it, while no inbox has a row that the edit
// could change.
func TestEditDuringAResendReachesEveryRecipient(t *testing.T) {
	t.Parallel()
	r := newRig(t, redistest.Own(t).Client(t))
	seqs := r.users(t, "all", 3)
	c := r.config()
	p := notices.New(c)
	stop := start(t, p)
	n := send(t, p, toRole("all"))
	r.state(t, n.ID, notifier.StateSent)
	stop()
	r.flushAll(t)()

	var edited atomic.Bool
	c.Inbox = &meanwhile{Inbox: r.inbox, before: func() {
		r.edit(t, running(t, r.config()), n.ID, "Edited")
		edited.Store(true)
	}}
	p = running(t, c)
	if err := p.Resend(t.Context(), n.CreatedAt.Add(-time.Second)); err != nil {
		t.Fatal(err)
	}
	testkit.Eventually(t, "nothing is left to do", func() bool { return r.backlog(t) == 0 })
	if !edited.Load() {
		t.Fatal("the resend delivered nothing")
	}
	r.everyoneReads(t, seqs, "Edited")
}
