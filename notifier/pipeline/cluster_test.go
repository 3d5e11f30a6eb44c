package pipeline_test

import (
	"testing"
	"time"

	"github.com/carillonhq/carillon/internal/redistest"
	"github.com/carillonhq/carillon/notifier"
	"github.com/carillonhq/carillon/notifier/pipeline"
)

func TestTheWholeWayIsTheSameOnACluster(t *testing.T) {
	t.Parallel()
	r := newRig(t, redistest.Cluster(t))
	seqs := r.users(t, "all", 300)
	p := pipeline.New(r.config())
	start(t, p)
	d := toRole("all")
	d.ExpiresIn = 2 * time.Second
	short, kept, taken := send(t, p, d), send(t, p, toRole("all")), send(t, p, toRole("all"))
	for _, n := range []notifier.Notice{short, kept, taken} {
		r.state(t, n.ID, notifier.StateSent)
	}
	retract(t, p, taken.ID)
	r.state(t, taken.ID, notifier.StateRetracted)
	if got, err := p.Progress(t.Context(), kept.ID); err != nil || got.Delivered != 300 {
		t.Errorf("%d are counted, %v; want 300", got.Delivered, err)
	}
	eventually(t, "the short-lived one expires everywhere", func() bool { return r.allUnread(t, seqs, 1) })
	r.everyoneHas(t, seqs, 1)
}
