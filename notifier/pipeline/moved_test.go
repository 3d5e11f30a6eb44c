package pipeline_test

import (
	"context"
	"testing"

	"github.com/carillonhq/carillon/internal/redistest"
	"github.com/carillonhq/carillon/notifier"
	"github.com/carillonhq/carillon/store"
)

// overtaken is a store in which each notice is retracted just before it would become sent.
type overtaken struct{ *store.Store }

func (o overtaken) SetState(ctx context.Context, id int64, from, to notifier.State) (bool, error) {
	if to == notifier.StateSent {
		if _, err := o.Store.SetState(ctx, id, from, notifier.StateRetracting); err != nil {
			return false, err
		}
	}
	return o.Store.SetState(ctx, id, from, to)
}

func (o overtaken) Move(ctx context.Context, id, rev int64, from, to notifier.State) (bool, error) {
	if to == notifier.StateSent {
		return o.SetState(ctx, id, from, to)
	}
	return o.Store.Move(ctx, id, rev, from, to)
}

func (o overtaken) Confirm(ctx context.Context, done []notifier.Revised) ([]int64, error) {
	for _, d := range done {
		if _, err := o.SetState(ctx, d.ID, notifier.StateAccepted, notifier.StateSent); err != nil {
			return nil, err
		}
	}
	return o.Store.Confirm(ctx, done)
}

func TestNoticeRetractedAtTheLastMomentIsNotReportedAsSent(t *testing.T) {
	t.Parallel()
	for name, chunk := range map[string]int{"whole": 500, "range by range": 1} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			r := newRig(t, redistest.Client(t))
			seqs := r.users(t, "all", 2)
			c := r.config()
			c.Store, c.Chunk = overtaken{r.store}, chunk
			n := send(t, running(t, c), toUsers("u1", "u2"))
			if n.State == notifier.StateSent {
				t.Error("the sender is told that it was sent")
			}
			r.state(t, n.ID, notifier.StateRetracted)
			r.everyoneHas(t, seqs, 0)
		})
	}
}
