package notices_test

import (
	"testing"
	"time"

	"github.com/carillonhq/carillon/internal/redistest"
	"github.com/carillonhq/carillon/internal/testkit"
	"github.com/carillonhq/carillon/notifier"
)

func TestNoticesWorkOnACluster(t *testing.T) {
	t.Parallel()
	r := newRig(t, redistest.Cluster(t))
	seqs := r.users(t, "all", 300)
	c := r.config()
	c.Chunk = 100
	p := running(t, c)
	small := send(t, p, toUsers("u1", "u300"))
	d := toRole("all")
	d.ExpiresIn = 2 * time.Second
	short, kept, taken := send(t, p, d), send(t, p, toRole("all")), send(t, p, toRole("all"))
	for _, n := range []notifier.Notice{short, kept, taken} {
		r.state(t, n.ID, notifier.StateSent)
	}
	retract(t, p, taken.ID)
	r.state(t, taken.ID, notifier.StateRetracted)
	if got, err := p.Progress(t.Context(), kept.ID); err != nil || got.Delivered != 300 {
		t.Errorf("delivered: %d, %v; want 300", got.Delivered, err)
	}
	testkit.Eventually(t, "the short-lived notice expires everywhere", func() bool { return r.allUnread(t, seqs[1:299], 1) })
	r.everyoneHas(t, seqs[1:299], 1)
	if small.State != notifier.StateSent {
		t.Errorf("the small notice is %s", small.State)
	}
}
