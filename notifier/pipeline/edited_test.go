package pipeline_test

import (
	"context"
	"sync/atomic"
	"testing"
	"time"

	"github.com/carillonhq/carillon/internal/redistest"
	"github.com/carillonhq/carillon/notifier"
	"github.com/carillonhq/carillon/store"
)

// edited is a store in which a notice is edited while its first range is served.
type edited struct {
	*store.Store
	looks atomic.Int64
}

func (e *edited) Notice(ctx context.Context, id int64) (notifier.Notice, error) {
	n, err := e.Store.Notice(ctx, id)
	if e.looks.Add(1) > 1 {
		n.Revision++
	}
	return n, err
}

func TestARangeThatIsEditedMeanwhileIsRepeated(t *testing.T) {
	t.Parallel()
	r := newRig(t, redistest.Client(t))
	seqs := r.users(t, "all", 100)
	c := r.config()
	held := &slow{Inbox: r.inbox, let: make(chan struct{})}
	close(held.let)
	c.Store, c.Inbox, c.Chunk, c.Wait = &edited{Store: r.store}, held, 50, 0
	c.Poll, c.Idle = time.Hour, time.Minute // nobody else has a part in it
	n := send(t, running(t, c), toRole("all"))
	r.state(t, n.ID, notifier.StateSent)
	r.everyoneHas(t, seqs, 1)
	if got := held.delivered.Load(); got != 3 {
		t.Errorf("%d ranges were served; want the first one twice, and the second", got)
	}
}

// editedWhole is a store in which each notice is edited between its first delivery
// and the confirmation of that.
type editedWhole struct {
	*store.Store
	confirms atomic.Int64
}

func (e *editedWhole) Confirm(ctx context.Context, done []notifier.Revised) ([]int64, error) {
	if e.confirms.Add(1) == 1 {
		for i := range done {
			done[i].Revision++
		}
	}
	return e.Store.Confirm(ctx, done)
}

func TestAWholeNoticeThatIsEditedMeanwhileIsDeliveredAnew(t *testing.T) {
	t.Parallel()
	r := newRig(t, redistest.Client(t))
	seqs := r.users(t, "all", 3)
	c := r.config()
	held := &slow{Inbox: r.inbox, let: make(chan struct{})}
	close(held.let)
	c.Store, c.Inbox, c.Poll = &editedWhole{Store: r.store}, held, time.Hour // the relay has no part in it
	n := send(t, running(t, c), toRole("all"))
	if n.State != notifier.StateSent {
		t.Errorf("it is %s", n.State)
	}
	r.everyoneHas(t, seqs, 1)
	if got := held.delivered.Load(); got < 2 {
		t.Errorf("delivered %d times, want 2", got)
	}
}
