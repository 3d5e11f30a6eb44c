package notices_test

import (
	"context"
	"testing"

	"github.com/carillonhq/carillon/internal/redistest"
	"github.com/carillonhq/carillon/notifier"
	"github.com/carillonhq/carillon/store"
)

// overtaken is a store in which each notice is retracted just before it would become sent.
type overtaken struct{ *store.Store }

// retract retracts a notice that is about to become sent.
func (o overtaken) retract(ctx context.Context, id int64, from notifier.State) error {
	_, err := o.RetractNotice(ctx, notifier.Actor{}, id, from, notifier.StateRetracting)
	return err
}

func (o overtaken) Finish(ctx context.Context, id, rev int64, from, to notifier.State) error {
	if to == notifier.StateSent {
		if err := o.retract(ctx, id, from); err != nil {
			return err
		}
	}
	return o.Store.Finish(ctx, id, rev, from, to)
}

func (o overtaken) Confirm(ctx context.Context, done []notifier.Revised) ([]int64, error) {
	for _, d := range done {
		if err := o.retract(ctx, d.ID, notifier.StateAccepted); err != nil {
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
